"""Evaluations that reuse answers, killed at counted steps. `python -m tests.kills.evaluations` kills two hundred."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.extended import times
from tests.kills.evaluations import kill_evaluations

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_an_evaluation_that_reuses_answers_comes_to_the_same_after_a_kill_at_any_step(tmp_path: Path):
    steps, killed_count, problems = kill_evaluations(tmp_path, times(2, 4))
    assert problems == []
    assert killed_count >= times(1, 3)
    assert steps > 100
