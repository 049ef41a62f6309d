"""Looks at each call of a tool before it is made, and behind it: rules, a person's approval, and breakpoints."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import cast

from pydantic import JsonValue

from studio.effects import (
    EffectRequest,
    Effects,
    Perform,
    Relay,
    ToolAct,
    canonical_json,
    current,
    random_id,
    sha256_hex,
)
from studio.effects.outcomes import came_body
from studio.runs.debugging.deciding import Decided, close_question, decision_draft
from studio.runs.debugging.policy import Verdict
from studio.runs.live import LiveRun
from studio.runs.log import Draft, JsonObject, PendingInput, QuestionKind

STRICTNESS: Mapping[Verdict, int] = {"allow": 0, "ask": 1, "deny": 2}
RULE, TIMEOUT = "rule", "timeout"
"""Who decided, where no person did."""
REFUSED = "This call was refused."
REVIEW = "review"
"""Where the recorded result of a call says what was decided about it, so that repeating it needs no decision."""


class Reviewed(Relay):
    """Stands before the port that makes the calls. What a person decides becomes part of the recorded result.

    Each question has an id that nobody can guess and the hash of the request. A decision without both is refused, and
    what is then carried out is the copy of the arguments that was shown.
    """

    def __init__(self, outer: Effects, run: LiveRun) -> None:
        super().__init__(outer)
        self._run = run

    def call(self, request: EffectRequest, perform: Perform) -> Awaitable[JsonValue]:
        if (act := request.tool) is None:
            return self._outer.call(request, perform)
        debugger = self._run.debugger
        if debugger.policy.is_idle and debugger.watch.is_idle:
            return self._outer.call(request, perform)
        return self._reviewed(request, act, perform)

    async def _reviewed(self, request: EffectRequest, act: ToolAct, perform: Perform) -> JsonValue:
        shown = copy.deepcopy(act.arguments)
        decided = await self._decide(request, act, shown)

        async def carry_out() -> JsonValue:
            result = await _as_decided(act, shown, decided, perform)
            if decided is not None and decided.verdict == "deny":
                return result
            return await self._look_at(request, act, shown, result)

        return await self._outer.call(request, carry_out)

    async def _decide(self, request: EffectRequest, act: ToolAct, shown: JsonObject) -> Decided | None:
        """What is to happen with a call; None when nobody has anything to say about it."""
        debugger = self._run.debugger
        verdict, reason = self._ruling(act, shown)
        met = debugger.watch.tool(act.name, "before")
        if verdict == "deny":
            return Decided(hash=request.hash, verdict="deny", reason=reason, by=RULE)
        if verdict == "ask":
            return await self._ask("approval", f"{_who(act)} wants to use {act.name}.", request, act, shown, {})
        if met is None or debugger.is_over:
            return None
        prompt = f"Breakpoint: {met.in_words}."
        decided = await self._ask("breakpoint", prompt, request, act, shown, {"breakpoint": met.id})
        return await self._within_the_rules(request, act, decided)

    def _ruling(self, act: ToolAct, arguments: JsonObject) -> tuple[Verdict, str]:
        """By the arguments as the model wrote them, and as the tool takes them: `"yes"` may be true there, and what is
        left out has a default. The stricter one counts."""
        debugger = self._run.debugger
        found = (debugger.ruling(act.name, each, arguments) for each in (arguments, act.taken(arguments)))
        return max(found, key=lambda ruling: STRICTNESS[ruling[0]])

    async def _within_the_rules(self, request: EffectRequest, act: ToolAct, decided: Decided) -> Decided:
        """Whoever steers the run may change the arguments at a breakpoint; the rules look at the new ones, too."""
        if decided.verdict == "deny" or decided.arguments is None:
            return decided
        verdict, reason = self._ruling(act, decided.arguments)
        if verdict == "allow":
            return decided
        if verdict == "deny":
            return Decided(hash=request.hash, verdict="deny", reason=reason, by=RULE)
        prompt = f"{_who(act)} wants to use {act.name}, with arguments that {decided.by} has written."
        changed = sha256_hex(request.hash + canonical_json(decided.arguments))
        approved = await self._ask("approval", prompt, request, act, decided.arguments, {"hash": changed})
        if approved.arguments is not None:
            return approved
        return approved.model_copy(update={"arguments": decided.arguments})

    async def _look_at(self, request: EffectRequest, act: ToolAct, shown: JsonObject, result: JsonValue) -> JsonValue:
        """Wait behind a call where a breakpoint says so; the person may change what it gave."""
        debugger = self._run.debugger
        met = debugger.watch.tool(act.name, "after")
        if met is None or debugger.is_over:
            return result
        result = self._run.redactor.clean(result)
        await self._run.add(Draft("intent", came_body(request, current().scope, result)))  # whoever dies now has it
        text, is_error = act.text_of(result)
        more: JsonObject = {"breakpoint": met.id, "result": text, "is_error": is_error}
        decided = await self._ask("breakpoint", f"Breakpoint: {met.in_words}.", request, act, shown, more)
        if decided.verdict == "deny":
            return _noted(act.answer(decided.reason or REFUSED, True), decided, {"was": text})
        if decided.text is None:
            return result
        changed = {**_beside(result), **act.answer(decided.text, decided.is_error)}
        return _noted(changed, decided, {"was": text})

    async def _ask(
        self, kind: QuestionKind, prompt: str, request: EffectRequest, act: ToolAct, shown: JsonObject, more: JsonObject
    ) -> Decided:
        policy = self._run.debugger.policy
        timeout_s = policy.timeout_s if kind == "approval" else None
        details: JsonObject = {
            "tool": act.name,
            "agent": act.agent,
            "arguments": copy.deepcopy(shown),
            "hash": request.hash,
            **({"until": _after(timeout_s), "on_timeout": policy.on_timeout} if timeout_s is not None else {}),
            **more,
        }
        question = PendingInput(
            request_id=random_id(), source=act.agent or act.name, prompt=prompt, kind=kind, details=details
        )
        try:
            return Decided.model_validate_json(await self._run.human.put(question, timeout_s))
        except TimeoutError:
            reason = "" if policy.on_timeout == "allow" else "Nobody approved this call in time."
            decided = Decided(hash=request.hash, verdict=policy.on_timeout, reason=reason, by=TIMEOUT)
            await close_question(self._run, decision_draft(question, decided, TIMEOUT))
            return decided


async def _as_decided(
    act: ToolAct, shown: JsonObject, decided: Decided | None, perform: Callable[[], Awaitable[JsonValue]]
) -> JsonValue:
    if decided is None:
        return await perform()
    if decided.verdict == "deny":
        text = f"{REFUSED} {decided.reason}".strip()
        return _noted(act.answer(text, True), decided, {})
    arguments = shown if decided.arguments is None else decided.arguments
    return _noted(await act.perform_with(copy.deepcopy(arguments)), decided, {})


def _noted(result: JsonValue, decided: Decided, more: JsonObject) -> JsonValue:
    """The result with what was decided about it; a later decision stands beside an earlier one."""
    found = cast("JsonObject", result)
    note = {**decided.model_dump(exclude_defaults=True, exclude={"hash", "text"}), **more}
    before = cast("list[JsonValue]", found.get(REVIEW) or [])
    return {**found, REVIEW: [*before, cast("JsonValue", note)]}


def _beside(result: JsonValue) -> JsonObject:
    """What a call told and changed besides its result, and what was decided about it before."""
    kept = ("events", "context_variables", REVIEW)
    return {key: value for key, value in cast("JsonObject", result).items() if key in kept}


def _who(act: ToolAct) -> str:
    return act.agent or "The team"


def _after(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
