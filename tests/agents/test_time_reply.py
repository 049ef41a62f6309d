"""The agent that tells the time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from studio import effects
from studio.agents import TimeReplyAgent
from studio.components import validate_component
from tests.teams.scripted import CountingWorld, said


class Noon(CountingWorld):
    """A world in which it is always the same time."""

    def now(self) -> datetime:
        return datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "text"), [("UTC", "Tick, tock, the current date/time is 2026-07-01 12:00:00"), ("Asia/Tokyo", "21:00")]
)
async def test_it_answers_with_the_time_of_its_zone_as_one_effect(zone: str, text: str):
    world = Noon()
    with effects.use(world):
        result = await TimeReplyAgent(name="clock", time_zone=zone).run(task="What time is it?")
    assert text in said(result.messages)[-1][1]
    assert world.asked == ["clock"]


async def test_format_and_prefix_are_the_authors():
    with effects.use(Noon()):
        able = TimeReplyAgent(name="clock", time_zone="UTC", date_time_format="%d.%m.%Y", output_prefix="")
        assert said((await able.run(task="?")).messages)[-1] == ("clock", "01.07.2026")


def test_an_unknown_time_zone_is_an_error_at_its_field():
    report = validate_component(
        {"provider": TimeReplyAgent.provider, "config": {"name": "clock", "time_zone": "Mars/Olympus"}}
    )
    assert [error.where for error in report.errors] == ["/config/time_zone"]
