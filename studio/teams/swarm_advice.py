"""What a swarm tells its author: handoffs to nobody, agents that nobody hands over to, and those that keep the word."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from studio.agents import AssistantAgent, ChatAgent, Participant
from studio.components import Advice, walk
from studio.conditions import TerminationCondition
from studio.errors import Finding
from studio.messages import HandoffMessage
from studio.teams.fields import TeamFields

HANDOFF_TO_NOBODY = Advice("handoff_to_nobody", "An agent of a swarm has a handoff to a name that is not in the team.")
NOBODY_HANDS_OVER = Advice("nobody_hands_over", "An agent of a swarm never speaks: no chain of handoffs leads to it.")
KEEPS_THE_WORD = Advice("keeps_the_word", "An agent of a swarm has no handoffs, so it keeps speaking.")


def on_handoffs(participants: Sequence[Participant], condition: TerminationCondition | None) -> Iterator[Finding]:
    """Look through the handoffs; pointers are relative to the team.

    Args:
        participants: Of the swarm; nothing is said of those whose handoffs nobody knows.
        condition: When it stops: a handoff to the user, for one, is no mistake then.
    """
    names = [each.name for each in participants if not each.is_opaque]
    yield from _on_targets(participants, names, _stops_at(condition))
    if len(names) < len(participants) or len(names) < 2:
        return
    ways = {each.name: _targets(each, names) for each in participants}
    reached = _reached(names[0], ways)
    for at, each in enumerate(participants):
        where = f"/config/participants/{at}"
        if each.name not in reached:
            message = f"`{each.name}` never speaks: no handoff leads to it from `{names[0]}`, which speaks first."
            yield NOBODY_HANDS_OVER(message, "Give another agent a handoff to it.", where)
        elif isinstance(each, AssistantAgent) and not each.handoffs:
            message = f"`{each.name}` has no handoffs, so it keeps speaking until the team stops."
            yield KEEPS_THE_WORD(message, "Give it a handoff, unless it should speak last.", where)


def _on_targets(
    participants: Sequence[Participant], names: Sequence[str], stops_at: Sequence[str]
) -> Iterator[Finding]:
    if len(names) < len(participants):
        return
    for at, agent in enumerate(participants):
        if not isinstance(agent, AssistantAgent):
            continue
        for index, handoff in enumerate(agent.handoffs or ()):
            if handoff.target not in names and handoff.target not in stops_at:
                where = f"/config/participants/{at}/config/handoffs/{index}"
                message = f"`{agent.name}` has a handoff to `{handoff.target}`, which is not in the team."
                fix = "Correct the name, or add a stop condition for handoffs to that name."
                yield HANDOFF_TO_NOBODY(message, fix, where)


def _stops_at(condition: TerminationCondition | None) -> Sequence[str]:
    """Names to which a handoff ends the run."""
    if condition is None:
        return ()
    parts = [part for _, part in walk(condition) if isinstance(part, TerminationCondition) and not part.is_opaque]
    return [need.name for part in parts for need in part.needs() if need.kind == "handoff"]


def _targets(agent: Participant, names: Sequence[str]) -> Sequence[str]:
    """To whom it may hand over; one whose handoffs nobody knows, to anybody."""
    if isinstance(agent, AssistantAgent):
        return [handoff.target for handoff in agent.handoffs or ()]
    if isinstance(agent, ChatAgent | TeamFields) and HandoffMessage in agent.produced_message_types:
        return names
    return ()


def _reached(start: str, ways: Mapping[str, Sequence[str]]) -> set[str]:
    found, waiting = {start}, deque([start])
    while waiting:
        for target in ways.get(waiting.popleft(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found
