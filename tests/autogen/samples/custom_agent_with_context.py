"""An agent of one's own with a context and a model of its own, alone and in a team, dumped and loaded."""

import asyncio
import json

from autogen_agentchat.agents import AssistantAgent, BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import Component
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.models import AssistantMessage, RequestUsage
from pydantic import BaseModel
from scripting import model, told


class Library:
    """Stands for a service that has nothing to do with AutoGen."""

    def generate(self, model, contents):
        return f"{model} has read {len(contents)} messages" + (", APPROVE" if len(contents) > 3 else "")


class LibrarianConfig(BaseModel):
    name: str
    description: str = "Reads much."
    model: str = "large"
    system_message: str | None = None


class Librarian(BaseChatAgent, Component[LibrarianConfig]):
    component_config_schema = LibrarianConfig

    def __init__(self, name, description="Reads much.", model="large", system_message="Read."):
        super().__init__(name=name, description=description)
        self._model_context = UnboundedChatCompletionContext()
        self._model_client = Library()
        self._system_message = system_message
        self._model = model

    @property
    def produced_message_types(self):
        return (TextMessage,)

    async def on_messages(self, messages, cancellation_token):
        final = None
        async for item in self.on_messages_stream(messages, cancellation_token):
            final = item
        assert isinstance(final, Response)
        return final

    async def on_messages_stream(self, messages, cancellation_token):
        for message in messages:
            await self._model_context.add_message(message.to_model_message())
        contents = [
            (message.source if hasattr(message, "source") else "system") + ": " + message.content
            for message in await self._model_context.get_messages()
        ]
        text = self._model_client.generate(model=self._model, contents=contents)
        await self._model_context.add_message(AssistantMessage(content=text, source=self.name))
        usage = RequestUsage(prompt_tokens=len(contents), completion_tokens=len(text.split()))
        yield Response(chat_message=TextMessage(content=text, source=self.name, models_usage=usage), inner_messages=[])

    async def on_reset(self, cancellation_token):
        await self._model_context.clear()

    @classmethod
    def _from_config(cls, config):
        return cls(config.name, config.description, config.model, config.system_message)

    def _to_config(self):
        return LibrarianConfig(
            name=self.name, description=self.description, model=self._model, system_message=self._system_message
        )


async def main():
    await told(Librarian("ann").run_stream(task="What is new?"))
    writer = AssistantAgent("writer", model_client=model("A page.", "Another page."))
    stop = TextMentionTermination("APPROVE") | MaxMessageTermination(10)
    team = RoundRobinGroupChat([writer, Librarian("ann")], termination_condition=stop)
    result = await told(team.run_stream(task="A book."))
    assert result.stop_reason == "Text 'APPROVE' mentioned"

    dumped = Librarian("bob", model="small").dump_component()
    print(json.dumps(dumped.model_dump(), sort_keys=True))
    loaded = Librarian.load_component(dumped)
    assert (loaded.name, loaded._model, loaded._system_message) == ("bob", "small", "Read.")
    await told(loaded.run_stream(task="And you?"))


asyncio.run(main())
