"""What a team asks to be allowed, in sentences for people who do not program."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from studio.components import Capability, JsonObject
from studio.components.manifest import Group, Item, Risk

GROUP_TITLES: Mapping[Group, str] = {
    "code": "Code",
    "programs": "Programs",
    "network": "Network",
    "secrets": "Secrets",
    "files": "Files",
    "knowledge": "Knowledge",
    "money": "Money",
}
GLYPHS: Mapping[Group, str] = {
    "code": "file-code",
    "programs": "terminal",
    "network": "globe",
    "secrets": "key-round",
    "files": "folder-open",
    "knowledge": "scroll-text",
    "money": "coins",
}
RISKS: Mapping[Risk, str] = {"high": "High risk", "medium": "Some risk", "low": "Low risk"}
_LACKING: Mapping[Group, str] = {
    "code": "run Python",
    "programs": "start programs",
    "network": "connect to services",
    "secrets": "use secrets",
    "files": "read or write files",
    "money": "spend money",
}
MAX_NAMED = 3
_HTTPS = re.compile(r"https://([^\s/:]+|\[[^\]]+\]):443\b")


@dataclass(frozen=True, slots=True)
class Summary:
    """What a team could do, and what it does not ask for; the second is "" when it asks for everything."""

    could: str
    lacks: str


def plain(text: str) -> str:
    """A sentence without what only programmers read: a usual address is its host."""
    return _HTTPS.sub(r"\1", text)


def summary_of(items: Sequence[Item], subject: str) -> Summary:
    """The first sentences of the page.

    Args:
        items: Everything that is asked for.
        subject: "This team", "This gallery".
    """
    by_group = _by_group(items)
    if not by_group:
        return Summary(f"{subject} needs no permissions. Its agents only exchange messages.", "")
    could = _could(by_group)
    untold = {"money", *(["files"] if "programs" in by_group else [])}  # a program says itself what it may read
    lacking = [words for group, words in _LACKING.items() if group not in by_group and group not in untold]
    lacks = f"It does not ask to {listed(lacking, 'or')}." if lacking else ""
    return Summary(f"{subject} can {listed(could)}.", lacks)


def asked_for(missing: Sequence[Capability]) -> JsonObject:
    """What a run lacks, for the dialog that asks for it: `could` goes on after "This team can"; a line for each group.

    `connections` are the hashes of what models are reached by, which a person may allow once for all teams.
    """
    by_group = _by_group([Item(each, ()) for each in missing])
    groups: list[JsonValue] = [
        {
            "group": group,
            "glyph": GLYPHS[group],
            "title": GROUP_TITLES[group],
            "words": listed(_phrases(group, by_group[group])),
            "hashes": [item.hash for item in by_group[group]],
        }
        for group in GROUP_TITLES
        if group in by_group
    ]
    connections: list[JsonValue] = [each.hash for each in missing if each.is_connection]
    return {"could": listed(_could(by_group)), "groups": groups, "connections": connections}


def _by_group(items: Sequence[Item]) -> dict[Group, list[Item]]:
    by_group: dict[Group, list[Item]] = {}
    for item in items:
        by_group.setdefault(item.group, []).append(item)
    return by_group


def _could(by_group: Mapping[Group, Sequence[Item]]) -> list[str]:
    could = [phrase for group in GROUP_TITLES for phrase in _phrases(group, by_group.get(group, []))]
    if by_group.get("money") and _hosts_of(by_group["money"]) == _hosts_of(by_group.get("network", [])):
        could[-1] = "spend money there"
    return could


def listed(words: Sequence[str], last: str = "and") -> str:
    """ "a, b and c"."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def consequence_of(item: Item) -> str:
    """What allowing a thing means."""
    match item.capability.kind:
        case "python":
            return "When an agent uses the tool, this code runs on this computer with arguments that the model chooses."
        case "process" if item.capability.is_open:
            return "Code that a model writes during the run is executed without review."
        case "process" if item.capability.has_own_network:
            return "This program starts on this computer when the team runs and has its own network access."
        case "process":
            return "This program starts on this computer when the team runs."
        case "host" if item.capability.is_open:
            return "A model decides during the run what to do there, without review."
        case "host" if item.is_near:
            return "This is a machine in your own network, or this computer."
        case "host":
            return "Agents can send what they read and write there. The responses can influence them."
        case "secret" if "Python source" in item.capability.detail:
            return "The code receives the value. Agents and models do not see it unless the code reveals it."
        case "secret":
            return "The service or program receives the value. Agents and models do not see it."
        case "file" | "knowledge":
            return "The contents of these files can become part of the conversation and of prompts."
        case "spend":
            return "The service charges your account for each reply. Set a budget to limit the cost."


def _phrases(group: Group, items: Sequence[Item]) -> list[str]:
    if not items:
        return []
    match group:
        case "code":
            return [f"run {_count(len(items), 'piece')} of Python on this computer"]
        case "programs":
            return _program_phrases(items)
        case "network":
            return _network_phrases(items)
        case "secrets":
            names = list(dict.fromkeys(item.capability.detail.partition(" ")[0] for item in items))
            return [f"use the secret {names[0]}" if len(names) == 1 else f"use {len(names)} of your secrets"]
        case "files":
            return [f"read or write files in {_count(len(items), 'place')}"]
        case "knowledge":
            return [f"read the knowledge base{'s' if len(items) > 1 else ''} {_named(_details(items), 'base')}"]
        case "money":
            places = _hosts_of(items)
            return [f"spend money at {_named(places, 'service')}" if places else "spend money"]


def _program_phrases(items: Sequence[Item]) -> list[str]:
    fixed = [item for item in items if not item.capability.is_open]
    phrases = ["run any code that its models write"] if len(fixed) < len(items) else []
    return [*phrases, *([f"start {_count(len(fixed), 'program')}"] if fixed else [])]


def _network_phrases(items: Sequence[Item]) -> list[str]:
    fixed = [item for item in items if not item.capability.is_open]
    hosts = _hosts_of(fixed)
    unnamed = sum(1 for item in fixed if not item.hosts)
    phrases = ["open web pages of its choice"] if len(fixed) < len(items) else []
    if hosts:
        phrases.append(f"connect to {_named(hosts, 'other service')}")
    return [*phrases, *([f"connect to {_count(unnamed, 'other service')}"] if unnamed else [])]


def _hosts_of(items: Sequence[Item]) -> list[str]:
    return list(dict.fromkeys(_short(host) for item in items for host in item.hosts))


def _details(items: Sequence[Item]) -> list[str]:
    return list(dict.fromkeys(item.capability.detail for item in items))


def _named(names: Sequence[str], noun: str) -> str:
    if len(names) <= MAX_NAMED:
        return listed(names)
    return listed([*names[: MAX_NAMED - 1], f"{len(names) - MAX_NAMED + 1} more {noun}s"])


def _short(host: str) -> str:
    return host.removesuffix(":443").removesuffix(":80")


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
