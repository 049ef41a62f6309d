"""`scripts/vendor.py check` sees what was done to a third-party file, without network."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from scripts.vendor import check, imports
from tests.packaging.conftest import ROOT

CRELT = "vendor/crelt@1.0.7/index.js"


@pytest.fixture
def frontend(tmp_path: Path) -> Path:
    """A small front end with one locked package and one module of ours that imports it."""
    lock = json.loads((ROOT / "frontend/vendor.lock.json").read_text())["packages"]["crelt"]
    manifest = json.loads((ROOT / "frontend/vendor.json").read_text())["modules"]["crelt"]
    for place in lock["files"]:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "frontend" / place, tmp_path / place)
    (tmp_path / "vendor.lock.json").write_text(json.dumps({"packages": {"crelt": lock}}))
    (tmp_path / "vendor.json").write_text(json.dumps({"modules": {"crelt": manifest}, "fonts": {}}))
    (tmp_path / "static/js").mkdir(parents=True)
    (tmp_path / "static/js/page.js").write_text("import crelt from 'crelt'\n")
    return tmp_path


def test_what_is_committed_is_as_locked():
    assert check(ROOT / "frontend") == []


def test_an_untouched_copy_has_no_problem(frontend: Path):
    assert check(frontend) == []


def test_a_changed_file_is_seen(frontend: Path):
    with (frontend / CRELT).open("a") as file:
        file.write(" ")
    assert check(frontend) == [f"{CRELT} was changed after it was fetched"]


def test_a_missing_licence_is_seen(frontend: Path):
    (frontend / "vendor/crelt@1.0.7/LICENSE").unlink()
    assert check(frontend) == ["vendor/crelt@1.0.7/LICENSE is missing"]


def test_a_file_that_nobody_locked_is_seen(frontend: Path):
    (frontend / "vendor/crelt@1.0.7/more.js").write_text("")
    assert check(frontend) == ["vendor/crelt@1.0.7/more.js is not in the lock"]


def test_another_version_in_the_manifest_asks_for_a_sync(frontend: Path):
    manifest = frontend / "vendor.json"
    manifest.write_text(manifest.read_text().replace("1.0.7", "1.0.8"))
    assert check(frontend) == ["crelt is locked at 1.0.7, vendor.json says 1.0.8; run sync"]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("import 'htmx.org'", "imports 'htmx.org', which is not in the import map"),
        ("const view = await import('@codemirror/view')", "imports '@codemirror/view', which is not in the import map"),
        ("import { a } from './missing.js'", "imports './missing.js', which is not there"),
    ],
)
def test_an_import_that_the_browser_could_not_resolve_is_seen(frontend: Path, source: str, problem: str):
    (frontend / "static/js/page.js").write_text(source)
    assert check(frontend) == [f"static/js/page.js {problem}"]


def test_every_form_of_import_is_read_and_types_in_comments_are_not():
    source = """\
import a from 'one'
import { b,
  c } from "two"
import 'three'
export { d } from './four.js'
/** @type {import('no').Type} */
const e = () => import('five')
f();import{g}from"six"
const text = "from 'no'"
"""
    assert sorted(imports(source)) == ["./four.js", "five", "one", "six", "three", "two"]
