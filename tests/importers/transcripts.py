"""What the agents of a run were asked, as the fake server of their models saw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.fakes.model_server import Call, Reply
from tests.importers.samples import Said

Turn = dict[str, Any]


class ScriptedModels:
    """Answers for all models of a run, each agent found by its instructions; `turns` says what each was asked."""

    def __init__(self, answers: Mapping[str, Sequence[str | Said]]) -> None:
        self._left = {word: list(each) for word, each in answers.items()}
        self.turns: list[Turn] = []

    def __call__(self, body: dict[str, Any]) -> Reply:
        messages: list[dict[str, Any]] = body["messages"]
        told = "\n".join(_text(each) for each in messages if each["role"] in ("system", "developer"))
        word = next(word for word in self._left if word in told)
        given = self._left[word].pop(0)
        offered: list[dict[str, Any]] = body.get("tools") or []
        tools = sorted(str(each["function"]["name"]) for each in offered)
        heard = [text for each in messages if each["role"] in ("user", "assistant", "tool") and (text := _text(each))]
        turn: Turn = {"instructions": told, "tools": tools, "heard": heard, "has_format": "response_format" in body}
        self.turns.append(turn)
        if isinstance(given, str):
            return Reply(given)
        return Reply(given.text, calls=[Call(name, arguments) for name, arguments in given.calls])


def _text(message: dict[str, Any]) -> str:
    content: str | list[dict[str, Any]] | None = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return content or ""
