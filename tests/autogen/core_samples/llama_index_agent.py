"""An agent that asks a query engine of LlamaIndex, with a memory, and names the sources of its answers."""

import asyncio
from dataclasses import dataclass, field

from autogen_core import AgentId, MessageContext, RoutedAgent, SingleThreadedAgentRuntime, message_handler
from llama_index.core import Document, MockEmbedding, SummaryIndex
from llama_index.core.llms import ChatMessage, MessageRole, MockLLM
from llama_index.core.memory import ChatMemoryBuffer


@dataclass
class Question:
    text: str


@dataclass
class Answer:
    text: str
    sources: list[str] = field(default_factory=list)


class IndexAgent(RoutedAgent):
    def __init__(self, facts: list[str]) -> None:
        super().__init__("Answers from documents.")
        documents = [Document(text=each, id_=f"fact-{number}") for number, each in enumerate(facts, 1)]
        index = SummaryIndex.from_documents(documents, embed_model=MockEmbedding(embed_dim=4))
        self._engine = index.as_query_engine(llm=MockLLM(max_tokens=5), response_mode="compact")
        self._memory = ChatMemoryBuffer.from_defaults(token_limit=1000, tokenizer_fn=str.split)

    @message_handler
    async def on_question(self, message: Question, ctx: MessageContext) -> Answer:
        found = await ctx.cancellation_token.link_future(asyncio.ensure_future(self._engine.aquery(message.text)))
        self._memory.put(ChatMessage(role=MessageRole.USER, content=message.text))
        self._memory.put(ChatMessage(role=MessageRole.ASSISTANT, content=str(found)))
        print("remembered:", len(self._memory.get_all()))
        return Answer(str(found), [node.node.get_content() for node in found.source_nodes])


async def main() -> None:
    facts = ["Dover has a harbour.", "The harbour is deep."]
    runtime = SingleThreadedAgentRuntime()
    await IndexAgent.register(runtime, "librarian", lambda: IndexAgent(facts))
    runtime.start()
    agent = AgentId("librarian", "default")
    for text in ("Is there a harbour?", "Is it deep?"):
        answer = await runtime.send_message(Question(text), agent)
        assert answer.sources == facts, answer
        assert answer.text == "text text text text text", answer
        print(text, answer.text, answer.sources)
    await runtime.stop_when_idle()


asyncio.run(main())
