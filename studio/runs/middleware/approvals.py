"""Looks at each call of a tool before it is made, and behind it: rules, a person's approval, and breakpoints."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from studio.effects import (
    EffectRequest,
    Effects,
    EffectsMiddleware,
    Perform,
    ToolCall,
    canonical_json,
    current,
    random_id,
    sha256_hex,
)
from studio.effects.outcomes import received_body
from studio.errors import Conflict
from studio.runs.active_run import ActiveRun
from studio.runs.debugging.policy import RuleVerdict
from studio.runs.journal.log import Draft, JsonObject, PendingInput, QuestionKind
from studio.runs.state import Reason, RunState

DECISION_KINDS = frozenset({"approval", "breakpoint"})
"""The kinds of questions that take a decision and no text."""


class Decision(BaseModel):
    """Whether a call is made, and with what; or, behind it, what it gave.

    `hash` is that of the request which the person has seen: a decision holds for these arguments and no others.
    `arguments` take the place of those that the model wrote, `text` that of the result.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    hash: str
    verdict: Literal["allow", "deny"]
    reason: Annotated[str, Field(max_length=20_000)] = ""
    arguments: JsonObject | None = None
    text: Annotated[str, Field(max_length=1_000_000)] | None = None
    is_error: bool = False


class RecordedDecision(Decision):
    """A decision with who made it: a person, a rule of the team, or the clock."""

    by: str


def apply_decision(run: ActiveRun, request_id: str, decision: Decision, by: str) -> None:
    """Hand a decision to the call that waits for it. It counts once, for this question and these arguments.

    Raises:
        Conflict: The run does not wait for it.
    """
    pending = run.pending
    if pending is None or pending.kind not in DECISION_KINDS or pending.request_id != request_id:
        raise Conflict(
            "The run is not waiting for this decision.",
            fix="It may have been made in another tab, or the run has continued.",
        )
    if decision.hash != pending.details.get("hash"):
        raise Conflict(
            "The decision is for different arguments than those of the pending call.", fix="Review the call again."
        )
    if decision.text is not None and "result" not in pending.details:
        raise Conflict("The tool has not been called yet, so there is no result to change.", fix="Allow or refuse it.")
    run.human.answer(request_id, RecordedDecision(**dict(decision), by=by).model_dump_json())


async def close_question(run: ActiveRun, draft: Draft, reason: Reason = "answer") -> None:
    """Tell the log that what the run waited for has come."""
    if run.gate.is_held:
        await run.change_state(RunState.PAUSED, run.gate.reason, before=[draft], detail=run.gate.detail)
    else:
        await run.change_state(RunState.RUNNING, reason, before=[draft])


def decision_draft(question: PendingInput, decision: Decision, by: str, origin: JsonObject | None = None) -> Draft:
    """The decision as the log tells of it, with what it was about."""
    body: JsonObject = {
        "command": "decide",
        "by": by,
        "request_id": question.request_id,
        "tool": question.details.get("tool"),
        **decision.model_dump(exclude_defaults=True),
        **(origin or {}),
    }
    return Draft("command", body)


def answers_question(body: JsonObject, question: PendingInput) -> bool:
    """Whether an entry of a log has the form of a decision about this question, and nothing beside it."""
    known = {"command", "request_id", "tool", "id", *RecordedDecision.model_fields}
    about: JsonObject = {"request_id": question.request_id, "hash": question.details.get("hash")}
    return body.keys() <= known and question.kind in DECISION_KINDS and about.items() <= body.items()


def recorded_decision(body: JsonObject) -> str:
    """The decision that a log tells of, as whoever asked for it is given it."""
    return RecordedDecision.model_validate(
        {name: body[name] for name in RecordedDecision.model_fields if name in body}
    ).model_dump_json()


STRICTNESS: Mapping[RuleVerdict, int] = {"allow": 0, "ask": 1, "deny": 2}
RULE, TIMEOUT = "rule", "timeout"
"""Who decided, where no person did."""
REFUSED = "This call was refused."
REVIEW = "review"
"""Where the recorded result of a call says what was decided about it, so that repeating it needs no decision."""


class ApprovalEffects(EffectsMiddleware):
    """Stands before the port that makes the calls. What a person decides becomes part of the recorded result.

    Each question has an id that nobody can guess and the hash of the request. A decision without both is refused, and
    what is then carried out is the copy of the arguments that was shown.
    """

    def __init__(self, outer: Effects, run: ActiveRun) -> None:
        super().__init__(outer)
        self._run = run

    def call(self, request: EffectRequest, perform: Perform) -> Awaitable[JsonValue]:
        if (tool_call := request.tool) is None:
            return self._outer.call(request, perform)
        debugger = self._run.debugger
        if debugger.policy.is_idle and debugger.breakpoints.is_idle:
            return self._outer.call(request, perform)
        return self._reviewed(request, tool_call, perform)

    async def _reviewed(self, request: EffectRequest, tool_call: ToolCall, perform: Perform) -> JsonValue:
        shown = copy.deepcopy(tool_call.arguments)
        decided = await self._decide(request, tool_call, shown)

        async def carry_out() -> JsonValue:
            result = await _as_decided(tool_call, shown, decided, perform)
            if decided is not None and decided.verdict == "deny":
                return result
            return await self._review_result(request, tool_call, shown, result)

        return await self._outer.call(request, carry_out)

    async def _decide(self, request: EffectRequest, tool_call: ToolCall, shown: JsonObject) -> RecordedDecision | None:
        """What is to happen with a call; None when nobody has anything to say about it."""
        debugger = self._run.debugger
        verdict, reason = self._policy_decision(tool_call, shown)
        met = debugger.breakpoints.match_call(tool_call.name, "before")
        if verdict == "deny":
            return RecordedDecision(hash=request.hash, verdict="deny", reason=reason, by=RULE)
        if verdict == "ask":
            return await self._ask(
                "approval", f"{_who(tool_call)} wants to use {tool_call.name}.", request, tool_call, shown, {}
            )
        if met is None or debugger.is_over:
            return None
        prompt = f"Breakpoint: {met.description}."
        decided = await self._ask("breakpoint", prompt, request, tool_call, shown, {"breakpoint": met.id})
        return await self._within_the_rules(request, tool_call, decided)

    def _policy_decision(self, tool_call: ToolCall, arguments: JsonObject) -> tuple[RuleVerdict, str]:
        """By the arguments as the model wrote them, and as the tool takes them: `"yes"` may be true there, and what is
        left out has a default. The stricter one counts."""
        debugger = self._run.debugger
        found = (debugger.decision(tool_call.name, each, arguments) for each in (arguments, tool_call.taken(arguments)))
        return max(found, key=lambda decision: STRICTNESS[decision[0]])

    async def _within_the_rules(
        self, request: EffectRequest, tool_call: ToolCall, decided: RecordedDecision
    ) -> RecordedDecision:
        """Whoever steers the run may change the arguments at a breakpoint; the rules look at the new ones, too."""
        if decided.verdict == "deny" or decided.arguments is None:
            return decided
        verdict, reason = self._policy_decision(tool_call, decided.arguments)
        if verdict == "allow":
            return decided
        if verdict == "deny":
            return RecordedDecision(hash=request.hash, verdict="deny", reason=reason, by=RULE)
        prompt = f"{_who(tool_call)} wants to use {tool_call.name}, with arguments that {decided.by} has written."
        changed = sha256_hex(request.hash + canonical_json(decided.arguments))
        approved = await self._ask("approval", prompt, request, tool_call, decided.arguments, {"hash": changed})
        if approved.arguments is not None:
            return approved
        return approved.model_copy(update={"arguments": decided.arguments})

    async def _review_result(
        self, request: EffectRequest, tool_call: ToolCall, shown: JsonObject, result: JsonValue
    ) -> JsonValue:
        """Wait behind a call where a breakpoint says so; the person may change what it gave."""
        debugger = self._run.debugger
        met = debugger.breakpoints.match_call(tool_call.name, "after")
        if met is None or debugger.is_over:
            return result
        result = self._run.redactor.clean(result)
        await self._run.append(
            Draft("intent", received_body(request, current().scope, result))
        )  # whoever dies now has it
        text, is_error = tool_call.text_of(result)
        more: JsonObject = {"breakpoint": met.id, "result": text, "is_error": is_error}
        decided = await self._ask("breakpoint", f"Breakpoint: {met.description}.", request, tool_call, shown, more)
        if decided.verdict == "deny":
            return _noted(tool_call.answer(decided.reason or REFUSED, True), decided, {"was": text})
        if decided.text is None:
            return result
        changed = {**_with_edits(result), **tool_call.answer(decided.text, decided.is_error)}
        return _noted(changed, decided, {"was": text})

    async def _ask(
        self,
        kind: QuestionKind,
        prompt: str,
        request: EffectRequest,
        tool_call: ToolCall,
        shown: JsonObject,
        more: JsonObject,
    ) -> RecordedDecision:
        policy = self._run.debugger.policy
        timeout_s = policy.timeout_s if kind == "approval" else None
        details: JsonObject = {
            "tool": tool_call.name,
            "agent": tool_call.agent,
            "arguments": copy.deepcopy(shown),
            "hash": request.hash,
            **({"until": _after(timeout_s), "on_timeout": policy.on_timeout} if timeout_s is not None else {}),
            **more,
        }
        question = PendingInput(
            request_id=random_id(), source=tool_call.agent or tool_call.name, prompt=prompt, kind=kind, details=details
        )
        try:
            return RecordedDecision.model_validate_json(await self._run.human.open_question_of(question, timeout_s))
        except TimeoutError:
            reason = "" if policy.on_timeout == "allow" else "The approval timed out."
            decided = RecordedDecision(hash=request.hash, verdict=policy.on_timeout, reason=reason, by=TIMEOUT)
            await close_question(self._run, decision_draft(question, decided, TIMEOUT))
            return decided


async def _as_decided(
    tool_call: ToolCall,
    shown: JsonObject,
    decided: RecordedDecision | None,
    perform: Callable[[], Awaitable[JsonValue]],
) -> JsonValue:
    if decided is None:
        return await perform()
    if decided.verdict == "deny":
        text = f"{REFUSED} {decided.reason}".strip()
        return _noted(tool_call.answer(text, True), decided, {})
    arguments = shown if decided.arguments is None else decided.arguments
    return _noted(await tool_call.perform_with(copy.deepcopy(arguments)), decided, {})


def _noted(result: JsonValue, decided: RecordedDecision, more: JsonObject) -> JsonValue:
    """The result with what was decided about it; a later decision stands beside an earlier one."""
    found = cast("JsonObject", result)
    note = {**decided.model_dump(exclude_defaults=True, exclude={"hash", "text"}), **more}
    before = cast("list[JsonValue]", found.get(REVIEW) or [])
    return {**found, REVIEW: [*before, cast("JsonValue", note)]}


def _with_edits(result: JsonValue) -> JsonObject:
    """What a call told and changed besides its result, and what was decided about it before."""
    kept = ("events", "context_variables", REVIEW)
    return {key: value for key, value in cast("JsonObject", result).items() if key in kept}


def _who(tool_call: ToolCall) -> str:
    return tool_call.agent or "The team"


def _after(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
