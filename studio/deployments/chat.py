"""The chat page of a deployment: who may open it, what it says first, and which sites may show it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

ChatAccess = Literal["off", "link", "people", "anyone"]
MAX_ORIGINS = 20
ORIGIN = re.compile(r"https?://[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[0-9]{1,5})?")
"""Nothing else may stand in a header that names it: no wildcard, no path, no second value."""


class ChatSettings(BaseModel):
    """A page on which people talk to the team. The limits of the deployment hold for it as for programs."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    access: Annotated[
        ChatAccess, Field(title="Access", description="People who may chat. They see what callers see.")
    ] = "off"
    title: Annotated[
        str,
        Field(max_length=100, title="Title", description="Name on the page; empty takes the name of the deployment."),
    ] = ""
    greeting: Annotated[
        str, Field(max_length=1_000, title="Greeting", description="Shown before the first message.")
    ] = ""
    messages_per_minute: Annotated[
        int,
        Field(gt=0, le=1_000, title="Messages per minute", description="From one network address."),
    ] = 10
    origins: Annotated[
        Sequence[str],
        Field(
            max_length=MAX_ORIGINS,
            title="Sites that may embed it",
            description="One per line, such as https://www.example.com. No other site can show the page in a frame.",
        ),
    ] = ()

    @field_validator("origins")
    @classmethod
    def _check_origins(cls, given: Sequence[str]) -> Sequence[str]:
        origins = list(dict.fromkeys(each.strip().lower().removesuffix("/") for each in given))
        for each in origins:
            if not ORIGIN.fullmatch(each):
                raise ValueError(f"{each[:100]!r} is not an origin: write https://www.example.com, without a path")
        return origins
