"""What each message of a run cost: the calls that led to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from studio.store import Cost, Step


class MessageCost(Cost):
    """What led to a message, since the one before it of the same agent."""

    seq: int
    agent: str


def messages_of(steps: Sequence[Step]) -> list[MessageCost]:
    """What led to each message: the calls of its agent since its message before, and those of nobody who speaks."""
    speakers = {step.source for step in steps if step.kind == "message"}
    waiting: dict[str, Counter[str]] = {}
    messages: list[MessageCost] = []
    for step in steps:
        if step.kind == "effect":
            agent = str(step.spent.get("agent", ""))
            waiting.setdefault(agent if agent in speakers else "", Counter()).update(_numbers_of(step))
        else:
            taken = waiting.pop(step.source, Counter()) + waiting.pop("", Counter())
            messages.append(MessageCost(seq=step.seq, agent=step.source, **taken))
    return messages


def _numbers_of(step: Step) -> dict[str, int]:
    """What a call took, by the fields of `Cost`."""
    if not step.spent:
        return {}
    numbers = {name: value for name in Cost.model_fields if isinstance(value := step.spent.get(name), int)}
    is_unpriced = "micro_usd" in step.spent and step.spent["micro_usd"] is None
    return {**numbers, "calls": 1, "unpriced_calls": int(is_unpriced)}


def total_of(costs: Iterable[Cost]) -> Cost:
    """The sum of several."""
    added = list(costs)
    return Cost.model_validate({name: sum(getattr(cost, name) for cost in added) for name in Cost.model_fields})
