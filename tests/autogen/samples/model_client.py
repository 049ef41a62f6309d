"""A model client on its own: whole answers, streamed ones, and what they took."""

import asyncio

from autogen_core.models import CreateResult, SystemMessage, UserMessage
from scripting import model


async def main():
    client = model("Lisbon.", "Rio de Janeiro, then.")
    question = [SystemMessage(content="Answer briefly."), UserMessage(content="A city by the sea?", source="user")]
    result = await client.create(question)
    print(result.finish_reason, result.content, result.usage, result.cached, result.thought)
    assert result.content == "Lisbon."

    pieces = [piece async for piece in client.create_stream(question)]
    print([piece for piece in pieces if isinstance(piece, str)])
    assert isinstance(pieces[-1], CreateResult) and pieces[-1].content == "Rio de Janeiro, then."
    print(client.model_info["vision"], client.actual_usage(), client.total_usage(), client.count_tokens(question))
    print(client.remaining_tokens(question))
    await client.close()


asyncio.run(main())
