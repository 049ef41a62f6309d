"""When a team stops: the base of conditions, and how two of them are joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, PrivateAttr

from studio import messages
from studio.components import Advice, Component, JsonObject, Warn
from studio.messages import BaseMessage, StopMessage

if TYPE_CHECKING:
    from studio.messages import ConditionProgress

Join = Literal["and", "or"]
MET_BY_TASK = Advice("met_by_task", "The task itself meets a condition, so no agent speaks.")


class TerminatedException(RuntimeError):
    """Raised when a condition that has fired is asked again before it was reset."""


class Count(NamedTuple):
    """How far something that is counted is: `done` of `limit`, in `unit`."""

    done: float
    limit: float
    unit: str

    def __str__(self) -> str:
        return f"{messages.figures(self.done)} of {messages.figures(self.limit)} {self.unit}"

    def progress(self, where: str, in_words: str, *, within: Sequence[Join] = ()) -> ConditionProgress:
        """The same as pages get it; it has fired when the limit is reached."""
        return messages.ConditionProgress(
            where=where,
            within=tuple(within),
            in_words=in_words,
            so_far=str(self),
            done=self.done,
            limit=self.limit,
            unit=self.unit,
            has_fired=self.done >= self.limit,
        )


class Requirement(NamedTuple):
    """Something without which a condition is never met.

    Args:
        kind: That somebody of a name speaks, that somebody hands over to it, that a tool is called, that a stop
            message is sent, or that a program outside says so.
        name: Of whom or what; empty where there is none.
        where: JSON pointer relative to the condition.
    """

    kind: Literal["speaker", "handoff", "tool", "stop message", "program"]
    name: str = ""
    where: str = ""


class TerminationCondition(Component):
    """Watches what is said and tells when the team must stop.

    It is shown the messages since the last time it was asked, and answers with a stop message or nothing. Once it has
    fired it must be reset. Its counts are run-time state: they are never part of the config.
    """

    component_type: ClassVar[str] = "termination"

    _fired: bool = PrivateAttr(default=False)

    @property
    def terminated(self) -> bool:
        """Whether it has fired and was not reset since."""
        return self._fired

    async def start(self) -> None:
        """Told when a run begins; a clock starts here."""

    async def __call__(self, messages: Sequence[BaseMessage]) -> StopMessage | None:
        """Say whether the team must stop.

        Args:
            messages: What was said and what happened since the last call, oldest first.

        Raises:
            TerminatedException: It has fired already.
        """
        if self.terminated:
            raise TerminatedException("Termination condition has already been reached")
        reason = await self.check(messages)
        if reason is None:
            return None
        self._fired = True
        return StopMessage(content=reason, source=type(self).__name__)

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        """Count the new messages; the reason to stop, or None. Each condition says how."""
        raise NotImplementedError

    async def reset(self) -> None:
        """Forget everything seen."""
        self._fired = False

    def needs(self) -> Sequence[Requirement]:
        """What must be in the team for it ever to be met; one of them is enough, and without any it always can be."""
        return ()

    def describe(self) -> str:
        """Complete the sentence "Stop when …" for a person."""
        return f"{type(self).__name__} says so"

    def counts(self) -> Iterator[Count]:
        """How far it is, where that can be counted."""
        yield from ()

    def so_far(self) -> str:
        """Where it cannot be counted: whether what it waits for has come, for a person."""
        return "has come" if self.terminated else "not yet"

    def progress(self, where: str = "", within: Sequence[Join] = ()) -> Iterator[ConditionProgress]:
        """How far it is; of joined ones each. Costs the same however long the run is.

        Args:
            where: JSON pointer to it.
            within: How the conditions around it are joined, from the outside in.
        """
        is_counted = False
        for count in self.counts():
            is_counted = True
            yield count.progress(where, self.describe(), within=within)
        if not is_counted:
            yield messages.ConditionProgress(
                where=where,
                within=tuple(within),
                in_words=self.describe(),
                so_far=self.so_far(),
                has_fired=self.terminated,
            )

    def progress_json(self, where: str = "", within: tuple[Join, ...] = ()) -> list[str]:
        """What `progress` gives, each as JSON text: wanted after each turn of a run that is logged."""
        in_words = self.describe()
        counted = [messages.counted_json(where, within, in_words, count) for count in self.counts()]
        return counted or [messages.uncounted_json(where, within, in_words, self.so_far(), self.terminated)]

    def __and__(self, other: TerminationCondition) -> AndTerminationCondition:
        return AndTerminationCondition(conditions=[self, other])

    def __or__(self, other: TerminationCondition) -> OrTerminationCondition:
        return OrTerminationCondition(conditions=[self, other])


class _Combined(TerminationCondition):
    """Several conditions as one."""

    without_any: ClassVar[str] = ""
    """What it does when it joins nothing."""
    joined_by: ClassVar[Join]

    conditions: Annotated[
        list[TerminationCondition],
        Field(description="Conditions to join, in order.", examples=[[]]),
    ]

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        if config.get("conditions") == []:
            warn(f"Without conditions this {cls.without_any}.", "/conditions")
        return config

    @classmethod
    def _name_arguments(cls, args: Sequence[Any], data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "conditions": list(args)} if args else data

    async def start(self) -> None:
        for condition in self.conditions:
            await condition.start()

    async def reset(self) -> None:
        for condition in self.conditions:
            await condition.reset()

    def progress(self, where: str = "", within: Sequence[Join] = ()) -> Iterator[ConditionProgress]:
        for index, condition in enumerate(self.conditions):
            yield from condition.progress(f"{where}/config/conditions/{index}", (*within, self.joined_by))

    def progress_json(self, where: str = "", within: tuple[Join, ...] = ()) -> list[str]:
        states: list[str] = []
        for index, condition in enumerate(self.conditions):
            states += condition.progress_json(f"{where}/config/conditions/{index}", (*within, self.joined_by))
        return states

    def describe(self) -> str:
        parts = [
            f"({part.describe()})" if isinstance(part, _Combined) and len(part.conditions) > 1 else part.describe()
            for part in self.conditions
        ]
        return f" {self.joined_by} ".join(parts)


class AndTerminationCondition(_Combined):
    """Stop when all of these conditions have fired, at the same time or one after another."""

    provider = "autogen_agentchat.base.AndTerminationCondition"
    aliases = (
        "autogen_agentchat.base._termination.AndTerminationCondition",
        "studio.conditions.AndTerminationCondition",
    )

    without_any: ClassVar[str] = "ends every run before it begins"
    joined_by: ClassVar[Join] = "and"

    _reasons: list[StopMessage] = PrivateAttr(default_factory=list[StopMessage])

    @property
    def terminated(self) -> bool:
        return all(condition.terminated for condition in self.conditions)

    async def __call__(self, messages: Sequence[BaseMessage]) -> StopMessage | None:
        if self.terminated:
            raise TerminatedException("Termination condition has already been reached.")
        waiting = [condition for condition in self.conditions if not condition.terminated]
        answers = [await condition(messages) for condition in waiting]
        self._reasons.extend(answer for answer in answers if answer is not None)
        return None if None in answers else _join(self._reasons)

    async def reset(self) -> None:
        await super().reset()
        self._reasons.clear()


class OrTerminationCondition(_Combined):
    """Stop when any of these conditions fires."""

    provider = "autogen_agentchat.base.OrTerminationCondition"
    aliases = ("autogen_agentchat.base._termination.OrTerminationCondition", "studio.conditions.OrTerminationCondition")
    without_any: ClassVar[str] = "never stops anything"
    joined_by: ClassVar[Join] = "or"

    @property
    def terminated(self) -> bool:
        return any(condition.terminated for condition in self.conditions)

    async def __call__(self, messages: Sequence[BaseMessage]) -> StopMessage | None:
        if self.terminated:
            raise TerminatedException("Termination condition has already been reached")
        # All are asked, so that the reason names every one that fired and all counts stay right.
        answers = [await condition(messages) for condition in self.conditions]
        reasons = [answer for answer in answers if answer is not None]
        return _join(reasons) if reasons else None


def _join(reasons: Sequence[StopMessage]) -> StopMessage:
    content = ", ".join(reason.content for reason in reasons)
    return StopMessage(content=content, source=", ".join(reason.source for reason in reasons))
