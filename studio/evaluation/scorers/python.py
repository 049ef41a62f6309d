"""A scorer in Python. Its function is called in the sandbox before the suite judges; here is what it says of a run."""

from __future__ import annotations

import ast
from dataclasses import asdict
from typing import Annotated, ClassVar

from pydantic import Field, JsonValue, field_validator
from typing_extensions import override

from studio.components import Capability, JsonObject
from studio.evaluation.cases import CaseFields
from studio.evaluation.scorers.base import Score, Scorer, failed, passed, shown, unscored
from studio.evaluation.transcript import Transcript

FUNCTION = "score"
MAX_SOURCE = 50_000
MAX_REASON = 1_000


class PythonScorer(Scorer):
    """Calls a function of yours in the sandbox, without network: `score(run, case)` returns whether the run passes, or
    that and a reason. `run` has `answer`, `messages`, `calls` and `stopped_by`, `case` the fields of the case. It is
    called in evaluations, once a person approved exactly this source; elsewhere the run is unscored.
    """

    name: ClassVar[str] = "python"
    shorthand: ClassVar[str] = "source"
    has_fields_of_cases: ClassVar[bool] = False

    source: Annotated[
        str,
        Field(
            description="Python source with `def score(run, case)`.",
            max_length=MAX_SOURCE,
            json_schema_extra={"contentMediaType": "text/x-python"},
        ),
    ]
    seconds: Annotated[float, Field(description="How long one call may take.", gt=0, le=60)] = 10
    runs_answer: Annotated[
        bool,
        Field(
            description="Whether the function runs code that the team wrote. A call that does not end, or ends its "
            "process, then fails the run; else it is unscored."
        ),
    ] = False

    @field_validator("source")
    @classmethod
    def _check_source(cls, source: str) -> str:
        try:
            body = ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ValueError(f"it is no Python: {error}") from error
        if not any(isinstance(each, ast.FunctionDef) and each.name == FUNCTION for each in body):
            raise ValueError("it has no `def score(run, case)`")
        return source

    @property
    def capability(self) -> Capability:
        """What a person approves."""
        return Capability("python", "Runs a scorer of the suite, in Python.", self.source)

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        reply = run.replies.get(self.source)
        if reply is None:
            return unscored("Scorers in Python are called in evaluations, once they are approved.")
        if "refused" in reply:
            return unscored(str(reply["refused"]))
        if self.runs_answer and "stopped" in reply:
            return failed(f"The code of the answer did not end well: {reply['stopped']}")
        if "error" in reply:
            return unscored(f"The scorer failed: {shown(str(reply['error']))}")
        given = reply.get("value")
        verdict, reason = given if isinstance(given, list) and len(given) == 2 else (given, "")
        if not isinstance(verdict, bool) or not isinstance(reason, str):
            return unscored(f"The scorer returned {shown(str(reply.get('text')))}, neither True nor False.")
        said = reason[:MAX_REASON] or f"The scorer returned {verdict}."
        return passed(said) if verdict else failed(said)


def call_arguments(run: Transcript, case: CaseFields) -> JsonObject:
    """What the function is given."""
    messages: list[JsonValue] = [{"source": each.source, "text": each.text} for each in run.said]
    calls: list[JsonValue] = [{**asdict(each)} for each in run.calls]
    seen: JsonObject = {
        "answer": run.turns[-1].text if run.turns else "",
        "messages": messages,
        "calls": calls,
        "stopped_by": [*run.stopped_by],
    }
    known = case.model_dump(mode="json", include={"id", "task", "target", "fields", "tags", "cluster"})
    return {"run": seen, "case": known}
