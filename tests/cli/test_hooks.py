"""Hooks from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Typed, written

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]


def test_hooks_are_added_listed_paused_and_removed(typed: Typed, tmp_path: Path):
    typed("deploy", written(tmp_path), "--name", "support")
    assert typed("hooks", "list", "support").out.startswith("No hooks.")
    made = typed("hooks", "add", "support", "GitHub", "Sort {{/issue/title}}.", "--kind", "github").out
    told = re.fullmatch(r"(\w{8})  GitHub\nPath:    /d/support/hooks/(\w{32})\nSecret:  (whsec_\S+)\n", made)
    assert told
    assert told[2].startswith(told[1])
    listed = typed("hooks", "list", "support").out
    assert f"{told[1]}  GitHub (github): 'Sort {{{{/issue/title}}}}.', on, /d/support/hooks/{told[2]}" in listed
    assert told[3] not in listed

    assert typed("hooks", "pause", "support", told[1]).out == f"The hook {told[1]} is paused.\n"
    [hook] = json.loads(typed("hooks", "list", "support", "--json").out)
    assert (hook["kind"], hook["is_on"], hook["by"]) == ("github", False, "command line")
    typed("hooks", "resume", "support", told[1])
    [hook] = json.loads(typed("hooks", "list", "support", "--json").out)
    assert hook["is_on"]
    assert typed("hooks", "remove", "support", hook["id"]).code == 0
    assert json.loads(typed("hooks", "list", "support", "--json").out) == []
    actions = [json.loads(line)["action"] for line in typed("audit", "--who", "command line").out.splitlines()]
    assert actions[2:] == ["add a hook", "pause a hook", "resume a hook", "delete a hook"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("add", "support", "GitHub", "Sort {{title}}."), "'title' is not a JSON pointer"),
        (("add", "support", "GitHub", " "), "A task has 1 to 20,000 characters"),
        (("add", "support", " ", "Go."), "A service has a name of 1 to 100 characters"),
        (("add", "nothing", "GitHub", "Go."), "nothing"),
        (("pause", "support", "0000"), "No hook of 'support' begins with '0000'"),
        (("remove", "support", ""), "No hook of 'support'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(typed: Typed, tmp_path: Path, arguments: tuple[str, ...], told: str):
    typed("deploy", written(tmp_path), "--name", "support")
    refused = typed("hooks", *arguments)
    assert refused.code != 0
    assert told in refused.err
    assert "Traceback" not in refused.err
    assert typed("hooks", "list", "support").out.startswith("No hooks.")
