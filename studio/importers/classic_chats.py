"""A script or notebook of AutoGen 0.2 or AG2 as a team: the first chat that it begins."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.components import JsonObject
from studio.components.python_text import bounded_together
from studio.errors import InvalidDocument
from studio.importers.bundle import Bundle
from studio.importers.classic_agents import AgentMaker
from studio.importers.classic_patterns import PatternMaker
from studio.importers.classic_script import KNOWN, PACKAGES, ClassicAgent, ClassicScript, receiver
from studio.importers.classic_teams import CHAT_SETTINGS, MANAGERS, TeamMaker
from studio.importers.classic_tools import make_plain
from studio.importers.findings import NO_SETTING, Imported, Report
from studio.importers.finishing import finished
from studio.importers.python_script import PythonScript, called

SOURCE = "autogen-0.2"
_PAIR = ("initiate_chat", "a_initiate_chat")
_SEQUENCE = ("initiate_chats", "a_initiate_chats")
_PATTERN = (
    "initiate_group_chat",
    "a_initiate_group_chat",
    "run_group_chat",
    "a_run_group_chat",
    "initiate_swarm_chat",
    "a_initiate_swarm_chat",
)
_ALONE = ("generate_reply", "a_generate_reply", "run", "a_run")
_SENDING = ("send", "a_send")
_CHATS = (*_PAIR, *_SEQUENCE, *_PATTERN, *_ALONE, *_SENDING)


@dataclass(frozen=True)
class _Chat:
    """A chat that a script begins.

    Args:
        sender: None where a pattern or a function begins it.
        recipient: An expression for an agent or a manager.
    """

    call: ast.Call
    given: Mapping[str, ast.expr]
    sender: ClassicAgent | None
    recipient: ast.expr | None


def is_classic(bundle: Bundle) -> bool:
    """Whether a bundle has a script or notebook with agents of AutoGen 0.2 or AG2."""
    texts = [text for _, text in bundle.named(".py", ".ipynb")]
    words = (*KNOWN, "GroupChat", "Pattern", "autogen.")
    if not any(package in text and any(word in text for word in words) for text in texts for package in PACKAGES):
        return False
    with bounded_together():
        return PythonScript(bundle).imports_from(*PACKAGES)


def import_classic(bundle: Bundle) -> Imported:
    """The team of the first chat of a script.

    Raises:
        InvalidDocument: It has no agent.
    """
    report = Report()
    script = PythonScript(bundle)
    classic = ClassicScript(script)
    if not classic.agents:
        raise InvalidDocument(
            "The files hold no agent.", fix="Choose the script or notebook in which the agents are made."
        )
    for place in script.unread:
        report.add("dropped", place, "Cell of the notebook", "It is not Python.")
    results = make_plain(classic)
    agents = AgentMaker(classic, report)
    teams = TeamMaker(classic, agents, report)
    chats = _chats(classic, agents.registrations.functions)
    if chats:
        team = _team(chats[0], teams, PatternMaker(classic, teams, report, results), report)
        _report_settings(chats[0], classic, report)
        _report_task(chats[0], classic, report)
        _report_others(chats, classic, report)
    else:
        team = _without_chat(classic, teams, report)
    _report_unused(classic, agents, report)
    _report_names(classic, agents, report)
    return finished(SOURCE, team, report)


def _chats(classic: ClassicScript, tools: set[str]) -> list[_Chat]:
    """Chats in the order of the script; those of functions that models call come last."""
    inner = {
        id(node)
        for name in tools
        if name in classic.script.functions
        for node in ast.walk(classic.script.functions[name])
    }
    found: list[_Chat] = []
    for call in classic.calls(*_CHATS):
        given, sender = classic.arguments(call), classic.agent_of(receiver(call))
        name = called(call)
        if name in _PATTERN or name in _SEQUENCE:
            found.append(_Chat(call, given, sender, None))
        elif name in _PAIR or name in _SENDING:
            at = 1 if name in _SENDING else 0
            recipient = given.get("recipient") or (call.args[at] if len(call.args) > at else None)
            is_known = classic.agent_of(recipient) is not None or classic.call_of(recipient, *MANAGERS) is not None
            is_question = name in _PAIR or "request_reply" in given
            if is_known and is_question and (sender is not None or name in _PAIR):
                found.append(_Chat(call, given, sender, recipient))
        elif sender is not None:
            found.append(_Chat(call, given, sender, receiver(call)))
    return sorted(found, key=lambda each: id(each.call) in inner)


def _team(chat: _Chat, teams: TeamMaker, patterns: PatternMaker, report: Report) -> JsonObject:
    classic = teams.classic
    if called(chat.call) in _PATTERN:
        return patterns.team(chat.call)
    if called(chat.call) in _SEQUENCE:
        listed = chat.given.get("chat_queue") or next(iter(chat.call.args), None)
        return teams.sequence(chat.sender, classic.items(listed) or (), chat.call)
    manager = classic.call_of(chat.recipient, *MANAGERS)
    if manager is not None:
        return teams.group(manager, chat.sender)
    recipient = classic.agent_of(chat.recipient)
    assert recipient is not None, "only chats with an agent or a manager are taken"
    if chat.sender is None:
        why = "The agent that begins the chat cannot be read, so the other one answers alone."
        report.add("asked", classic.script.place(chat.call), "Chat", why, fix="Add the agent that begins it.")
    if chat.sender is None or chat.sender is recipient or called(chat.call) in _SENDING:
        if chat.sender is not None and chat.sender is not recipient:
            teams.agents.used.add(chat.sender)
        return teams.alone([recipient])
    return teams.pair(chat.sender, recipient, chat.given)


def _without_chat(classic: ClassicScript, teams: TeamMaker, report: Report) -> JsonObject:
    """The team of a script that begins no chat: its group chat, or its agents in a row."""
    manager = next(classic.calls(*MANAGERS), None)
    society = next((agent for agent in classic.agents if agent.kind == "SocietyOfMindAgent"), None)
    place = classic.place(classic.agents[0])
    if society is not None:
        return teams.alone([society])
    why = "The files begin no chat that can be read."
    if manager is not None:
        report.add("approximated", place, "Chat", f"{why} The team is their group chat.")
        return teams.group(manager, None)
    if len(classic.agents) > 1:
        report.add("asked", place, "Chat", f"{why} The agents answer once each.", fix="Set who speaks after whom.")
    return teams.alone(classic.agents)


# --- what the report tells of chats ---


def _report_settings(chat: _Chat, classic: ClassicScript, report: Report) -> None:
    """Say which arguments of a chat have no effect here."""
    if called(chat.call) not in _PAIR:
        return
    for name, node in chat.given.items():
        if name not in CHAT_SETTINGS:
            report.add("dropped", classic.script.place(node), f"`{name}` of the chat", NO_SETTING)


def _report_task(chat: _Chat, classic: ClassicScript, report: Report) -> None:
    """Say with which text to begin a run."""
    node = chat.given.get("message") or chat.given.get("messages")
    if node is None and called(chat.call) in _SENDING:
        node = next(iter(chat.call.args), None)
    if node is None or called(chat.call) in _SEQUENCE:
        return
    text = classic.script.text(node)
    shown = text.value if not text.unknown else "the text that the script makes there"
    why = "A team has no message of its own. It comes with each run."
    report.add("dropped", classic.script.place(node), "First message", why, fix=f"Begin a run with: {shown.strip()}")
    method = chat.given.get("summary_method")
    if method is not None and classic.text_or_none(method) != "last_msg":
        why = "A run has no summary. Its result is the last message."
        report.add("dropped", classic.script.place(method), "Summary of the chat", why)


def _report_others(chats: Sequence[_Chat], classic: ClassicScript, report: Report) -> None:
    """Say which further chats are not imported."""
    first = chats[0]
    for chat in chats[1:]:
        place, what = classic.script.place(chat.call), f"Chat `{called(chat.call)}`"
        is_same = chat.sender is first.sender and _is_same(chat.recipient, first.recipient, classic)
        if is_same and chat.sender is not None:
            node = chat.given.get("message")
            text = classic.script.text(node) if node is not None else None
            shown = text.value.strip() if text is not None and not text.unknown else "its message"
            report.add("dropped", place, what, "The same agents have another chat.", fix=f"Begin a run with: {shown}")
            continue
        why = "Only the first chat of the files is imported."
        report.add("asked", place, what, why, fix="Put it into a file of its own, and import that.")


def _is_same(one: ast.expr | None, other: ast.expr | None, classic: ClassicScript) -> bool:
    if one is None or other is None:
        return False
    agents = classic.agent_of(one), classic.agent_of(other)
    if agents[0] is not None:
        return agents[0] is agents[1]
    return classic.call_of(one, *MANAGERS) is classic.call_of(other, *MANAGERS)


def _report_unused(classic: ClassicScript, agents: AgentMaker, report: Report) -> None:
    """Say which agents are in no part of the team."""
    for agent in classic.agents:
        if agent not in agents.used:
            why = "The first chat of the files does not lead to it."
            what = f"Agent “{classic.label(agent)}”"
            report.add("asked", classic.place(agent), what, why, fix="Import it in a file of its own.")


def _report_names(classic: ClassicScript, agents: AgentMaker, report: Report) -> None:
    """Say where instructions name an agent by a name that it no longer has."""
    nodes = [
        agent.given[name] for agent in agents.used for name in ("system_message", "description") if name in agent.given
    ]
    texts = "\n".join({classic.script.text(node).value for node in nodes})
    for agent in classic.agents:
        label = classic.label(agent)
        if agent in agents.used and agents.name(agent) != label and label in texts:
            why = f"Its name is {agents.name(agent)} here. Instructions or descriptions still name it as before."
            what, fix = f"Name “{label}”", "Change the name in these texts."
            report.add("approximated", classic.place(agent), what, why, fix=fix, became=agents.name(agent))
