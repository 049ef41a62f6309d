"""Explanations as JSON text, for a log that gets two of them with each turn: no event is made and dumped for these.

The text is what `Explanation.dump_json` gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pydantic_core import PydanticSerializationError, to_json

from studio.messages.explanations import Explanation

Frame = tuple[str, str]
"""What stands before and after the time of an explanation."""

_MAX_KEPT = 1_000
"""Names, words and such that are the same in turn after turn."""


def frame_of(event: Explanation) -> Frame | None:
    """All of an explanation but its time; None where it holds half a character."""
    try:
        text = event.dump_json()
    except PydanticSerializationError:
        return None
    time = to_json(event.created_at).decode()
    before, found, after = text.partition(f'"created_at":{time}')
    return f"{before}{found.removesuffix(time)}", after


def progress_json(source: str, team: str, time: str, conditions: Sequence[str], stop_reason: str | None) -> str:
    """A `TerminationProgressEvent` of that time, with conditions that are JSON already."""
    before, after = _progress_frame(source, team)
    reason = "" if stop_reason is None else f',"stop_reason":{_quoted(stop_reason)}'
    return f'{before}{time}{after}{",".join(conditions)}]{reason},"type":"TerminationProgressEvent"}}'


@lru_cache(_MAX_KEPT)
def _progress_frame(source: str, team: str) -> Frame:
    return f'{{"source":{_quoted(source)},"created_at":', f',"team":{_quoted(team)},"path":[],"conditions":['


@lru_cache(_MAX_KEPT)
def uncounted_json(where: str, within: tuple[str, ...], in_words: str, so_far: str, has_fired: bool) -> str:
    """A `ConditionProgress` of what cannot be counted."""
    fired = "true" if has_fired else "false"
    return f'{_condition(where, within, in_words)}{_quoted(so_far)},"unit":"","has_fired":{fired}}}'


def counted_json(where: str, within: tuple[str, ...], in_words: str, count: tuple[float, float, str]) -> str:
    """A `ConditionProgress` of what is counted: so much of so many of what."""
    done, limit, unit = count
    before, between, after = _count_frame(where, within, in_words, limit, unit)
    has_fired = "true" if done >= limit else "false"
    return f"{before}{figures(done)}{between}{float(done)}{after}{has_fired}}}"


@lru_cache(_MAX_KEPT)
def _count_frame(where: str, within: tuple[str, ...], in_words: str, limit: float, unit: str) -> tuple[str, str, str]:
    between = _quoted(f" of {figures(limit)} {unit}").removeprefix('"')
    after = f',"limit":{_number(limit)},"unit":{_quoted(unit)},"has_fired":'
    return f'{_condition(where, within, in_words)}"', f'{between},"done":', after


def figures(value: float) -> str:
    """A number for a person: `1,310`, or `12.5` where there is more than a whole number."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}".removesuffix(".0")


def _condition(where: str, within: tuple[str, ...], in_words: str) -> str:
    joins = to_json(within).decode()
    return f'{{"where":{_quoted(where)},"within":{joins},"in_words":{_quoted(in_words)},"so_far":'


def _number(value: float) -> str:
    return to_json(float(value), inf_nan_mode="null").decode()


def _quoted(text: str) -> str:
    try:
        return to_json(text).decode()
    except PydanticSerializationError:  # half a character
        return to_json(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")).decode()
