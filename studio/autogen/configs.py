"""Names under which AutoGen's scripts give settings: dictionaries with types, and a few constants."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from typing_extensions import TypedDict

from studio.messages import CancellationToken

AsyncAzureADTokenProvider = Callable[[], str | Awaitable[str]]
GITHUB_MODELS_ENDPOINT = "https://models.github.ai/inference"

SyncInputFunc = Callable[[str], str]
AsyncInputFunc = Callable[[str, CancellationToken | None], Awaitable[str]]
InputFuncType = SyncInputFunc | AsyncInputFunc


class Settings(TypedDict, total=False):
    """Any settings of a client; called with them by name it gives them back as a dictionary."""

    model: str
