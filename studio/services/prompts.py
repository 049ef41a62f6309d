"""The prompt of a past model call, found again by running the engine over the run's log."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from studio.components import JsonObject
from studio.effects import Divergence, EffectRequest, Recorded
from studio.errors import Conflict, NotFound
from studio.runs import EntryKind, LogEntry, RunRecord
from studio.runs.admission import check_approved, load_team
from studio.runs.comparing.alignment import Fold, Row, divergence
from studio.runs.comparing.prompts import PromptView, changes, view_of
from studio.runs.comparing.word_diff import WordDiff
from studio.runs.journal.answers import REUSED
from studio.runs.replay import entries_of, reexecute
from studio.services.run_comparison import RowView, row_view
from studio.store import Store

MAX_CHANGES = 300
CALLS_AT_ONCE = 50
MAX_PAGES_BACK = 1_000
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
    wanted = await answer_behind(store, run_id, seq)
    if wanted is None:
        raise NotFound("This entry has no model call.", fix="Select an agent message or a tool call.")
    questions, why = await _questions(store, run, wanted)
    if questions.asked is None:
        reason = (
            f" At entry {why.seq} the recording has {why.expected}, but the run now made {why.actual}." if why else ""
        )
        raise Conflict(
            f"The prompt cannot be reconstructed.{reason}",
            fix="An older version of the studio may have recorded this run.",
        )
    return _prompt(run_id, questions, questions.asked, await _next_call(store, run_id, questions.asked))


def _prompt(run_id: str, questions: Questions, asked: ModelQuestion, next_seq: int | None) -> Prompt:
    view = view_of(asked.request.body)
    before = questions.before
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
        number=questions.number,
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
    return found[:MAX_CHANGES]


async def _next_call(store: Store, run_id: str, asked: ModelQuestion) -> int | None:
    """Number of the next answer that the same agent got."""
    after = asked.seq
    while page := await store.runs.read(run_id, after=after, limit=CALLS_AT_ONCE, kinds=("effect",)):
        for entry in page:
            body = entry.body
            if _is_answer(entry, body) and _agent_in(body) == asked.agent:
                return entry.seq
        after = page[-1].seq
    return None


class Questions:
    """Model calls that are made again, of which one is wanted; of each agent only the newest is kept."""

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted
        self._counts: Counter[str] = Counter()
        self._newest: dict[str, ModelQuestion] = {}
        self.asked: ModelQuestion | None = None
        self.before: ModelQuestion | None = None
        """The one before it of the same agent."""
        self.number = 0
        """Which of its agent's it is, from 1."""

    def look(self, request: EffectRequest, entry: Recorded) -> None:
        if request.kind != "model":
            return
        question = _question(request, entry)
        self._counts[question.agent] += 1
        if entry.seq == self._wanted:
            self.asked, self.before = question, self._newest.get(question.agent)
            self.number = self._counts[question.agent]
        self._newest[question.agent] = question


async def _questions(store: Store, run: RunRecord, until: int) -> tuple[Questions, Divergence | None]:
    """All model calls up to an entry, made again."""
    questions = Questions(until)
    changes = run.changes
    repeated = await reexecute(
        run.component,
        run.task,
        entries_of(store.runs, run.id, until=until),
        until,
        run_id=run.namespace,
        match="by position" if changes.is_other_team else "exact",
        edits=changes.edits,
        look=questions.look,
        initial_state=changes.initial_state,
    )
    return questions, repeated.divergence


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


async def answer_behind(store: Store, run_id: str, seq: int) -> int | None:
    """Number of the recorded answer of a model that an entry came of."""
    page = await store.runs.read(run_id, after=seq - 1, limit=1)
    if not page or page[0].seq != seq:
        return None
    last, body = page[0], page[0].body
    if _is_answer(last, body):
        return seq
    if hashes := _asked_in(body):
        return await _newest_effect(store, run_id, seq, lambda _, body: body.get("request") in hashes)
    if last.kind not in ("message", "event"):
        return None
    source = body.get("source")
    found = await _newest_effect(
        store, run_id, seq, lambda one, body: _is_answer(one, body) and _agent_in(body) == source
    )
    return found or (await _nameless_before(store, run_id, seq) if body.get("models_usage") else None)


async def _newest_effect(
    store: Store, run_id: str, before: int, is_it: Callable[[LogEntry, JsonObject], bool]
) -> int | None:
    async with aclosing(entries_before(store, run_id, before, ("effect",))) as entries:
        async for entry in entries:
            if is_it(entry, entry.body):
                return entry.seq
    return None


async def _nameless_before(store: Store, run_id: str, seq: int) -> int | None:
    """The answer right before an entry, in a log that does not tell who asked."""
    async with aclosing(entries_before(store, run_id, seq, ("effect", "message", "event"))) as entries:
        async for entry in entries:
            if entry.kind != "effect":
                return None
            body = entry.body
            if _is_answer(entry, body) and not _agent_in(body):
                return entry.seq
    return None


async def entries_before(
    store: Store, run_id: str, before: int, kinds: Collection[EntryKind]
) -> AsyncGenerator[LogEntry, None]:
    """Entries before one, the newest first."""
    for _ in range(MAX_PAGES_BACK):
        page = await store.logs.between(run_id, after=0, before=before, limit=CALLS_AT_ONCE, kinds=kinds, newest=True)
        for entry in reversed(page.entries):
            yield entry
        if page.is_last or not page.entries:
            return
        before = page.entries[0].seq
    raise Conflict("The start of this turn is too far back in the log.", fix="Choose a later entry.")


def _asked_in(body: JsonObject) -> set[str]:
    """Hashes of the questions that a decision tells of."""
    attempts = body.get("attempts")
    listed = attempts if isinstance(attempts, list) else []
    return {str(one.get("request")) for one in listed if isinstance(one, dict) and one.get("request")}


def _is_answer(entry: LogEntry, body: JsonObject) -> bool:
    return entry.kind == "effect" and body.get("effect") == "model" and "result" in body


def _agent_in(body: JsonObject) -> str:
    reused = body.get(REUSED)
    spent = reused.get("spent") if isinstance(reused, dict) else body.get("spent")
    return str(spent.get("agent", "")) if isinstance(spent, dict) else ""
