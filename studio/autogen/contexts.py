"""Model contexts as AutoGen's scripts derive them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from studio import contexts as ours
from studio.autogen.compat_base import Freed
from studio.messages import LLMMessage


class ChatCompletionContext(Freed, ours.ChatCompletionContext, stands_for=ours.ChatCompletionContext):
    """A context of a script: `get_messages` says what of `_messages` the model sees."""

    def __init__(self, initial_messages: Sequence[LLMMessage] | None = None) -> None:
        super().__init__()
        self._messages = list(initial_messages or ())
        vars(self)["initial_messages"] = list(initial_messages) if initial_messages else None

    @abstractmethod
    async def get_messages(self) -> list[LLMMessage]: ...
