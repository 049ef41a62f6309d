"""Components and values in a few words, also of documents that nobody has checked."""

from __future__ import annotations

import json
import re
from typing import cast

from pydantic import JsonValue

from studio.components.base import find_class
from studio.components.field_titles import in_a_sentence, title_of_field
from studio.components.pointers import is_envelope

SHORT = 60
MAX_WORD = 60
"""Characters of a text that is its own identity, such as the name in a list of handoffs."""
NOUNS = {
    "replay_chat_completion_client": "model",
    "chat_completion_cache": "model",
    "chat_completion_context": "context",
    "code_executor": "code executor",
    "termination": "stop condition",
}
_CALLED = {
    "AgentTool": "agent as a tool",
    "TeamTool": "team as a tool",
    "FunctionTool": "Python function",
    "MagenticOneGroupChat": "Magentic-One",
    "MagenticOneCoderAgent": "Magentic-One coder",
}
_ACRONYM = re.compile(r"\b(?:http|mcp|sse)\b", re.IGNORECASE)
_NOISE = re.compile(
    r"(ChatCompletionClient|GroupChat|Agent|TerminationCondition|Termination|ChatCompletionContext|CodeExecutor)$"
)


def is_component(value: object) -> bool:
    return is_envelope(value) and isinstance(cast("dict[str, JsonValue]", value).get("config"), dict)


def name_of(item: JsonValue) -> str | None:
    """What an entry of a list is called, if anything tells it from its neighbours."""
    if isinstance(item, str):
        return item if len(item) <= MAX_WORD and not any(map(str.isspace, item)) else None
    if not isinstance(item, dict):
        return None
    holder = item.get("config") if is_component(item) else item
    name = (holder.get("name") or holder.get("id")) if isinstance(holder, dict) else None
    return name if isinstance(name, str) else None


def title_of(component: JsonValue) -> str:
    """What a component is called: the name a person gave it, else what it is."""
    if not is_component(component):
        return ""
    envelope = cast("dict[str, JsonValue]", component)
    class_name = str(envelope["provider"]).rpartition(".")[2]
    label, model = envelope.get("label"), cast("dict[str, JsonValue]", envelope["config"]).get("model")
    if name := name_of(component):
        return name
    if isinstance(label, str) and label not in ("", class_name):
        return label
    return model if isinstance(model, str) and model else type_label(class_name)


def title_alone(component: JsonValue) -> str:
    """`title_of` where it stands alone, such as on a chip."""
    title = title_of(component)
    class_name = str(cast("dict[str, JsonValue]", component)["provider"]).rpartition(".")[2] if title else ""
    return type_title(class_name) if title == type_label(class_name) else title


def type_title(class_name: str) -> str:
    """ "RoundRobinGroupChat" as "Round robin", where it begins a sentence or a card."""
    label = type_label(class_name)
    return label[:1].upper() + label[1:]


def type_label(class_name: str) -> str:
    """ "RoundRobinGroupChat" as "round robin"."""
    if class_name in _CALLED:
        return _CALLED[class_name]
    stem = _NOISE.sub("", class_name) or class_name
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", stem).split(" ")
    label = " ".join(word if re.search("[A-Z].*[A-Z]", word) else word.lower() for word in words)
    return _ACRONYM.sub(lambda found: found[0].upper(), label.replace("open AI", "OpenAI"))


def noun_of(component: JsonValue) -> str:
    """The kind of a component: "agent", "model"."""
    envelope = cast("dict[str, JsonValue]", component)
    found = find_class(str(envelope.get("provider")))
    kind = found.component_type if found else str(envelope.get("component_type") or "component")
    return NOUNS.get(kind, kind.replace("_", " "))


def spoken(key: str, provider: str = "") -> str:
    """A key of a component's config as its form calls it, where it does not begin a sentence."""
    cls = find_class(provider)
    title = title_of_field(cls, key) if cls else ""
    return in_a_sentence(title) if title else key.replace("_", " ")


def quoted_pair(one: JsonValue, other: JsonValue) -> tuple[str, str]:
    """Two values as `quoted` writes them, both in quotes when one of them needs them."""
    needs = any(_needs_quotes(value) for value in (one, other))
    return quoted(one, always=needs), quoted(other, always=needs)


def quoted(value: JsonValue, *, always: bool = False) -> str:
    """A value in about `SHORT` characters; "nothing" where there is none. Text is in quotes where it needs them."""
    if value is None:
        return "nothing"
    if is_component(value):
        return title_of(value)
    if isinstance(value, str):
        text = f"“{value}”" if always or _needs_quotes(value) else value
    elif isinstance(value, bool):
        text = "on" if value else "off"
    else:
        text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHORT + 2 else f"{text[: SHORT - 1]}…"


def _needs_quotes(value: JsonValue) -> bool:
    return isinstance(value, str) and (not value or re.search(r"\s", value) is not None)
