"""Scorers in plain words, as pages show them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from pydantic import JsonValue

from studio.evaluation.cases import as_text
from studio.evaluation.scorers.answer import Equals, Includes, Json, Matches, Number, SameJson, Starts, WordsF1
from studio.evaluation.scorers.base import Scorer
from studio.evaluation.scorers.calls import MODES, CalledBefore, CallsScorer, ExpectedCall, NeverCalls, NoRepeats
from studio.evaluation.scorers.entry import Not
from studio.evaluation.scorers.judge import JudgeScorer
from studio.evaluation.scorers.python import PythonScorer
from studio.evaluation.scorers.run import (
    AskedNoOne,
    AtMost,
    EndsWithSpeaker,
    Handoffs,
    NoErrors,
    Speakers,
    StoppedBy,
    Variables,
)

MAX_SHOWN = 120
"""Characters of a value that a sentence repeats."""
MAX_NAMED = 8
"""Values that a sentence lists."""
_ORDER: Mapping[str, str] = {
    "exact": "exactly, in this order",
    "in_order": "in this order",
    "any_order": "exactly, in any order",
    "subset": "at most",
    "superset": "at least",
}
_LIMITS: Mapping[str, str] = {
    "usd": "${:g}",
    "tokens": "{:,} tokens",
    "turns": "{:,} turns",
    "calls": "{:,} tool calls",
    "seconds": "{:g} seconds",
}


def scorer_words(scorer: Scorer) -> str:
    """A sentence that says what a scorer expects of a run."""
    if isinstance(scorer, Not):
        return f"Not: {scorer_words(scorer.scorer)}"
    return _WORDS[type(scorer)](scorer)


def _calls(scorer: CallsScorer) -> tuple[str, list[ExpectedCall]]:
    mode = next(mode for mode in MODES if getattr(scorer, mode) is not None)
    return mode, cast("list[ExpectedCall]", getattr(scorer, mode))


def _named(mode: str, names: Sequence[str], none: str) -> str:
    return f"{_ORDER[mode]}: {_listed(names, ', ')}" if names else none


def _names(what: str, scorer: Speakers | Handoffs) -> str:
    mode = next(mode for mode in MODES if getattr(scorer, mode) is not None)
    return f"{what} {_named(mode, getattr(scorer, mode), 'no one')}."


def _call_words(scorer: CallsScorer) -> str:
    mode, calls = _calls(scorer)
    failed = " Failed calls count." if scorer.also_failed else ""
    if not calls:
        return "No tool is called." + failed if mode != "superset" else "Any tool may be called."
    return f"Calls {_named(mode, [_call(each) for each in calls], '')}.{failed}"


def _call(call: ExpectedCall) -> str:
    arguments = {
        name: _rule(cast("dict[str, JsonValue]", rule.model_dump(mode="json", exclude_unset=True)))
        for name, rule in call.arguments.items()
    }
    if not arguments:
        return call.name
    return f"{call.name}({_cut(', '.join(f'{name}={text}' for name, text in arguments.items()))})"


def _rule(rule: Mapping[str, JsonValue]) -> str:
    (name, value) = next(iter(rule.items()), ("ignore", True))
    text = json.dumps(value, ensure_ascii=False)
    return {"equal": text, "ignore": "anything", "one_of": f"one of {text}", "near": f"about {text}"}.get(
        name, f"matching {text}"
    )


def _texts(verb: str, texts: Sequence[str], joint: str, scorer: Equals | Includes | Starts) -> str:
    exact = " Capital letters count." if scorer.case else ""
    return f"{_answer(scorer)} {verb} {_listed([_quoted(each) for each in texts], joint)}.{exact}"


def _answer(scorer: Any) -> str:
    if scorer.source == "*":
        return "What the team says"
    return f"The last message of {_cut(scorer.source)}" if scorer.source else "The answer"


def _listed(texts: Sequence[str], joint: str) -> str:
    more = len(texts) - MAX_NAMED
    return joint.join([*map(_cut, texts[:MAX_NAMED]), *([f"{more} more"] if more > 0 else [])])


def _quoted(text: str) -> str:
    return f"“{_cut(text)}”"


def _cut(text: str) -> str:
    line = " ".join(text[: 4 * MAX_SHOWN].split())
    return line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1] + "…"


def _limits(scorer: AtMost) -> str:
    given = [text.format(value) for name, text in _LIMITS.items() if (value := getattr(scorer, name)) is not None]
    return f"Takes at most {', '.join(given)}." if given else "Takes any amount."


def _number(scorer: Number) -> str:
    tolerance = f", give or take {scorer.tolerance:g}" if scorer.tolerance else ""
    relative = f", give or take {scorer.relative:.3g} of it" if scorer.relative else ""
    return f"{_answer(scorer)} ends with the number {_cut(as_text(scorer.value))}{tolerance}{relative}."


def _same_json(scorer: SameJson) -> str:
    ignored = f", apart from {_listed(scorer.ignore, ', ')}" if scorer.ignore else ""
    return f"{_answer(scorer)} is the JSON {_cut(as_text(scorer.value))}{ignored}."


def _json(scorer: Json) -> str:
    return f"{_answer(scorer)} is JSON{' that fits a schema' if scorer.json_schema is not None else ''}."


def _f1(scorer: WordsF1) -> str:
    texts = _listed([_quoted(each) for each in scorer.text], " or ")
    return f"{_answer(scorer)} has words of {texts}, F1 at least {scorer.at_least:g}."


_WORDS: Mapping[type[Scorer], Callable[[Any], str]] = {
    Speakers: lambda scorer: _names("Speakers are", scorer),
    Handoffs: lambda scorer: _names("Hands off to", scorer),
    CallsScorer: _call_words,
    NeverCalls: lambda scorer: f"Never calls {_listed(scorer.tools, ' or ')}.",
    CalledBefore: lambda scorer: f"Calls {_cut(scorer.first)} before {_cut(scorer.then)}.",
    NoRepeats: lambda scorer: f"Does nothing {scorer.times} times.",
    StoppedBy: lambda scorer: f"Stops because of {_quoted(scorer.reason)}.",
    EndsWithSpeaker: lambda scorer: f"{_cut(scorer.speaker)} has the last word.",
    AtMost: _limits,
    NoErrors: lambda _: "No tool call fails.",
    AskedNoOne: lambda _: "Asks no person.",
    Variables: lambda scorer: f"Variables at the end: {_cut(as_text(scorer.equal))}.",
    Equals: lambda scorer: _texts("is", scorer.text, " or ", scorer),
    Includes: lambda scorer: _texts("includes", scorer.text, " and " if scorer.mode == "all" else " or ", scorer),
    Starts: lambda scorer: _texts("starts with", scorer.text, " or ", scorer),
    Matches: lambda scorer: f"{_answer(scorer)} matches {_cut(str(scorer.pattern))}.",
    Number: _number,
    Json: _json,
    SameJson: _same_json,
    WordsF1: _f1,
    JudgeScorer: lambda scorer: f"A judge finds: {_listed([_quoted(each) for each in scorer.criteria], ', ')}.",
    PythonScorer: lambda _: "A function in Python says whether it passes.",
}
