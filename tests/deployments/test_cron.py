"""Times of cron expressions, also on the days when clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from studio.deployments.cron import next_times
from studio.errors import ConfigError

BERLIN = "Europe/Berlin"


def told(cron: str, after: str, count: int, zone: str = BERLIN) -> list[str]:
    times = next_times(cron, zone, datetime.fromisoformat(after).replace(tzinfo=UTC), count)
    return [f"{each:%d %H:%M}" for each in times]


def test_a_time_that_clocks_skip_is_the_first_behind_the_gap():
    assert told("30 2 * * *", "2026-03-28T12:00", 3) == ["29 01:00", "30 00:30", "31 00:30"]


def test_a_time_that_clocks_repeat_counts_once_also_one_by_one():
    expected = ["25 00:30", "26 01:30", "27 01:30"]
    assert told("30 2 * * *", "2026-10-24T12:00", 3) == expected
    at, found = datetime(2026, 10, 24, 12, tzinfo=UTC), list[datetime]()
    for _ in range(3):
        [at] = next_times("30 2 * * *", BERLIN, at)
        found.append(at)
    assert [f"{each:%d %H:%M}" for each in found] == expected


def test_what_names_no_hour_goes_on_while_clocks_change():
    half_hours = next_times("*/30 * * * *", BERLIN, datetime(2026, 10, 24, 23, 50, tzinfo=UTC), 6)
    assert {later - earlier for earlier, later in pairwise(half_hours)} == {timedelta(minutes=30)}


def test_names_stand_for_expressions():
    assert told("@daily", "2026-07-01T12:00", 1) == told("0 0 * * *", "2026-07-01T12:00", 1) == ["01 22:00"]
    assert told("0 9 * * mon", "2026-07-01T12:00", 1, "UTC") == ["06 09:00"]


@pytest.mark.parametrize(
    ("cron", "zone", "where"),
    [
        ("60 * * * *", "UTC", "/cron"),
        ("0 0 30 2 *", "UTC", "/cron"),
        ("* * * * * *", "UTC", "/cron"),
        ("", "UTC", "/cron"),
        ("*/0 * * * *", "UTC", "/cron"),
        ("1-0 * * * *", "UTC", "/cron"),
        ("\N{FULLWIDTH DIGIT NINE} * * * *", "UTC", "/cron"),
        ("\ud800 * * * *", "UTC", "/cron"),
        ("1," * 200 + "1 * * * *", "UTC", "/cron"),
        ("0 0 * * 1#9", "UTC", "/cron"),
        ("* * * * *", "", "/zone"),
        ("* * * * *", "Europe", "/zone"),
        ("* * * * *", "../../etc/passwd", "/zone"),
        ("* * * * *", "/etc/localtime", "/zone"),
        ("* * * * *", "a\0b", "/zone"),
        ("* * * * *", "x" * 5000, "/zone"),
    ],
)
def test_what_cannot_be_read_is_told(cron: str, zone: str, where: str):
    with pytest.raises(ConfigError) as caught:
        next_times(cron, zone, datetime(2026, 7, 1, tzinfo=UTC))
    assert caught.value.where == where
