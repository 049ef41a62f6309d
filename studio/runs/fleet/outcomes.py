"""What came of a command, as one process tells another: the status after it, or why it was refused."""

from __future__ import annotations

from typing import cast

from studio.errors import ConfigError, Conflict, Forbidden, NotFound, RunFailed, StudioError
from studio.runs.journal.log import JsonObject
from studio.runs.state import RunAlreadyEnded
from studio.runs.view import RunView

_KINDS: tuple[type[StudioError], ...] = (RunAlreadyEnded, Conflict, ConfigError, NotFound, Forbidden, RunFailed)
"""As which an error is raised again: the first that fits."""


def of_view(view: RunView) -> JsonObject:
    return {"view": view.as_json()}


def of_error(error: StudioError) -> JsonObject:
    kind = next((each.__name__ for each in _KINDS if isinstance(error, each)), "")
    return {"raised": kind, "error": cast("JsonObject", error.as_json()["error"])}


def read(outcome: JsonObject) -> RunView:
    """The status after the command.

    Raises:
        StudioError: It was refused; an error of the same kind, with the same code and words.
    """
    if "view" in outcome:
        return RunView.from_json(cast("JsonObject", outcome["view"]))
    error = cast("dict[str, str]", outcome["error"])
    kind = next((each for each in _KINDS if each.__name__ == outcome["raised"]), StudioError)
    as_raised = type(kind.__name__, (kind,), {"code": error["code"]})
    raise as_raised(error["message"], fix=error["fix"], where=error["where"])
