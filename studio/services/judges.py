"""Judges of a suite: the models that they ask, and the runs in which they do.

The call of a judge is a run of its own, a team of one agent. So it is recorded, limited, paid and shown as every other
run, and after a kill at any point it either is there or begins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from pydantic import JsonValue

from studio.components import Capability, JsonObject
from studio.effects import canonical_json
from studio.errors import Finding, NotFound, TooLarge
from studio.evaluation.people import People
from studio.evaluation.preferences import Preference
from studio.evaluation.scorers import Scorer
from studio.evaluation.scorers.entry import unwrapped
from studio.evaluation.scorers.judge import INSTRUCTIONS, JudgeScorer, read_reply
from studio.evaluation.suites import Case, Suite
from studio.evaluation.transcript import Transcript
from studio.runs import NewRun, NotApproved, RunAlreadyEnded, RunControl, RunState, SpendingScope
from studio.runs.journal.log import Reuse
from studio.services.evaluation_limits import held_back, limit_reached
from studio.services.evaluation_questions import ModelQuestion, begin_asking
from studio.services.past_runs import stored_run
from studio.store import Store
from studio.store.evaluation_tables import Evaluation, EvaluationCell
from studio.store.evaluations import LIMIT_USED_UP, Judgment, Shares, judge_run_id
from studio.store.runs import UNFINISHED
from studio.store.tables import ModelConnection, Run

NAME = "Judge"
MAX_ATTEMPTS = 2
"""Of a judge whose reply cannot be read, or whose service did not answer."""
WAITS = frozenset({"input", "approval", "breakpoint", "budget", "killed", "error"})
"""Reasons for which the run of a judge would wait for a person."""


def judges_in(scorers: Iterable[Scorer]) -> Mapping[str, JudgeScorer]:
    """The judges among scorers, each once, by their keys."""
    found = (unwrapped(each) for each in scorers)
    return {each.key: each for each in found if isinstance(each, JudgeScorer)}


def has_judges(suite: Suite) -> bool:
    """Whether a model is asked; judges are not told apart, which takes a while for many."""
    if suite.prefer or any(each.is_simulated for each in suite.all_people):
        return True
    return any(isinstance(unwrapped(each), JudgeScorer) for each in suite.all_scorers)


def asked_models(suite: Suite) -> Sequence[JudgeScorer | Preference | People]:
    """All that a model is asked in a suite, each once."""
    people = {each.key: each for each in suite.all_people if each.is_simulated}
    return [*judges_in(suite.all_scorers).values(), *suite.prefer, *people.values()]


def shares_left(cell: EvaluationCell, run: Run, begun: Iterable[Judgment]) -> Shares:
    """What is left of what was set aside for a cell, after its run and those of judges and people so far."""
    micro_usd, tokens = _spent(begun)
    took = run.micro_usd + micro_usd, run.prompt_tokens + run.completion_tokens + tokens
    asides = cell.aside_micro_usd, cell.aside_tokens
    return Shares(*(None if aside is None else max(0, aside - each) for aside, each in zip(asides, took, strict=True)))


def judge_team(*models: JsonObject, instructions: str = INSTRUCTIONS) -> JsonObject:
    """The team of a judge, or of several for what a person approves: one agent for each model."""
    participants: list[JsonValue] = [
        {
            "provider": "autogen_agentchat.agents.AssistantAgent",
            "component_type": "agent",
            "config": {
                "name": "judge" if at == 1 else f"judge_{at}",
                "description": "Checks a run by criteria.",
                "model_client": model,
                "system_message": instructions,
            },
        }
        for at, model in enumerate(models, 1)
    ]
    return {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "component_type": "team",
        "label": NAME,
        "config": {
            "participants": participants,
            "termination_condition": {
                "provider": "autogen_agentchat.conditions.MaxMessageTermination",
                "component_type": "termination",
                "config": {"max_messages": 2},
            },
        },
    }


def with_models(suite: Suite, connections: Sequence[ModelConnection]) -> tuple[Suite, Sequence[Finding]]:
    """The suite with the models of its judges in place of the names of connections, and what is wrong with those."""
    by_name = {each.name: each.component for each in connections}
    default = next((each.component for each in connections if each.is_default), None)
    findings: dict[str, Finding] = {}

    def model_of(asked: JudgeScorer | Preference | People) -> JsonObject | None:
        model = by_name.get(asked.connection) if asked.connection else default
        if model is None:
            name = asked.connection
            what = f"There is no model connection {name!r} for a judge." if name else "A judge has no model."
            fix = "Name a model connection of this studio, or write `model`."
            findings[name] = Finding("no_judge_model", what, fix, "/suite")
        return model

    def complete(scorer: Scorer) -> Scorer:
        if not isinstance(scorer, JudgeScorer) or scorer.model is not None or (model := model_of(scorer)) is None:
            return scorer
        return JudgeScorer.model_validate({**scorer.model_dump(), "connection": "", "model": model})

    def complete_preference(asked: Preference) -> Preference:
        if asked.model is not None or (model := model_of(asked)) is None:
            return asked
        return Preference.model_validate({**asked.model_dump(), "connection": "", "model": model})

    if not has_judges(suite):
        return suite, ()

    def complete_people(people: People | None) -> People | None:
        if people is None or not people.is_simulated or people.model is not None or (model := model_of(people)) is None:
            return people
        return People.model_validate({**people.model_dump(), "connection": "", "model": model})

    suite = suite.with_changed(complete)
    more = {
        "prefer": [complete_preference(each) for each in suite.prefer],
        "people": complete_people(suite.people),
        "cases": [each.model_copy(update={"people": complete_people(each.people)}) for each in suite.cases],
    }
    return suite.model_copy(update=more), [*findings.values()]


class JudgesNotApproved(NamedTuple):
    """What nobody allowed of that which the judges ask for; `component` is what a person approves."""

    missing: Sequence[Capability]
    component: JsonObject


async def check_judges(control: RunControl, team_id: str, suite: Suite) -> JudgesNotApproved | None:
    """What a person has to approve before the judges may be asked.

    Args:
        control: Knows what was approved.
        team_id: The team that is evaluated.
        suite: With the models of its judges.

    Raises:
        ConfigError: A model cannot be loaded.
    """
    component = await asyncio.to_thread(judge_component, suite)
    if component is None:
        return None
    try:
        await control.prepare(NewRun(component, "Check.", "Check.", team_id, NAME))
    except NotApproved as error:
        return JudgesNotApproved(error.missing, component)
    return None


def judge_component(suite: Suite) -> JsonObject | None:
    """All that the judges of a suite could do, as one component; None where it has none."""
    models = [each.model for each in asked_models(suite) if each.model is not None]
    distinct = {canonical_json(each): each for each in models}
    return judge_team(*distinct.values()) if distinct else None


def names_connections(suite: Suite) -> bool:
    """Whether a judge asks the model of a connection."""
    return any(each.model is None for each in asked_models(suite))


def own_judges(suite: Suite, teams: Iterable[JsonObject]) -> Sequence[str]:
    """Warnings of models that judge themselves: judges whose model a team asks, too."""
    asked = {name for team in teams for name in model_names(team)}
    judging = {name for each in asked_models(suite) if each.model for name in model_names(each.model)}
    return [
        f"The judge asks {name}, which the team asks, too. Models favor their own answers; choose another one."
        for name in sorted(asked & judging)
    ]


def model_names(document: JsonValue) -> Iterator[str]:
    """Names of the models in a component."""
    if isinstance(document, list):
        for each in document:
            yield from model_names(each)
    elif isinstance(document, dict):
        config = document.get("config")
        name = config.get("model") if isinstance(config, dict) else None
        if isinstance(name, str) and str(document.get("provider", "")).endswith("ChatCompletionClient"):
            yield name
        for each in document.values():
            yield from model_names(each)


class Judged(NamedTuple):
    """What the judges of a cell reply, and what that took. `replies` is None while one is at work.

    `stops` is why the evaluation ends, where its limit stopped a judge.
    """

    replies: Mapping[str, JsonObject] | None
    micro_usd: int = 0
    tokens: int = 0
    stops: str = ""


@dataclass(frozen=True)
class _Asked:
    """What is judged, for which evaluation, and the runs of judges that have begun."""

    row: Evaluation
    cell: EvaluationCell
    case: Case
    transcript: Transcript
    begun: Mapping[str, Judgment]


@dataclass(frozen=True)
class Judges:
    """Asks the judges of runs of evaluations."""

    store: Store
    control: RunControl
    books: SpendingScope
    by: str

    async def must_wait(self, row: Evaluation, cell: EvaluationCell) -> bool:
        """Whether nothing can be said of a cell now, since a judge is at work or all that may be are.

        Judges that would wait for a person, and those of an evaluation that was canceled, are canceled.
        """
        under_way = [
            each.run
            for each in await self.store.evaluations.judgments(cell)
            if each.run is not None and each.run.state in UNFINISHED
        ]
        for run in under_way:
            is_stuck = run.state == RunState.PAUSED.value and run.reason in WAITS
            if is_stuck or row.state == "canceled":
                with suppress(RunAlreadyEnded, NotFound):
                    await self.control.command(run.id, "cancel", by=self.by)
        if under_way:
            return True
        is_recorded = not cell.attempt  # all of them are under way at once
        return is_recorded and await self.store.evaluations.judging_count(row.id) >= row.at_once

    async def spent(self, cell: EvaluationCell) -> tuple[int, int]:
        """What the judges and people of a cell took, in millionths of a dollar and in tokens."""
        return _spent(await self.store.evaluations.judgments(cell))

    async def ask(self, row: Evaluation, cell: EvaluationCell, suite: Suite, case: Case, run: Transcript) -> Judged:
        """Ask the judges of a run, one after the other; each call goes one step further."""
        judges = {key: each for key, each in judges_in(suite.scorers_of(case)).items() if each.needs_reply(run)}
        if not judges and suite.people_of(case) is None:
            return Judged({})
        begun = {each.run_id: each for each in await self.store.evaluations.judgments(cell)}
        asked = _Asked(row, cell, case, run, begun)
        replies: dict[str, JsonObject] = {}
        for key, each in judges.items():
            reply = await self._reply(asked, each)
            if reply is None:
                return Judged(None)
            replies[key] = reply
        stops = next((str(each["stops"]) for each in replies.values() if each.get("stops")), "")
        return Judged(replies, *_spent(begun.values()), stops)

    async def _shares(self, asked: _Asked) -> Shares | None:
        """What the next judge may take: what is left of what was set aside for the cell."""
        cell, used, spent = asked.cell, asked.transcript.status.usage, _spent(asked.begun.values())
        if not cell.attempt:
            return await self.store.evaluations.share(asked.row)
        took = used.micro_usd + spent[0], used.prompt_tokens + used.completion_tokens + spent[1]
        asides = cell.aside_micro_usd, cell.aside_tokens
        return Shares(
            *(None if aside is None else max(0, aside - each) for aside, each in zip(asides, took, strict=True))
        )

    async def _reply(self, asked: _Asked, scorer: JudgeScorer) -> JsonObject | None:
        """What a judge replies; None where it was asked just now."""
        reply: JsonObject = {}
        for attempt in range(1, MAX_ATTEMPTS + 1):
            run_id = judge_run_id(asked.cell.run_id, scorer.key, attempt)
            found = asked.begun.get(run_id)
            if found is None or found.run is None:
                if asked.row.state == "running":
                    return await self._begin(asked, scorer, run_id)
                return reply or {"error": "The evaluation has ended."}
            reply = await self._reply_in(found.run, asked)
            is_read = read_reply(str(reply.get("text", "")), len(scorer.criteria)) is not None
            if is_read or not reply.get("again"):
                break
        return reply

    async def _begin(self, asked: _Asked, scorer: JudgeScorer, run_id: str) -> JsonObject | None:
        """Let a judge begin; what is wrong where it cannot."""
        row, cell, shares = asked.row, asked.cell, await self._shares(asked)
        if shares is None:
            return {"error": LIMIT_USED_UP, "stops": LIMIT_USED_UP}
        question = await asyncio.to_thread(scorer.question, asked.transcript, asked.case)
        reuse = await self._reuse(row, cell, scorer)
        await self.store.evaluations.add_judgment(cell, run_id)
        team = judge_team(scorer.model or {})
        asking = ModelQuestion(run_id, team, question, NAME, self.by, shares, reuse)
        wrong = await begin_asking(self.control, self.books, row, asking)
        return {"error": wrong} if wrong else None

    async def _reuse(self, row: Evaluation, cell: EvaluationCell, scorer: JudgeScorer) -> Reuse | None:
        """What the judge said of the twin, which it is asked again where the answer is the same."""
        if row.reuse_days is None:
            return None
        twin_id = cell.twin_run_id
        if cell.twin_position is not None:
            twin_id = (await self.store.evaluations.cell(row.id, cell.twin_position)).run_id
        run_id = judge_run_id(twin_id, scorer.key, 1)
        try:
            is_there = bool(twin_id) and (await self.store.runs.summary(run_id)).status.state is RunState.FINISHED
        except NotFound:
            is_there = False
        return Reuse(run_id=run_id, not_before=row.created_at - timedelta(days=row.reuse_days)) if is_there else None

    async def _reply_in(self, run: Run, asked: _Asked) -> JsonObject:
        """What the run of a judge came to; `again` where another one may come to more."""
        if (error := await limit_reached(self.store, run)) is not None:
            row, cell = asked.row, asked.cell
            shares = (
                Shares(cell.aside_micro_usd, cell.aside_tokens) if cell.attempt else Shares(row.micro_usd, row.tokens)
            )
            stops = held_back(self.books, shares, run, error)
            return {"error": stops or run.detail, "stops": stops, "run": run.id}
        if run.state != RunState.FINISHED.value:
            return {"error": run.detail or run.state, "run": run.id, "again": run.state != RunState.CANCELLED.value}
        try:
            turns = (await stored_run(self.store, run.id)).transcript.turns
        except (NotFound, TooLarge) as error:
            return {"error": error.what, "run": run.id}
        return {"text": turns[-1].text if turns else "", "run": run.id, "again": True}


def _spent(begun: Iterable[Judgment]) -> tuple[int, int]:
    """What the judges of a cell took so far, in millionths of a dollar and in tokens."""
    runs = [each.run for each in begun if each.run is not None]
    return sum(each.micro_usd for each in runs), sum(each.prompt_tokens + each.completion_tokens for each in runs)
