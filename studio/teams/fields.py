"""What is written down about a team of any kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Annotated, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from studio.agents import ChatAgent, Participant
from studio.components import JsonObject, errors_at
from studio.conditions import TerminationCondition
from studio.errors import Finding, Fix
from studio.messages import BaseChatMessage

_NUMBERS = {2: "two", 3: "three"}


TeamName = Annotated[
    str,
    Field(description="Name used when this team is nested in another team.", json_schema_extra={"x-advanced": True}),
]


class TeamFields(Participant):
    """Name, participants and limits."""

    component_type: ClassVar[str] = "team"
    positional: ClassVar[tuple[str, ...]] = ("participants",)
    foreign: ClassVar[frozenset[str]] = frozenset(("context_variables",))

    name: TeamName = "Team"
    description: Annotated[
        str,
        Field(
            description="What this team does. Shown to other agents when it is nested.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = "A team of agents."
    participants: Annotated[list[Participant], Field(description="Agents or teams.", examples=[[]])]
    termination_condition: Annotated[
        TerminationCondition | None, Field(description="Stops the team. Checked after every turn.")
    ] = None
    max_turns: Annotated[
        int | None,
        Field(description="Upper bound on the turns of one run. Empty: no limit.", json_schema_extra={"minimum": 1}),
    ] = None
    context_variables: Annotated[
        JsonObject | None,
        Field(
            description="Initial values by name, as JSON. Tools and system messages can use them.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = None
    emit_team_events: Annotated[
        bool,
        Field(description="Emit an event each time a speaker is selected.", json_schema_extra={"x-advanced": True}),
    ] = False

    @field_validator("name", "description", mode="before")
    @classmethod
    def _nothing_is_the_default(cls, value: object, info: ValidationInfo) -> object:
        return cls.model_fields[str(info.field_name)].default if value in (None, "") else value

    @field_validator("participants")
    @classmethod
    def _names_are_unique(cls, participants: list[Participant]) -> list[Participant]:
        if not participants:
            raise ValueError("At least one participant is required.")
        names = ["" if participant.is_opaque else participant.name for participant in participants]
        uses = Counter(names)
        free = {name: _free_name(name, uses) for name, times in uses.items() if name and times > 1}
        shared = [_shared_name(at, name, free[name], uses[name]) for at, name in enumerate(names) if name in free]
        if shared:
            raise errors_at(shared)
        return participants

    @property
    def ends_by_itself(self) -> bool:
        """Whether this kind of team comes to an end without condition and limit."""
        return False

    def advice(self) -> Iterator[Finding]:
        from studio.teams.advice import on_closing_words, on_ending, on_names, vocabulary_of  # a run gives no advice

        cast = vocabulary_of(self, self.participants)
        yield from on_ending(self.termination_condition, self.max_turns, cast, ends_by_itself=self.ends_by_itself)
        ends_by_itself = self.ends_by_itself or self.max_turns is not None
        yield from on_closing_words(self.participants, self.termination_condition, ends_by_itself=ends_by_itself)
        yield from on_names([(f"/config/participants/{at}", each) for at, each in enumerate(self.participants)])

    @property
    def participant_names(self) -> list[str]:
        """The names of the participants, in order."""
        return [participant.name for participant in self.participants]

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        """Kinds of messages that somebody in it may answer with."""
        kinds: dict[type[BaseChatMessage], None] = {}
        for participant in self.participants:
            if isinstance(participant, TeamFields | ChatAgent) and not participant.is_opaque:
                kinds.update(dict.fromkeys(participant.produced_message_types))
        return tuple(kinds)


def _free_name(name: str, taken: Mapping[str, int]) -> str:
    return next(new for number in count(2) if (new := f"{name}_{number}") not in taken)


def _shared_name(index: int, name: str, free: str, times: int) -> Finding:
    """What is said at each of those of one name: nobody knows which of them was meant to have it."""
    where = f"/{index}/config/name"
    fix = f"There are {_NUMBERS.get(times, times)} called `{name}`; rename one of them."
    message = "The participant names must be unique."
    return Finding("duplicate_name", message, fix, where, (Fix(f"Rename to {free}", where, free),))
