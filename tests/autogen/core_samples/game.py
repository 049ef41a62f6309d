"""Two players with tools for a board that they share: each plays by calls, and is told of the other's moves."""

import asyncio
import json
from dataclasses import dataclass, field

from autogen_core import (
    AgentId,
    DefaultInterventionHandler,
    DefaultTopicId,
    FunctionCall,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    default_subscription,
    message_handler,
)
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import AssistantMessage, CreateResult, RequestUsage, SystemMessage, UserMessage
from autogen_core.tool_agent import ToolAgent, tool_agent_caller_loop
from autogen_core.tools import FunctionTool, Tool, ToolSchema
from autogen_ext.models.replay import ReplayChatCompletionClient


@dataclass
class Board:
    """Sticks in heaps; who takes the last one wins."""

    heaps: list[int] = field(default_factory=lambda: [2, 1])
    moves: list[str] = field(default_factory=list)

    def legal(self) -> str:
        return ", ".join(f"{place}:{count}" for place, count in enumerate(self.heaps) if count) or "none"

    def take(self, player: str, heap: int, count: int) -> str:
        if not 0 < count <= self.heaps[heap]:
            raise ValueError(f"{player} cannot take {count} of {self.heaps[heap]}")
        self.heaps[heap] -= count
        self.moves.append(f"{player} takes {count} of heap {heap}")
        return self.moves[-1]

    @property
    def is_over(self) -> bool:
        return not any(self.heaps)


@dataclass
class Turn:
    text: str


@default_subscription
class Player(RoutedAgent):
    def __init__(self, model: ReplayChatCompletionClient, tools: str, schemas: list[ToolSchema], board: Board) -> None:
        super().__init__("Plays.")
        self._model, self._schemas, self._board = model, schemas, board
        self._tools = AgentId(tools, "default")
        self._context = BufferedChatCompletionContext(buffer_size=10)

    @message_handler
    async def on_turn(self, message: Turn, ctx: MessageContext) -> None:
        if self._board.is_over:
            return
        await self._context.add_message(UserMessage(content=message.text, source="other"))
        said = await tool_agent_caller_loop(
            self,
            tool_agent_id=self._tools,
            model_client=self._model,
            input_messages=[SystemMessage(content="Play."), *await self._context.get_messages()],
            tool_schema=self._schemas,
            cancellation_token=ctx.cancellation_token,
        )
        for each in said:
            await self._context.add_message(each)
        assert isinstance(said[-1], AssistantMessage)
        await self.publish_message(Turn(str(said[-1].content)), DefaultTopicId())


class Limited(DefaultInterventionHandler):
    """Of a call's way to the tools."""

    seen = 0

    async def on_send(self, message: object, *, message_context: MessageContext, recipient: AgentId) -> object:
        if isinstance(message, FunctionCall):
            self.seen += 1
        return message


def called(*steps: tuple[str, dict[str, int]]) -> CreateResult:
    calls = [FunctionCall(id=str(n), name=name, arguments=json.dumps(given)) for n, (name, given) in enumerate(steps)]
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    return CreateResult(finish_reason="function_calls", content=calls, usage=usage, cached=False)


async def main() -> None:
    board, limited = Board(), Limited()
    runtime = SingleThreadedAgentRuntime(intervention_handlers=[limited])
    scripts = {
        "white": [called(("legal_moves", {})), called(("take", {"heap": 0, "count": 1})), "Your turn.", "unused"],
        "black": [
            called(("take", {"heap": 0, "count": 5})),
            called(("take", {"heap": 0, "count": 1})),
            "I took one.",
        ],
    }
    scripts["white"][3:] = [called(("take", {"heap": 1, "count": 1})), "I win."]
    for name, script in scripts.items():

        def take(heap: int, count: int, name: str = name) -> str:
            return board.take(name, heap, count)

        tools: list[Tool] = [
            FunctionTool(board.legal, name="legal_moves", description="What may be taken."),
            FunctionTool(take, name="take", description="Take sticks of a heap."),
        ]
        await ToolAgent.register(runtime, f"{name}-tools", lambda tools=tools, name=name: ToolAgent(name, tools))
        schemas = [each.schema for each in tools]
        model = ReplayChatCompletionClient(script)
        await Player.register(
            runtime, name, lambda model=model, name=name, s=schemas: Player(model, f"{name}-tools", s, board)
        )
    runtime.start()
    await runtime.send_message(Turn("Begin."), AgentId("white", "default"))
    await runtime.stop_when_idle()
    print("\n".join(board.moves), limited.seen)
    assert board.is_over
    assert board.moves[-1] == "white takes 1 of heap 1"
    assert limited.seen == 5


asyncio.run(main())
