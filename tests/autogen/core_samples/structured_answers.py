"""A model answers by a schema, in a handler that gives a typed message; what does not fit is an error to the sender."""

import asyncio
from dataclasses import dataclass
from enum import Enum

from autogen_core import AgentId, MessageContext, RoutedAgent, SingleThreadedAgentRuntime, message_handler
from autogen_core.models import ModelFamily, ModelInfo, SystemMessage, UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient
from pydantic import BaseModel, ValidationError


class Step(BaseModel):
    explanation: str
    result: int


class Mood(Enum):
    SURE = "sure"
    UNSURE = "unsure"


class Solution(BaseModel):
    steps: list[Step]
    answer: int
    mood: Mood = Mood.SURE


@dataclass
class Exercise:
    text: str


class Solving(RoutedAgent):
    def __init__(self, model: ReplayChatCompletionClient) -> None:
        super().__init__("Solves.")
        self._model = model

    @message_handler
    async def on_exercise(self, message: Exercise, ctx: MessageContext) -> Solution:
        asked = [SystemMessage(content="Answer by the schema."), UserMessage(content=message.text, source="user")]
        answer = await self._model.create(asked, json_output=Solution, cancellation_token=ctx.cancellation_token)
        assert isinstance(answer.content, str)
        return Solution.model_validate_json(answer.content)


async def main() -> None:
    info = ModelInfo(
        vision=False, function_calling=True, json_output=True, family=ModelFamily.UNKNOWN, structured_output=True
    )
    right = '{"steps": [{"explanation": "Take 3 away.", "result": 4}], "answer": 4, "mood": "unsure"}'
    model = ReplayChatCompletionClient([right, '{"steps": []}'], model_info=info)
    runtime = SingleThreadedAgentRuntime()
    await Solving.register(runtime, "solving", lambda: Solving(model))
    runtime.start()
    solution: Solution = await runtime.send_message(Exercise("x + 3 = 7"), AgentId("solving", "default"))
    print(solution.answer, solution.mood, [each.explanation for each in solution.steps])
    assert solution.answer == 4
    try:
        await runtime.send_message(Exercise("x = x"), AgentId("solving", "default"))
    except ValidationError as error:
        print("refused:", error.errors()[0]["loc"], error.errors()[0]["type"])
    else:
        raise AssertionError("an answer without its field was taken")
    await runtime.stop()


asyncio.run(main())
