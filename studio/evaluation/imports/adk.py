"""Test files of Google's ADK: a list of turns, a list of named turns, and an EvalSet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.components import JsonObject
from studio.evaluation.imports.drafts import SuiteDraft, literal
from studio.importers.parts import Part

SOURCE = "adk"
HANDOFF = "transfer_to_agent"
"""The tool with which an ADK agent hands over."""
CRITERIA = "test_config.json"
"""The file beside tests that says how good they must be."""
RESPONSE_MATCH = 0.8
"""ADK's own criterion where a test names none."""
MATCH_TYPES: Mapping[str, str] = {"IN_ORDER": "in_order", "1": "in_order", "ANY_ORDER": "superset", "2": "superset"}
"""How calls may be compared, by name or number, as the scorer names it. Otherwise they are compared exactly."""


@dataclass(frozen=True)
class Criteria:
    """How good a run must be: shares of turns with the expected calls, and of words of the answer. None: not judged.

    `mode` is how calls are compared, as the scorer names it.
    """

    calls: float | None = 1.0
    answer: float | None = RESPONSE_MATCH
    mode: str = "exact"

    @classmethod
    def read(cls, root: Part) -> Criteria:
        """Those of a file. A criterion may be a number, or an object with `threshold`."""
        named = root.get("criteria")
        trajectory = named.get("tool_trajectory_avg_score", "match_type") if named is not None else None
        mode = MATCH_TYPES.get(str(trajectory.value).upper(), "exact") if trajectory is not None else "exact"
        return cls(_threshold(named, "tool_trajectory_avg_score"), _threshold(named, "response_match_score"), mode)


@dataclass
class _Turn:
    """What a person says, and what is expected of the agents."""

    query: str
    reference: str
    calls: list[tuple[str, JsonObject]] = field(default_factory=list[tuple[str, JsonObject]])
    has_steps: bool = False


def is_adk(root: Part) -> bool:
    """Whether it is one of the three forms."""
    if root.items:
        first = root.items[0]
        is_turn = first.get("query") is not None and (first.get("expected_tool_use") or first.get("reference"))
        data = first.get("data")
        return bool(is_turn) or bool(data is not None and data.items and data.items[0].get("query") is not None)
    return root.get("eval_cases") is not None


def import_adk(draft: SuiteDraft, root: Part, criteria: Criteria | None = None) -> str:
    """Make a case of each conversation."""
    criteria = criteria or Criteria()
    _report_criteria(draft, root, criteria)
    if (sets := root.get("eval_cases")) is not None:
        for part in sets.all_of():
            turns = [_invocation(each) for each in _all(part.get("conversation"))]
            state = part.get("session_input", "state")
            _add(draft, part, _text(part, "eval_id"), turns, state, criteria)
    elif root.items and root.items[0].get("data") is not None:
        for part in root.items:
            turns = [_turn(each) for each in _all(part.get("data"))]
            _add(draft, part, _text(part, "name"), turns, part.get("initial_session", "state"), criteria)
    else:
        _add(draft, root, draft.name, [_turn(each) for each in root.items or ()], None, criteria)
    return SOURCE


def _add(
    draft: SuiteDraft, part: Part, name: str, turns: Sequence[_Turn], state: Part | None, criteria: Criteria
) -> None:
    if not turns:
        draft.say("dropped", part.place, f"Case {name!r}", "It has no turn.")
        return
    fields: JsonObject = {}
    calls = [call for turn in turns for call in turn.calls]
    expected = [call for call in calls if call[0] != HANDOFF]
    scorers: list[JsonValue] = []
    is_whole = criteria.calls is not None and criteria.calls >= 1
    if criteria.calls is not None and (expected or (is_whole and criteria.mode == "exact")):
        scorers.append(_calls(fields, expected, criteria.mode if is_whole else "superset", is_whole=is_whole))
    targets: list[JsonValue] = [str(given.get("agent_name", "")) for tool, given in calls if tool == HANDOFF]
    if targets and criteria.calls is not None:
        scorers.append({"handoffs": {"in_order": targets}})
    reference = turns[-1].reference.strip()
    if reference and criteria.answer is not None:
        scorers.append({"words_f1": {"text": "{target}", "at_least": criteria.answer}})
    _report(draft, part, turns, state)
    task = "\n\n".join(turn.query for turn in turns)
    draft.add(part.place, task, f"Case {name!r}", id=name, target=reference, fields=fields, scorers=scorers)


def _report(draft: SuiteDraft, part: Part, turns: Sequence[_Turn], state: Part | None) -> None:
    if len(turns) > 1:
        why = "A case has one task, so the messages are put together. Only the last answer is judged."
        draft.say("approximated", part.place, f"{len(turns)} turns", why, became=f"{draft.here}/task")
    if any(turn.has_steps for turn in turns):
        draft.say("dropped", part.place, "Texts of agents between", "Only the answer is judged.")
    if state is not None and not state.is_off:
        draft.say("dropped", state.place, "State of the session", "A case begins without one.")


def _report_criteria(draft: SuiteDraft, root: Part, criteria: Criteria) -> None:
    """How calls and answers are judged, which holds for all cases."""
    if criteria.answer is not None:
        why = f"ADK compares answers by ROUGE-1 from {criteria.answer:g}; here the F1 of words counts."
        draft.say("approximated", root.place, "Expected answers", why, became="/cases")
    if criteria.calls is not None and criteria.calls < 1:
        why = f"ADK asks for {criteria.calls:.0%} of the turns; here all calls must be there, and others may be."
        draft.say("approximated", root.place, "Expected calls", why, "Remove those that do not matter.", "/cases")
    draft.begin_cases()


def _calls(fields: JsonObject, calls: Sequence[tuple[str, JsonObject]], mode: str, *, is_whole: bool) -> JsonObject:
    """ADK compares all calls of a turn with all their arguments."""
    expected: list[JsonValue] = []
    for tool, arguments in calls:
        rules: JsonObject = {
            name: {"equal": literal(fields, value) if isinstance(value, str) else value}
            for name, value in arguments.items()
        }
        expected.append({"name": tool, "arguments": rules, "no_others": is_whole})
    return {"calls": {mode: expected}}


def _threshold(criteria: Part | None, name: str) -> float | None:
    """A share from 0 to 1; one of 0 asks for nothing."""
    found = criteria.get(name) if criteria is not None else None
    value = (found.get("threshold") or found).value if found is not None else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1 else None


def _turn(part: Part) -> _Turn:
    turn = _Turn(_text(part, "query"), _text(part, "reference"))
    for call in _all(part.get("expected_tool_use")):
        turn.calls.append((_text(call, "tool_name"), _arguments(call.get("tool_input"))))
    steps = part.get("expected_intermediate_agent_responses")
    turn.has_steps = steps is not None and not steps.is_off
    return turn


def _invocation(part: Part) -> _Turn:
    turn = _Turn(_content(part.get("user_content")), _content(part.get("final_response")))
    data = part.get("intermediate_data")
    for call in _all(data.get("tool_uses") if data else None):
        turn.calls.append((_text(call, "name"), _arguments(call.get("args"))))
    steps = data.get("intermediate_responses") if data else None
    turn.has_steps = steps is not None and not steps.is_off
    return turn


def _content(part: Part | None) -> str:
    return "".join(_text(each, "text") for each in _all(part.get("parts") if part else None))


def _arguments(part: Part | None) -> JsonObject:
    value = part.plain() if part is not None else None
    return value if isinstance(value, dict) else {}


def _all(part: Part | None) -> Sequence[Part]:
    return tuple(part.all_of()) if part is not None else ()


def _text(part: Part, name: str) -> str:
    found = part.get(name)
    return found.text if found is not None else ""
