"""Agent files of Letta (`.af`): agents, with their memory blocks and tools, as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from studio.components import JsonObject, parse_document
from studio.errors import InvalidDocument, StudioError
from studio.importers.bundle import MAX_DOCUMENT, Bundle
from studio.importers.findings import Location
from studio.importers.parts import Budget, Part, part_of

MARK = "agent_type"
_UNREAD = ("messages", "in_context_message_ids")
"""Conversations, which can be longer than all else and do not come along."""


@dataclass(frozen=True)
class AgentFile:
    """The document of a file.

    Args:
        root: The whole, without conversations.
        spoken: How many messages of conversations it holds, without system messages.
    """

    root: Part
    spoken: int

    @property
    def agents(self) -> list[Part]:
        """Its agents; a file of before June 2025 is one agent."""
        listed = self.root.get("agents")
        return [self.root] if listed is None else [each for each in listed.all_of() if each.entries is not None]

    def with_ids(self, listed: str, agent: Part, ids: str) -> Iterator[Part]:
        """The blocks or tools of an agent: those that it names by their ids, or has itself."""
        named = agent.get(ids)
        if named is None:
            own = agent.get("core_memory" if listed == "blocks" else listed)
            yield from (each for each in (own.all_of() if own is not None else ()) if each.entries is not None)
            return
        known = {text_of(each, "id"): each for each in (self.root.get(listed) or Part(self.root.place)).all_of()}
        yield from (known[each] for each in dict.fromkeys(part.text for part in named.all_of()) if each in known)


def agent_file(bundle: Bundle) -> AgentFile | None:
    """The first agent file of a bundle; None where it has none.

    Raises:
        StudioError: A file that ends in `.af` is no JSON, or has too many values.
    """
    for name, text in bundle.named(".af", ".json"):
        if MARK not in text:
            continue
        try:
            document = _document(text)
        except StudioError:
            if name.lower().endswith(".af"):
                raise
            continue
        if document is not None:
            without, spoken = _without_messages(document)
            return AgentFile(part_of(without, Location(name), Budget()), spoken)
    return None


def is_letta(bundle: Bundle) -> bool:
    """Whether a bundle has an agent file of Letta.

    Raises:
        StudioError: It has one that cannot be read.
    """
    return agent_file(bundle) is not None


def read_file(bundle: Bundle) -> AgentFile:
    """The agent file of a bundle.

    Raises:
        InvalidDocument: There is none.
    """
    found = agent_file(bundle)
    if found is None or not found.agents:
        raise InvalidDocument("The file holds no agent of Letta.", fix="Choose the `.af` file that Letta exported.")
    return found


def text_of(part: Part, *names: str) -> str:
    found = part.get(*names)
    return found.text if found is not None else ""


def _document(text: str) -> JsonObject | None:
    """The document; some files hold it once more as a text."""
    found = parse_document(text, max_bytes=MAX_DOCUMENT)
    if isinstance(found, str):
        found = parse_document(found, max_bytes=MAX_DOCUMENT)
    if not isinstance(found, dict):
        return None
    agents = found.get("agents")
    if isinstance(agents, list):
        is_of_letta = any(isinstance(each, dict) and MARK in each for each in agents)
        return found if is_of_letta and isinstance(found.get("tools"), list) else None
    return found if MARK in found and isinstance(found.get("core_memory"), list) else None


def _without_messages(document: JsonObject) -> tuple[JsonObject, int]:
    agents = document.get("agents")
    listed = [each for each in agents if isinstance(each, dict)] if isinstance(agents, list) else [document]
    messages = [each for agent in listed for each in _listed(agent.get("messages"))]
    spoken = sum(isinstance(each, dict) and each.get("role") != "system" for each in messages)
    kept = [{name: value for name, value in agent.items() if name not in _UNREAD} for agent in listed]
    if isinstance(agents, list):
        return {**document, "agents": list[JsonValue](kept)}, spoken
    return kept[0], spoken


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
