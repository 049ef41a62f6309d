"""An agent that knows what time it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, ClassVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, JsonValue, field_validator

from studio import effects
from studio.agents.base import ChatAgent
from studio.effects import EffectRequest
from studio.messages import BaseChatMessage, CancellationToken, Response, TextMessage


class TimeReplyAgent(ChatAgent):
    """Answers every message with the current date and time."""

    provider = "studio.agents.TimeReplyAgent"
    positional: ClassVar[tuple[str, ...]] = ("name", "description")

    name: Annotated[str, Field(description="A word without spaces, unique in its team.", examples=["clock"])]
    description: Annotated[str, Field(description="What this agent does. Other agents and selectors read it.")] = (
        "An agent that tells the current date and time."
    )
    date_time_format: Annotated[str, Field(description="As in Python's `strftime`.")] = "%Y-%m-%d %H:%M:%S"
    output_prefix: Annotated[str, Field(description="Text before the time.")] = "Tick, tock, the current date/time is "
    time_zone: Annotated[str | None, Field(description="Such as `Europe/Zurich`. Empty: this machine's time zone.")] = (
        None
    )

    @field_validator("time_zone")
    @classmethod
    def _is_known(cls, name: str | None) -> str | None:
        try:
            return name and ZoneInfo(name).key
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"Unknown time zone {name!r}.") from error

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> Response:
        del messages, cancellation_token

        async def read() -> JsonValue:
            zone = ZoneInfo(self.time_zone) if self.time_zone else None
            return effects.now().astimezone(zone).isoformat()

        zone = self.time_zone
        answer = await effects.call(EffectRequest("clock", self.name, lambda: {"time_zone": zone}), read)
        text = f"{self.output_prefix}{datetime.fromisoformat(str(answer)).strftime(self.date_time_format)}"
        return Response(chat_message=TextMessage(content=text, source=self.name))
