"""A component of a script's own: its config is written as JSON, and it is made again of that, without its secret."""

import asyncio
import json
from typing import Self

from autogen_core import Component, ComponentBase, ComponentLoader, ComponentModel
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import ChatCompletionClient, UserMessage
from pydantic import BaseModel, SecretStr


class GreeterConfig(BaseModel):
    greeting: str
    password: SecretStr | None = None
    context: ComponentModel


class Greeter(ComponentBase[GreeterConfig], Component[GreeterConfig]):
    component_type = "greeter"
    component_config_schema = GreeterConfig
    component_provider_override = "__main__.Greeter"

    def __init__(self, greeting: str, password: str | None, context: BufferedChatCompletionContext) -> None:
        self.greeting, self.password, self.context = greeting, password, context

    def _to_config(self) -> GreeterConfig:
        return GreeterConfig(
            greeting=self.greeting,
            password=None if self.password is None else SecretStr(self.password),
            context=self.context.dump_component(),
        )

    @classmethod
    def _from_config(cls, config: GreeterConfig) -> Self:
        password = config.password.get_secret_value() if config.password else None
        return cls(config.greeting, password, BufferedChatCompletionContext.load_component(config.context))


async def main() -> None:
    greeter = Greeter("Hi", "hush", BufferedChatCompletionContext(buffer_size=2))
    dumped = greeter.dump_component()
    text = dumped.model_dump_json()
    assert "hush" not in text
    print(
        dumped.component_type, dumped.config["greeting"], dumped.config["password"], dumped.config["context"]["config"]
    )
    again = Greeter._from_config(GreeterConfig.model_validate(json.loads(text)["config"]))
    for number in range(3):
        await again.context.add_message(UserMessage(content=str(number), source="user"))
    print(again.greeting, [each.content for each in await again.context.get_messages()])

    known = {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "component_type": "model",
        "version": 1,
        "config": {"chat_completions": ["Loaded."]},
    }
    client = ChatCompletionClient.load_component(known)
    print((await client.create([UserMessage(content="?", source="user")])).content)
    same = ComponentLoader.load_component(ComponentModel.model_validate(known))
    assert type(same) is type(client)


asyncio.run(main())
