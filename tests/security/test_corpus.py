"""No document, however hostile, does anything by being imported, opened, checked, compared, exported or listed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.security.corpus import documents
from tests.security.payloads import payloads
from tests.web.auditing import audited

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def canary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("corpus") / "canary"


@pytest.fixture(scope="module")
def results(canary: Path) -> Mapping[str, dict[str, Any]]:
    """What each document brought about, by its name. All go through one studio, one after another."""
    folder = canary.parent
    (folder / "evil_module.py").write_text(f"open({str(canary)!r}, 'w').close()\nEvil = print\n")
    (folder / "test_evil.py").write_text(f"open({str(canary)!r}, 'w').close()\nEvil = print\n")
    files: dict[str, Path] = {}
    for index, (name, content) in enumerate(documents(canary).items()):
        files[name] = folder / f"{index}.{'yaml' if name.startswith('YAML') else 'json'}"
        files[name].write_bytes(content)
    found = {result["file"]: result for result in audited(folder, list(files.values()), timeout_s=380)}
    return {name: found[path.name] for name, path in files.items()}


def test_there_is_one_for_each_published_attack_that_can_be_said_here(canary: Path):
    names = " ".join(documents(canary))
    assert len(documents(canary)) >= 60
    for attack in ("2025-3248", "2025-59528", "2026-40933", "2026-4810", "2025-64439", "2025-68613", "2026-21858"):
        assert attack in names, attack


def test_nothing_is_imported_executed_started_or_reached(results: Mapping[str, dict[str, Any]], canary: Path):
    acted = {name: result["seen"] for name, result in results.items() if result["seen"]}
    assert acted == {}
    assert not canary.exists()


def test_none_of_them_breaks_the_studio(results: Mapping[str, dict[str, Any]]):
    broken = {
        f"{name}: {step}": status
        for name, result in results.items()
        for step, status in result["steps"].items()
        if status >= 500
    }
    assert broken == {}


def test_nothing_of_one_is_seen_beside_the_next(results: Mapping[str, dict[str, Any]]):
    """Each document bears a mark of its own, which no answer about another one tells."""
    leaked = {name: result["leaked"] for name, result in results.items() if result["leaked"]}
    assert leaked == {}


def test_the_reports_name_what_each_could_do(results: Mapping[str, dict[str, Any]], canary: Path):
    """A person is told of the processes, hosts and code; a silent payload would be approved unread."""
    loud = re.compile(r"(workbench|tool), |source in a d|local command line")
    could = {name: results[name]["capabilities"] for name in payloads(canary) if loud.match(name)}
    assert len(could) > 10
    assert [name for name, capabilities in could.items() if not capabilities] == []
