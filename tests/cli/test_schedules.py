"""Schedules from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Typed, written

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]


def test_schedules_are_added_listed_paused_and_removed(typed: Typed, tmp_path: Path):
    typed("deploy", written(tmp_path), "--name", "support")
    assert typed("schedules", "list", "support").out.startswith("No schedules.")
    made = typed("schedules", "add", "support", "0 8 * * 1-5", "Say hello.", "--zone", "Europe/Berlin")
    first, *times = made.out.splitlines()
    schedule = first[:8]
    assert first == f"{schedule}  Every weekday at 08:00, Europe/Berlin"
    assert len(times) == 5
    assert all(re.fullmatch(r" +(Mon|Tue|Wed|Thu|Fri) .*, 08:00", each) for each in times)
    assert "'Say hello.', next " in typed("schedules", "list", "support").out

    assert typed("schedules", "pause", "support", schedule).out == f"The schedule {schedule} is paused.\n"
    [listed] = json.loads(typed("schedules", "list", "support", "--json").out)
    assert (listed["is_on"], listed["next_times"], listed["last"], listed["by"]) == (False, [], None, "command line")
    typed("schedules", "resume", "support", schedule)
    [listed] = json.loads(typed("schedules", "list", "support", "--json").out)
    assert len(listed["next_times"]) == 5
    assert typed("schedules", "remove", "support", listed["id"]).code == 0
    assert json.loads(typed("schedules", "list", "support", "--json").out) == []
    actions = [json.loads(line)["action"] for line in typed("audit", "--who", "command line").out.splitlines()]
    assert actions[2:] == ["add a schedule", "pause a schedule", "resume a schedule", "delete a schedule"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("add", "support", "61 * * * *", "Go."), "is not a cron expression"),
        (("add", "support", "@daily", "Go.", "--zone", "Mars"), "There is no time zone 'Mars'"),
        (("add", "support", "@daily", ""), "A task has 1 to 20,000 characters"),
        (("add", "nothing", "@daily", "Go."), "nothing"),
        (("pause", "support", "0000"), "No schedule of 'support' begins with '0000'"),
        (("remove", "support", ""), "No schedule of 'support'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(typed: Typed, tmp_path: Path, arguments: tuple[str, ...], told: str):
    typed("deploy", written(tmp_path), "--name", "support")
    refused = typed("schedules", *arguments)
    assert refused.code != 0
    assert told in refused.err
    assert "Traceback" not in refused.err
    assert typed("schedules", "list", "support").out.startswith("No schedules.")
