"""An answer that follows a model of one's own."""

import asyncio
from typing import Literal

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import StructuredMessage
from pydantic import BaseModel
from scripting import model, show, told


class Weather(BaseModel):
    reasons: str
    outlook: Literal["fair", "foul", "fickle"]


async def main():
    sailor = AssistantAgent(
        "sailor",
        model_client=model('{"reasons": "Red sky at night.", "outlook": "fair"}'),
        system_message="Read the sky. Answer in JSON.",
        output_content_type=Weather,
    )
    result = await told(sailor.run_stream(task="The sky is red tonight."))
    answer = result.messages[-1]
    assert isinstance(answer, StructuredMessage) and isinstance(answer.content, Weather)
    print("because:", answer.content.reasons)
    print("outlook:", answer.content.outlook)

    formatted = AssistantAgent(
        "sailor",
        model_client=model('{"reasons": "Red sky at morning.", "outlook": "foul"}'),
        output_content_type=Weather,
        output_content_type_format="{outlook}: {reasons}",
    )
    result = await formatted.run(task="And now?")
    show(result)
    assert result.messages[-1].to_text() == "foul: Red sky at morning."


asyncio.run(main())
