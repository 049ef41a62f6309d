"""What is written down about a team of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from studio.agents import ChatAgent, Participant
from studio.components import JsonObject
from studio.conditions import TerminationCondition
from studio.messages import BaseChatMessage


class TeamFields(Participant):
    """Name, participants and limits."""

    component_type: ClassVar[str] = "team"
    positional: ClassVar[tuple[str, ...]] = ("participants",)
    foreign: ClassVar[frozenset[str]] = frozenset(("context_variables",))

    name: Annotated[str, Field(title="Name")] = "Team"
    description: Annotated[
        str,
        Field(
            title="Description",
            description="What it can do; read where the team takes part in another one.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = "A team of agents."
    participants: Annotated[
        list[Participant], Field(title="Participants", description="Agents or teams.", examples=[[]])
    ]
    termination_condition: Annotated[
        TerminationCondition | None, Field(title="Stop when", description="Looked at after each turn.")
    ] = None
    max_turns: Annotated[
        int | None,
        Field(title="Turn limit", description="Turns in one run.", json_schema_extra={"minimum": 1}),
    ] = None
    context_variables: Annotated[
        JsonObject | None,
        Field(
            title="Context variables",
            description="What the team remembers by name at its start, as JSON; tools and instructions can use it.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = None
    emit_team_events: Annotated[
        bool,
        Field(
            title="Tell who is chosen",
            description="Give an event for each choice of a speaker.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = False

    @field_validator("name", "description", mode="before")
    @classmethod
    def _null_is_the_default(cls, value: object, info: ValidationInfo) -> object:
        return cls.model_fields[str(info.field_name)].default if value is None else value

    @field_validator("participants")
    @classmethod
    def _names_are_unique(cls, participants: list[Participant]) -> list[Participant]:
        if not participants:
            raise ValueError("At least one participant is required.")
        names = [participant.name for participant in participants if not participant.is_opaque]
        if len(names) != len(set(names)):
            raise ValueError("The participant names must be unique.")
        return participants

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
