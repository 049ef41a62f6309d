"""Cron expressions in words, as pages and the command line say them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from studio.deployments.cron import FIELDS, NAMES

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MAX_LISTED = 6
"""More than that is no sentence any more."""
_STEP = re.compile(r"\*/([0-9]{1,2})")
_NUMBER = re.compile(r"[0-9]{1,2}")


def describe_cron(cron: str) -> str:
    """When an expression comes, as `Every weekday at 08:30`; "" where words would be no shorter.

    Args:
        cron: One that `next_times` takes.
    """
    fields = NAMES.get(cron.strip(), cron).upper().split()
    if len(fields) != FIELDS:
        return ""
    minute, hour, day, month, weekday = fields
    when, days = _time_words(minute, hour), _day_words(day, month, weekday)
    if not when or not days:
        return ""
    if when.startswith("at "):
        return f"{_capitalized(days)} {when}"
    return _capitalized(when if days == "every day" else f"{when}, {days}")


def _time_words(minute: str, hour: str) -> str:
    minutes, hours = _numbers(minute), _numbers(hour)
    if minutes and hours and len(minutes) * len(hours) <= MAX_LISTED:
        return "at " + _listed([f"{h:02}:{m:02}" for h in hours for m in minutes])
    if hour == "*":
        return _interval(minute, "minute") or (f"every hour at minute {_listed(minutes)}" if minutes else "")
    if len(minutes) == 1 and (step := _interval(hour, "hour")):
        return f"{step} at minute {minutes[0]}"
    if (span := _span(hour)) and (step := _interval(minute, "minute")):
        return f"{step} from {span[0]:02}:00 to {span[-1]:02}:59"
    return ""


def _day_words(day: str, month: str, weekday: str) -> str:
    months = _named(month, MONTHS, first=1)
    if months is None:
        return ""
    during = f" in {_listed(months)}" if months else ""
    if day == "*":
        weekdays = _weekday_words(weekday)
        return weekdays and weekdays + during
    days = ["the last day"] if day == "L" else [f"day {each}" for each in _numbers(day)]
    if not days or weekday != "*" or len(days) > MAX_LISTED:
        return ""
    return f"on {_listed(days)} of {_listed(months) if months else 'every month'}"


def _weekday_words(weekday: str) -> str:
    names = _named(weekday, DAYS, first=0)
    if names is None:
        return ""
    if not names:
        return "every day"
    return "every weekday" if names == list(DAYS[1:6]) else f"every {_listed(names)}"


def _named(field: str, names: Sequence[str], first: int) -> list[str] | None:
    """What a field lists by name; empty for all, None where it says more than a list."""
    if field == "*":
        return []
    for number, name in enumerate(names):
        field = re.sub(rf"\b{name[:3].upper()}\b", str(number + first), field)
    numbers = _span(field) or _numbers(field)
    found = [names[each - first] for each in numbers if 0 <= each - first < len(names)]
    return found if found and len(found) <= MAX_LISTED else None


def _numbers(field: str) -> list[int]:
    parts = field.split(",")
    return sorted({int(each) for each in parts}) if all(_NUMBER.fullmatch(each) for each in parts) else []


def _span(field: str) -> list[int]:
    first, dash, last = field.partition("-")
    if not dash or not _NUMBER.fullmatch(first) or not _NUMBER.fullmatch(last):
        return []
    return [*range(int(first), int(last) + 1)]


def _interval(field: str, unit: str) -> str:
    if field == "*":
        return f"every {unit}"
    step = _STEP.fullmatch(field)
    return f"every {step[1].lstrip('0')} {unit}s" if step and int(step[1]) > 1 and _divides(int(step[1]), unit) else ""


def _divides(step: int, unit: str) -> bool:
    """Else the last interval of an hour or a day is shorter than the others."""
    return (60 if unit == "minute" else 24) % step == 0


def _listed(things: Sequence[object]) -> str:
    *others, last = [str(each) for each in things]
    return f"{', '.join(others)} and {last}" if others else last


def _capitalized(words: str) -> str:
    return words[:1].upper() + words[1:]
