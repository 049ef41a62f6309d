"""An agent that is a graph of LangGraph inside: a model that calls a tool until it has an answer."""

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

from autogen_core import AgentId, MessageContext, RoutedAgent, SingleThreadedAgentRuntime, message_handler
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode


@dataclass
class Question:
    text: str


@tool
def tide(harbour: str) -> str:
    """How high the water stands in a harbour."""
    return f"In {harbour} the water stands at 3 metres."


class GraphAgent(RoutedAgent):
    def __init__(self, replies: list[AIMessage]) -> None:
        super().__init__("Knows the tides.")
        script = iter(replies)

        async def ask_model(state: MessagesState) -> dict[str, Any]:
            print("asked after:", [type(each).__name__ for each in state["messages"]])
            return {"messages": [next(script)]}

        def where_next(state: MessagesState) -> Literal["tools", "__end__"]:
            last = state["messages"][-1]
            return "tools" if isinstance(last, AIMessage) and last.tool_calls else END

        graph = StateGraph(MessagesState)
        graph.add_node("model", ask_model)
        graph.add_node("tools", ToolNode([tide]))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", where_next)
        graph.add_edge("tools", "model")
        self._graph = graph.compile()

    @message_handler
    async def on_question(self, message: Question, ctx: MessageContext) -> str:
        asked = [SystemMessage(content="Use the tool."), HumanMessage(content=message.text)]
        ending = asyncio.ensure_future(self._graph.ainvoke({"messages": asked}))
        state = await ctx.cancellation_token.link_future(ending)
        return str(state["messages"][-1].content)


async def main() -> None:
    call = {"name": "tide", "args": {"harbour": "Dover"}, "id": "call-1", "type": "tool_call"}
    replies = [AIMessage(content="", tool_calls=[call]), AIMessage(content="3 metres in Dover.")]
    runtime = SingleThreadedAgentRuntime()
    await GraphAgent.register(runtime, "tides", lambda: GraphAgent(replies))
    runtime.start()
    answer = await runtime.send_message(Question("How high is the water in Dover?"), AgentId("tides", "default"))
    await runtime.stop_when_idle()
    assert answer == "3 metres in Dover."
    print(answer)


asyncio.run(main())
