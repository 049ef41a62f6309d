"""Charts of cost, tokens, outcome and latency, by day, team, model and version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Literal

from fastapi import Query, Request, Response
from pydantic import BeforeValidator

from studio.services.amounts import duration, money
from studio.store import ALL_TEAMS, Cost
from studio.store.trends import By, Trend
from studio.web.dependencies import StoreDep, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
Measure = Literal["cost", "tokens", "outcome", "latency"]
MAX_TEAMS = 200
"""That can be chosen: those changed last."""
MAX_ROWS = 100
"""Teams, models or versions that are shown: the dearest."""
MEASURES: Mapping[Measure, str] = {"cost": "Cost", "tokens": "Tokens", "outcome": "Outcome", "latency": "Latency"}
GROUPS: Mapping[By, str] = {"day": "Day", "team": "Team", "model": "Model", "version": "Version"}
OUTCOMES = {"finished": "success", "stopped": "warning", "failed": "danger"}
"""The states with a color of their own; the others are told together."""


@dataclass(frozen=True)
class Part:
    """A piece of a bar, in percent of the whole chart."""

    tone: str
    start: float
    size: float


@dataclass(frozen=True)
class Bar:
    """A row of the table, with its bar; `value` is its measure in words."""

    label: str
    parts: Sequence[Part]
    value: str
    runs: int
    failed: int
    tokens: int
    cost: str
    latency: str


@router.get("/costs/charts")
async def charts_page(
    request: Request,
    store: StoreDep,
    templates: TemplatesDep,
    measure: Annotated[Measure, Query()] = "cost",
    by: Annotated[By, Query()] = "day",
    days: Annotated[Literal[7, 30, 90], BeforeValidator(int), Query()] = 30,
    team_id: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    until = datetime.now(UTC).date()
    since = until - timedelta(days=days - 1)
    trends = await store.trends.read(by, since=since, until=until, team_id=team_id or None)
    if by == "day":
        trends = _every_day(trends, since, days)
    shown = trends[:MAX_ROWS] if by != "day" else trends
    bars = _bars(shown, measure, by)
    return templates.page(
        request,
        "pages/charts.html",
        title="Charts",
        nav="costs",
        bars=bars,
        left_out=len(trends) - len(shown),
        has_runs=any(bar.runs or bar.tokens for bar in bars),
        told=_description(bars, shown, measure, by),
        measure=measure,
        measures=MEASURES,
        by=by,
        groups=GROUPS,
        days=days,
        team_id=team_id,
        teams=await store.teams.list(ALL_TEAMS, limit=MAX_TEAMS),
    )


def _every_day(trends: Sequence[Trend], since: date, days: int) -> Sequence[Trend]:
    known = {trend.key[0]: trend for trend in trends}
    every = [(since + timedelta(days=number)).isoformat() for number in range(days)]
    return [known.get(day) or Trend((day,), "", Cost()) for day in every]


def _amount(trend: Trend, measure: Measure) -> float:
    cost = trend.cost
    if measure == "outcome":
        return sum(trend.states.values())
    if measure == "latency":
        return cost.ms / cost.calls if cost.calls else 0
    return cost.micro_usd if measure == "cost" else cost.prompt_tokens + cost.completion_tokens


def _bars(trends: Sequence[Trend], measure: Measure, by: By) -> list[Bar]:
    most = max((_amount(trend, measure) for trend in trends), default=0) or 1
    return [_bar(trend, measure, by, most) for trend in trends]


def _bar(trend: Trend, measure: Measure, by: By, most: float) -> Bar:
    cost, states = trend.cost, trend.states
    latency = duration(cost.ms / cost.calls / 1000) if cost.calls else "–"
    tokens = cost.prompt_tokens + cost.completion_tokens
    price = money(cost.micro_usd) + ("+" if cost.unpriced_calls else "")
    outcome = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items())) or "–"
    words: Mapping[Measure, str] = {"cost": price, "tokens": f"{tokens:,}", "outcome": outcome, "latency": latency}
    return Bar(
        label=_label(trend, by),
        parts=_parts(trend, measure, most),
        value=words[measure],
        runs=sum(states.values()),
        failed=states.get("failed", 0),
        tokens=tokens,
        cost=price,
        latency=latency,
    )


def _parts(trend: Trend, measure: Measure, most: float) -> Sequence[Part]:
    if measure != "outcome":
        return [Part("accent", 0, round(100 * _amount(trend, measure) / most, 2))]
    counts = {tone: trend.states.get(state, 0) for state, tone in OUTCOMES.items()}
    counts["other"] = sum(trend.states.values()) - sum(counts.values())
    parts, start = list[Part](), 0.0
    for tone, count in counts.items():
        size = round(100 * count / most, 2)
        parts.append(Part(tone, start, size))
        start += size
    return [part for part in parts if part.size]


def _label(trend: Trend, by: By) -> str:
    if by == "team":
        return trend.team_name or "Deleted team"
    if by == "version":
        return (
            f"{trend.team_name or 'Deleted team'}, {f'version {trend.key[1]}' if trend.key[1] else 'version unknown'}"
        )
    return trend.key[0]


def _description(bars: Sequence[Bar], trends: Sequence[Trend], measure: Measure, by: By) -> str:
    """The picture in a sentence."""
    if not bars:
        return ""
    top = max(range(len(bars)), key=lambda index: _amount(trends[index], measure))
    what = f"{MEASURES[measure]} of {len(bars)} {GROUPS[by].lower()}s"
    return f"{what}; the highest is {bars[top].label} with {bars[top].value}."
