"""The Python of each ready team is a program: started with the task, it says what the recording tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.code import export_python
from studio.components import load_component
from studio.services.builtin_galleries import builtin_galleries
from studio.services.ready_teams import DELAY_S, TEAM, ReadyTeam, Step
from tests.processes import run

READY = [team for each in builtin_galleries() for team in each.ready_teams]
STARTER = """
import runpy, sys

def main(arguments):
    sys.argv = ["exported.py", *arguments]
    runpy.run_path("exported.py", run_name="__main__")
"""
"""As `python exported.py` does, in a process that has imported the studio already."""


@pytest.mark.slow
@pytest.mark.parametrize("ready", READY, ids=lambda ready: ready.slug)
def test_the_python_of_each_runs(ready: ReadyTeam, tmp_path: Path):
    source = export_python(load_component(ready.component)).replace(f"delay_s={DELAY_S}", "delay_s=0")
    (tmp_path / "exported.py").write_text(source, encoding="utf-8")
    package = tmp_path / "starter"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(STARTER, encoding="utf-8")
    answers = "".join(f"{' '.join(text.split())}\n" for text in ready.answers())
    code, out, err = run(ready.task, module="starter", folder=tmp_path, stdin=answers)
    assert code == 0, err
    assert [step.text for step in said_by_agents(ready) if step.text.strip() not in out] == []


def said_by_agents(ready: ReadyTeam) -> list[Step]:
    return [
        step
        for step in ready.recording
        if step.by != TEAM and step.by not in ready.people and step.text and not step.call and not step.handoff
    ]
