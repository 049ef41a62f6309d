"""Cron expressions in time zones: which times are next, also where clocks change."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from studio.errors import ConfigError

MAX_CRON_CHARACTERS = 200
MAX_ZONE_CHARACTERS = 64
FIELDS = 5
NAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
}
FIX = "Enter five fields: minute, hour, day of the month, month, day of the week; as in 30 8 * * 1-5."


def next_times(cron: str, zone: str, after: datetime, count: int = 1) -> Sequence[datetime]:
    """The next times of an expression, in UTC.

    A time that clocks skip is the first one behind the gap. One that clocks repeat counts once; an expression that
    names no hour goes on by the minute.

    Args:
        cron: Five fields, or one of `NAMES`.
        zone: IANA name, as `Europe/Berlin`.
        after: Aware; the times are later than this.
        count: How many; there are fewer only where the calendar of the next 50 years has no more.

    Raises:
        ConfigError: The expression or the zone cannot be read, or never comes.
    """
    local = in_zone(after, zone)
    fields = NAMES.get(cron.strip(), cron).split()
    if len(cron) > MAX_CRON_CHARACTERS or len(fields) != FIELDS:
        raise ConfigError(f"{cron[:MAX_CRON_CHARACTERS]!r} is not a cron expression.", fix=FIX, where="/cron")
    try:
        found = [each.astimezone(UTC) for each in islice(CronSim(" ".join(fields).upper(), local), count)]
    except (CronSimError, ValueError) as error:
        raise ConfigError(f"{cron!r} is not a cron expression: {error}.", fix=FIX, where="/cron") from error
    if not found:
        raise ConfigError(f"{cron!r} never comes.", fix=FIX, where="/cron")
    return found


def in_zone(moment: datetime, zone: str) -> datetime:
    """The same moment, as clocks there show it.

    Raises:
        ConfigError: There is no such zone.
    """
    try:
        return moment.astimezone(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigError(
            f"There is no time zone {zone!r}.", fix="Enter an IANA name, as Europe/Berlin.", where="/zone"
        ) from error
