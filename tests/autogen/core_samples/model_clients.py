"""A client of a model: asked once, streamed, by a schema, with a cache, and by an agent that keeps the conversation."""

import asyncio
from dataclasses import dataclass

from autogen_core import AgentId, MessageContext, RoutedAgent, SingleThreadedAgentRuntime, message_handler
from autogen_core.models import ChatCompletionClient, CreateResult, SystemMessage, UserMessage
from autogen_ext.models.cache import ChatCompletionCache
from pydantic import BaseModel
from service import answering


class Joke(BaseModel):
    setup: str
    punchline: str


@dataclass
class Asked:
    text: str


class Assistant(RoutedAgent):
    def __init__(self, model: ChatCompletionClient) -> None:
        super().__init__("Answers.")
        self._model = model

    @message_handler
    async def on_asked(self, message: Asked, ctx: MessageContext) -> str:
        said = [SystemMessage(content="Be short."), UserMessage(content=message.text, source="user")]
        return str((await self._model.create(said, cancellation_token=ctx.cancellation_token)).content)


async def main() -> None:
    joke = '{"setup": "Why?", "punchline": "Because."}'
    with answering(["Paris.", "A longer answer.", joke, "Berlin.", "Madrid."]) as service:
        client = service.client(temperature=0.5)
        asked = [UserMessage(content="What is the capital of France?", source="user")]
        answer = await client.create(asked)
        print(answer.content, answer.finish_reason, answer.usage.prompt_tokens, answer.usage.completion_tokens)
        async for piece in client.create_stream(asked):
            print("whole:" if isinstance(piece, CreateResult) else "piece:", getattr(piece, "content", piece))
        typed = await client.create(asked, json_output=Joke)
        print(Joke.model_validate_json(str(typed.content)).punchline)
        cached = ChatCompletionCache(client)
        for _ in range(2):
            kept = await cached.create(asked)
            print(kept.content, kept.cached)
        runtime = SingleThreadedAgentRuntime()
        await Assistant.register(runtime, "assistant", lambda: Assistant(client))
        runtime.start()
        print(await runtime.send_message(Asked("And of Spain?"), AgentId("assistant", "default")))
        await runtime.stop()
        await client.close()
        print(client.total_usage().completion_tokens >= 20)
        sent = service.asked
        assert [each["temperature"] for each in sent] == [0.5] * 5
        assert sent[2]["response_format"]["json_schema"]["name"] == "Joke"
        assert [each["role"] for each in sent[4]["messages"]] == ["system", "user"]


asyncio.run(main())
