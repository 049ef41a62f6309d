"""What cron expressions mean, in words."""

from __future__ import annotations

import pytest

from studio.deployments.cron_words import describe_cron


@pytest.mark.parametrize(
    ("cron", "words"),
    [
        ("30 8 * * 1-5", "Every weekday at 08:30"),
        ("30 8 * * MON-FRI", "Every weekday at 08:30"),
        ("0 8 * * *", "Every day at 08:00"),
        ("0 8,12,16 * * *", "Every day at 08:00, 12:00 and 16:00"),
        ("0 9 * * 1,4", "Every Monday and Thursday at 09:00"),
        ("0 9 * * sun", "Every Sunday at 09:00"),
        ("0 9 * * 7", "Every Sunday at 09:00"),
        ("0 6 1 * *", "On day 1 of every month at 06:00"),
        ("0 6 1,15 * *", "On day 1 and day 15 of every month at 06:00"),
        ("0 6 L * *", "On the last day of every month at 06:00"),
        ("0 6 * 7-8 1", "Every Monday in July and August at 06:00"),
        ("0 * * * *", "Every hour at minute 0"),
        ("* * * * *", "Every minute"),
        ("*/15 * * * *", "Every 15 minutes"),
        ("*/15 * * * 1-5", "Every 15 minutes, every weekday"),
        ("*/15 8-17 * * 1-5", "Every 15 minutes from 08:00 to 17:59, every weekday"),
        ("5 */6 * * *", "Every 6 hours at minute 5"),
        ("@hourly", "Every hour at minute 0"),
        ("@yearly", "On day 1 of January at 00:00"),
        ("@weekly", "Every Sunday at 00:00"),
    ],
)
def test_what_is_common_is_said_in_words(cron: str, words: str):
    assert describe_cron(cron) == words


@pytest.mark.parametrize(
    "cron",
    [
        "*/7 * * * *",
        "0 8 13 * 5",
        "0 8 * * 5#3",
        "0 8 * * 5L",
        "1-59/2 * * * *",
        "0 8 */2 * *",
        "0 8 * */2 *",
        "0 8 1-7 * 1",
        "0,1,2,3,4,5,6,7 8 * * *",
        "not an expression",
        "",
    ],
)
def test_what_has_no_short_words_is_left_to_its_times(cron: str):
    assert describe_cron(cron) == ""
