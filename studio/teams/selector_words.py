"""What a selector asks its model, and how names are found in the answer."""

from __future__ import annotations

import re
from functools import lru_cache

from studio.messages import AssistantMessage, LLMMessage, UserMessage

SELECTOR_PROMPT = """You are in a role play game. The following roles are available:
{roles}.
Read the following conversation. Then select the next role from {participants} to play. Only return the role.

{history}

Read the above conversation. Then select the next role from {participants} to play. Only return the role.
"""
PLACEHOLDERS = ("roles", "participants", "history")

_SAID = (UserMessage, AssistantMessage)


def as_line(message: LLMMessage) -> str | None:
    """A message as the question repeats it; None for one that nobody said."""
    if not isinstance(message, _SAID):
        return None
    own = message.__dict__
    text = content if type(content := own["content"]) is str else _as_text(message)
    return f"{own['source']}: {text}".rstrip() + "\n\n"


def _as_text(message: UserMessage | AssistantMessage) -> str:
    if isinstance(message, UserMessage):
        return "\n".join(part if isinstance(part, str) else "<image>" for part in message.content)
    return str(message.content)


def at_attempt(count: int) -> str:
    """Which attempt it was, where that is worth a word."""
    return "" if count == 1 else f" at attempt {count}"


@lru_cache
def as_word(name: str) -> re.Pattern[str]:
    """Finds the name as a word of its own; spaces or `\\_` may stand for underscores."""
    spellings = (name, name.replace("_", " "), name.replace("_", r"\_"))
    either = "|".join(map(re.escape, dict.fromkeys(spellings)))
    return re.compile(rf"(?<=\W)({either})(?=\W)")
