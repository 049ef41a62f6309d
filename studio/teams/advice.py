"""What a team of any kind tells its author: whether it ends, what its conditions wait for, who is called alike."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from studio.agents import AssistantAgent, ChatAgent, Participant
from studio.components import Advice, Component, JsonObject, walk
from studio.components.templates import unknown_placeholders
from studio.conditions import AndTerminationCondition, OrTerminationCondition, TerminationCondition
from studio.conditions.base import Requirement
from studio.errors import Finding, Fix
from studio.messages import HandoffMessage, StopMessage
from studio.tools import BaseTool, StaticWorkbench, Workbench
from studio.tools.overrides import shown

MAY_RUN_FOREVER = Advice("may_run_forever", "A team has no stop condition that can be met and no turn limit.")
NEVER_MET = Advice(
    "never_met", "A stop condition can never be met: the team lacks its agent, handoff, tool or message."
)
UNKNOWN_NAME = Advice("unknown_name", "A stop condition names several agents, and one of them is not in the team.")
UNHEARD_WORD = Advice(
    "unheard_word",
    "A system message mentions a closing word, but no stop condition looks for it.",
)
SAME_NAME = Advice("same_name", "An agent of a nested team has the same name as another agent.")

QUESTION_LACKS = Advice("question_lacks", "A selector prompt lacks a placeholder, so the model cannot see that part.")
NO_DESCRIPTION = Advice(
    "no_description", "A model selects participants by their descriptions, and one is empty or a duplicate."
)

USUAL_LIMIT = 20
CONDITION = "/config/termination_condition"
# Only words that are written in capitals for this purpose: JSON and HTTP are in capitals, too.
_CLOSING_WORD = re.compile(r"\b(TERMINATE|APPROVED?|DONE|FINISH(?:ED)?|COMPLETED?|STOP|EXIT)\b")


@dataclass(frozen=True, slots=True)
class TeamVocabulary:
    """What the participants of a team can give to its conditions.

    Args:
        names: Who can be the source of a message.
        targets: To whom somebody can hand over.
        tools: Names that can be called; None where nobody knows.
        stops: Whether somebody can send a stop message.
    """

    names: Collection[str]
    targets: Collection[str]
    tools: Collection[str] | None
    stops: bool

    def has(self, need: Requirement) -> bool:
        """Whether what a condition needs can come from them, or nobody knows."""
        match need.kind:
            case "speaker":
                return need.name in self.names
            case "handoff":
                return need.name in self.targets
            case "tool":
                return self.tools is None or need.name in self.tools
            case "stop message":
                return self.stops
            case "program":
                return False


def vocabulary_of(team: Component, participants: Sequence[Participant], *speakers: str) -> TeamVocabulary | None:
    """Who is in a team; None where a part of it is of a kind that nobody knows here.

    Args:
        team: The team.
        participants: Those who take part in it.
        speakers: Who else speaks in it.
    """
    parts = [part for _, part in walk(team) if part is not team]
    if any(part.is_opaque or not part.provider for part in parts):
        return None
    people = [part for part in parts if isinstance(part, Participant)]
    agents = [part for part in people if isinstance(part, ChatAgent)]
    handoffs = [each for part in agents if isinstance(part, AssistantAgent) for each in part.handoffs or ()]
    others = [part for part in agents if not isinstance(part, AssistantAgent)]
    hands_back = any(HandoffMessage in part.produced_message_types for part in others)  # to whoever handed over
    tools = _tools_of(parts, [each.name for each in handoffs])
    names = [*(part.name for part in participants), *(part.name for part in people), "user", *speakers]
    targets = [*(each.target for each in handoffs), *(part.name for part in people if hands_back)]
    return TeamVocabulary(
        names=dict.fromkeys(names),  # in order, and quick to ask
        targets=dict.fromkeys(targets),
        tools=None if tools is None else dict.fromkeys(tools),
        stops=any(StopMessage in part.produced_message_types for part in agents),
    )


def _tools_of(parts: Sequence[Component], handoffs: Sequence[str]) -> Sequence[str] | None:
    names = list(handoffs)
    for part in parts:
        if isinstance(part, BaseTool):
            names.append(part.schema["name"])
        elif isinstance(part, StaticWorkbench):
            names.extend(shown(tool.schema, part.tool_overrides)["name"] for tool in part.tools)
        elif isinstance(part, Workbench) or (isinstance(part, ChatAgent) and part.has_own_tools):
            return None
    return names


def on_ending(
    condition: TerminationCondition | None, max_turns: int | None, cast: TeamVocabulary | None, *, ends_by_itself: bool
) -> Iterator[Finding]:
    """Whether a team ends, and which of its conditions can be met."""
    if condition is not None and not condition.is_opaque:
        yield from _on_conditions(condition, CONDITION, cast)
    if max_turns is not None or ends_by_itself or _can_be_met(condition, cast):
        return
    what = "Nothing ends this team" if condition is None else "No condition of this team can end it"
    limit = Fix(f"Add a limit of {USUAL_LIMIT} messages", *_or_else(condition, _usual_limit()))
    yield MAY_RUN_FOREVER(f"{what}, so it may run forever.", "Add a limit of messages or turns.", CONDITION, [limit])


def _can_be_met(condition: TerminationCondition | None, cast: TeamVocabulary | None) -> bool:
    if condition is None:
        return False
    if condition.is_opaque:
        return True
    if isinstance(condition, AndTerminationCondition):
        return all(_can_be_met(each, cast) for each in condition.conditions)
    if isinstance(condition, OrTerminationCondition):
        return any(_can_be_met(each, cast) for each in condition.conditions)
    return not (needs := condition.needs()) or any(_comes(need, cast) for need in needs)


def _comes(need: Requirement, cast: TeamVocabulary | None) -> bool:
    return need.kind != "program" if cast is None else cast.has(need)


def _usual_limit() -> TerminationCondition:
    from studio.conditions import MaxMessageTermination  # teams that end otherwise do without it

    return MaxMessageTermination(max_messages=USUAL_LIMIT)


def _or_else(
    condition: TerminationCondition | None, other: TerminationCondition
) -> tuple[str, JsonObject | list[JsonObject]]:
    """Where a second condition goes that ends the team as well, and what stands there then."""
    if condition is None:
        return CONDITION, other.dump_component()
    if isinstance(condition, OrTerminationCondition):
        conditions = [each.dump_component() for each in (*condition.conditions, other)]
        return f"{CONDITION}/config/conditions", conditions
    return CONDITION, OrTerminationCondition(conditions=[condition, other]).dump_component()


def on_closing_words(
    participants: Sequence[Participant], condition: TerminationCondition | None, *, ends_by_itself: bool
) -> Iterator[Finding]:
    """Which agents are told to say a word when they are done that the team does not wait for.

    Args:
        participants: Those of the team itself.
        condition: What ends the team.
        ends_by_itself: Whether it may be done without a condition; its own rules may wait for the word.
    """
    from studio.conditions import TextMentionTermination

    parts = [part for _, part in walk(condition)] if condition else []
    if ends_by_itself or any(part.is_opaque for part in parts):
        return
    awaited = [part for part in parts if isinstance(part, TextMentionTermination)]
    for index, agent in enumerate(participants):
        if not isinstance(agent, AssistantAgent) or agent.is_opaque:
            continue
        words = dict.fromkeys(_CLOSING_WORD.findall(agent.system_message or ""))
        heard = [each.text for each in awaited if each.sources is None or agent.name in each.sources]
        if words and not any(text in word for text in heard for word in words):
            word = next(iter(words))
            fix = Fix(f"Stop when {word} is mentioned", *_or_else(condition, TextMentionTermination(text=word)))
            message = f"The system message of `{agent.name}` mentions {word}, but no stop condition looks for it."
            yield UNHEARD_WORD(message, "", f"/config/participants/{index}/config/system_message", [fix])


def _on_conditions(condition: TerminationCondition, where: str, cast: TeamVocabulary | None) -> Iterator[Finding]:
    if isinstance(condition, AndTerminationCondition | OrTerminationCondition):
        for index, each in enumerate(condition.conditions):
            yield from _on_conditions(each, f"{where}/config/conditions/{index}", cast)
        return
    if condition.is_opaque:
        return
    needs = [need for need in condition.needs() if need.kind != "program"]
    missing = [need for need in needs if cast is not None and not cast.has(need)]
    if cast is None or not missing:
        return
    if len(missing) == len(needs):
        yield _never_met(missing[0], where, cast)
    else:
        for need in missing:
            fixes = _other_names(need, where, cast)
            yield UNKNOWN_NAME(f"No agent in this team is named `{need.name}`.", "", f"{where}{need.where}", fixes)


_LACKS = {
    "speaker": "no agent is named `{name}`",
    "handoff": "no agent has a handoff to `{name}`",
    "tool": "no agent has the tool `{name}`",
    "stop message": "no agent sends a stop message",
}


def _never_met(need: Requirement, where: str, cast: TeamVocabulary) -> Finding:
    message = f"This condition can never be met: {_LACKS[need.kind].format(name=need.name)}."
    return NEVER_MET(message, "", f"{where}{need.where}", _other_names(need, where, cast))


def _other_names(need: Requirement, where: str, cast: TeamVocabulary) -> Sequence[Fix]:
    """The name that is most like one that nobody has, or the only one there is."""
    there = {"speaker": cast.names, "handoff": cast.targets, "tool": cast.tools or ()}.get(need.kind, ())
    names = [name for name in there if name != "user"]
    close = difflib.get_close_matches(need.name, names, n=1) or (names if len(names) == 1 else [])
    return [Fix(f"Change it to {name}", f"{where}{need.where}", name) for name in close]


def on_names(participants: Sequence[tuple[str, Participant]]) -> Iterator[Finding]:
    """Whose messages cannot be told apart, since two have one name and not in one team, where that is an error.

    Args:
        participants: Each with its JSON pointer relative to the team.
    """
    seen: dict[str, int] = {}
    for index, (pointer, participant) in enumerate(participants):
        for where, name in _names_within(participant, pointer):
            if seen.setdefault(name, index) != index and where != pointer:
                message = f"The outer team also has an agent `{name}`, so their messages cannot be told apart."
                yield SAME_NAME(message, "Rename one of them.", f"{where}/config/name")


def _names_within(participant: Participant, where: str) -> Iterator[tuple[str, str]]:
    if participant.is_opaque:
        return
    inner = [(place, each) for place, each in participant.children() if isinstance(each, Participant)]
    if not any(place.startswith("/config/participants/") for place, _ in inner):
        yield where, participant.name  # names of teams are headings, and seldom chosen
    for place, each in inner:
        if place.startswith("/config/participants/"):
            yield from _names_within(each, f"{where}{place}")


_QUESTION_PARTS = {
    "roles": ("what each agent does", "The following roles are available:\n{roles}.\n\n", ""),
    "participants": ("the candidates", "", "\n\nSelect the next role from {participants}. Only return the role."),
    "history": ("the conversation", "", "\n\nThe conversation so far:\n{history}"),
}


def on_question(prompt: str, usual: str, participants: Sequence[Participant]) -> Iterator[Finding]:
    """What the question to a selector's model leaves out; it may name the participants itself."""
    named = all(not each.is_opaque and each.name in prompt for each in participants)
    needed = ("history",) if named else ("roles", "participants", "history")
    lacking = [name for name in needed if f"{{{name}}}" not in prompt]
    if not lacking or unknown_placeholders(prompt, tuple(_QUESTION_PARTS)):
        return
    whole = prompt
    for name in reversed(lacking):
        whole = _QUESTION_PARTS[name][1] + whole
    for name in ("history", "participants"):
        whole += _QUESTION_PARTS[name][2] if name in lacking else ""
    places = listed([f"{{{name}}}" for name in lacking])
    unknown = listed([_QUESTION_PARTS[name][0] for name in lacking])
    where = "/config/selector_prompt"
    yield QUESTION_LACKS(
        f"The selector prompt lacks {places}, so the model cannot see {unknown}.",
        "",
        where,
        [Fix(f"Insert {places}", where, whole), Fix("Use the default prompt", where, usual)],
    )


def listed(words: Sequence[str]) -> str:
    """A few things in a sentence: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def on_descriptions(participants: Sequence[Participant]) -> Iterator[Finding]:
    """Whom a model cannot choose by what they can do."""
    known = [(index, each) for index, each in enumerate(participants) if not each.is_opaque]
    if len(known) < 2:
        return
    counts = Counter(each.description.strip() for _, each in known)
    for index, each in known:
        text = each.description.strip()
        where = f"/config/participants/{index}/config/description"
        if not text:
            message = f"`{each.name}` has no description; the model selects speakers by their descriptions."
            yield NO_DESCRIPTION(message, "Describe what it does.", where)
        elif counts[text] > 1:
            message = (
                f"`{each.name}` has the same description as another participant; the model selects by descriptions."
            )
            yield NO_DESCRIPTION(message, "Describe what only it does.", where)
