"""The prompt of a past model call, found again by running the engine over the run's log."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from studio.components import JsonObject
from studio.effects import Divergence, EffectRequest, Recorded
from studio.errors import Conflict, NotFound
from studio.runs import LogEntry, RunRecord
from studio.runs.admission import check_approved, load_team
from studio.runs.comparing.aligning import Fold, Row, divergence
from studio.runs.comparing.prompts import PromptView, changes, view_of
from studio.runs.comparing.word_diff import WordDiff
from studio.runs.repeating import repeat
from studio.store import Store
from studio.web.run_comparison import RowView, row_view

MOST_ENTRIES = 50_000
READ_AT_ONCE = 2_000
MOST_CHANGES = 300
CALLS_AT_ONCE = 50
BAR_WIDTH = 1000


@dataclass(frozen=True)
class Segment:
    """A stretch of the bar that shows what fills the context window, in thousandths of it."""

    part: str
    name: str
    x: float
    width: float


@dataclass(frozen=True)
class ModelQuestion:
    """A model call as it was made again. `seq` is its answer in the log, `agent` who made it, "" where nobody told."""

    seq: int
    agent: str
    request: EffectRequest
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class Prompt:
    """One model call with all it was told. `number` counts the calls of the same agent in this run, from 1."""

    run_id: str
    seq: int
    agent: str
    view: PromptView
    counted_tokens: int
    answered_tokens: int
    before_seq: int | None
    changes: Sequence[RowView | Fold]
    is_changed: bool
    number: int
    next_seq: int | None

    @property
    def window_tokens(self) -> int:
        """Of what the bar shows: the model's context, or the prompt where nobody knows how long that is."""
        return max(self.view.limit or 0, self.view.token_count, 1)

    @property
    def share(self) -> float:
        return self.view.token_count / self.window_tokens

    @property
    def segments(self) -> list[Segment]:
        """Left to right; what is there can be seen, however small it is."""
        found: list[Segment] = []
        x = 0.0
        for share in self.view.shares:
            width = max(3.0, BAR_WIDTH * share.token_count / self.window_tokens)
            found.append(Segment(share.part, share.name, round(x, 1), round(width, 1)))
            x += width
        return found


async def prompt_of(store: Store, run_id: str, seq: int) -> Prompt:
    """The prompt that an entry of the log came of: a model's answer, or what an agent said or did with it.

    Raises:
        NotFound: No model was asked for it.
        NotApproved: The team could do something that nobody allowed, so it is not loaded.
        Conflict: The engine does not come to it again.
    """
    run = await store.runs.get(run_id)
    await check_approved(load_team(run.component), store.approvals, team_id=run.team_id or "")
    entries = await log_until(store, run_id, seq)
    wanted = answer_behind(entries, seq)
    if wanted is None:
        raise NotFound("No model was asked for this entry.", fix="Choose what an agent said or did.")
    questions, why = await _questions(run, entries, wanted)
    asked = next((question for question in questions if question.seq == wanted), None)
    if asked is None:
        told = f" At entry {why.seq} the record has {why.expected}, and now came {why.came}." if why else ""
        raise Conflict(f"The prompt cannot be found again.{told}", fix="Was the run made by an older studio?")
    same = [one for one in questions if one.agent == asked.agent]
    return _prompt(run_id, asked, same, await _next_call(store, run_id, asked))


def _prompt(run_id: str, asked: ModelQuestion, same: Sequence[ModelQuestion], next_seq: int | None) -> Prompt:
    view = view_of(asked.request.body)
    place = next(index for index, one in enumerate(same) if one.seq == asked.seq)
    before = same[place - 1] if place else None
    rows = changes(view_of(before.request.body), view) if before else []
    return Prompt(
        run_id=run_id,
        seq=asked.seq,
        agent=asked.agent,
        view=view,
        counted_tokens=asked.prompt_tokens,
        answered_tokens=asked.completion_tokens,
        before_seq=before.seq if before else None,
        changes=_shown(rows),
        is_changed=divergence(rows) is not None,
        number=place + 1,
        next_seq=next_seq,
    )


def _shown(rows: Sequence[Row]) -> list[RowView | Fold]:
    """All that differs, and in between how many do not."""
    compared = WordDiff()
    found: list[RowView | Fold] = []
    for row in rows:
        last = found[-1] if found else None
        if row.state != "same":
            found.append(row_view(row, compared))
        elif isinstance(last, Fold):
            found[-1] = Fold(last.start, last.count + 1)
        else:
            found.append(Fold(row.index, 1))
    return found[:MOST_CHANGES]


async def _next_call(store: Store, run_id: str, asked: ModelQuestion) -> int | None:
    """Number of the next answer that the same agent got."""
    after = asked.seq
    while page := await store.runs.read(run_id, after=after, limit=CALLS_AT_ONCE, kinds=("effect",)):
        for entry in page:
            if _is_answer(entry) and _agent(entry) == asked.agent:
                return entry.seq
        after = page[-1].seq
    return None


async def _questions(
    run: RunRecord, entries: Sequence[LogEntry], until: int
) -> tuple[list[ModelQuestion], Divergence | None]:
    """All model calls up to an entry, made again."""
    found: list[ModelQuestion] = []

    def look(request: EffectRequest, entry: Recorded) -> None:
        if request.kind == "model":
            found.append(_question(request, entry))

    async def pages() -> AsyncIterator[Sequence[LogEntry]]:
        yield entries

    changes = run.changes
    repeated = await repeat(
        run.component,
        run.task,
        pages(),
        until,
        run_id=run.namespace,
        match="by position" if changes.is_other_team else "exact",
        amendments=changes.amendments,
        look=look,
        began_with=changes.began_with,
    )
    return found, repeated.divergence


def _question(request: EffectRequest, entry: Recorded) -> ModelQuestion:
    result = entry.body.get("result")
    usage = result.get("usage") if isinstance(result, dict) else None
    counts = usage if isinstance(usage, dict) else {}
    prompt, completion = (counts.get(name) for name in ("prompt_tokens", "completion_tokens"))
    return ModelQuestion(
        seq=entry.seq,
        agent=_agent_in(entry.body),
        request=request,
        prompt_tokens=prompt if isinstance(prompt, int) else 0,
        completion_tokens=completion if isinstance(completion, int) else 0,
    )


async def log_until(store: Store, run_id: str, seq: int) -> list[LogEntry]:
    """The log up to an entry.

    Raises:
        Conflict: That is too far for it to be run again while somebody waits.
    """
    entries: list[LogEntry] = []
    while len(entries) < MOST_ENTRIES:
        page = await store.runs.read(run_id, after=entries[-1].seq if entries else 0, limit=READ_AT_ONCE)
        entries += [entry for entry in page if entry.seq <= seq]
        if len(page) < READ_AT_ONCE or page[-1].seq >= seq:
            return entries
    raise Conflict(f"Only the first {MOST_ENTRIES:,} entries of a run can be looked through.")


def answer_behind(entries: Sequence[LogEntry], seq: int) -> int | None:
    """Number of the recorded answer of a model that an entry came of."""
    last = entries[-1] if entries else None
    if last is None or last.seq != seq:
        return None
    if _is_answer(last):
        return seq
    if hashes := _asked_in(last.body):
        return next((one.seq for one in reversed(entries) if one.body.get("request") in hashes), None)
    if last.kind not in ("message", "event"):
        return None
    source = last.body.get("source")
    by_agent = (one.seq for one in reversed(entries) if _is_answer(one) and _agent(one) == source)
    return next(by_agent, None) or _nameless_before(entries, last)


def _nameless_before(entries: Sequence[LogEntry], last: LogEntry) -> int | None:
    """The answer right before an entry, in a log that does not tell who asked."""
    if not last.body.get("models_usage"):
        return None
    for entry in reversed(entries[:-1]):
        if entry.kind in ("message", "event"):
            return None
        if _is_answer(entry) and not _agent(entry):
            return entry.seq
    return None


def _asked_in(body: JsonObject) -> set[str]:
    """Hashes of the questions that a decision tells of."""
    attempts = body.get("attempts")
    listed = attempts if isinstance(attempts, list) else []
    return {str(one.get("request")) for one in listed if isinstance(one, dict) and one.get("request")}


def _is_answer(entry: LogEntry) -> bool:
    return entry.kind == "effect" and entry.body.get("effect") == "model" and "result" in entry.body


def _agent(entry: LogEntry) -> str:
    return _agent_in(entry.body)


def _agent_in(body: JsonObject) -> str:
    spent = body.get("spent")
    return str(spent.get("agent", "")) if isinstance(spent, dict) else ""
