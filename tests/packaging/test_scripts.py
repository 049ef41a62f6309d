"""The two commands of the README, with a Python in .venv that only writes down what it is asked."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.packaging.conftest import ROOT

PYTHON = """\
#!/bin/sh
echo "$*" >> asked
case "$*" in *"${FAILS:-nothing}"*) echo "$SAYS" >&2; exit 3 ;; esac
"""


@dataclass(frozen=True)
class Checkout:
    folder: Path

    def run(
        self, script: str, *arguments: str, fails: str = "nothing", says: str = "", locked: str = ""
    ) -> subprocess.CompletedProcess[str]:
        (self.folder / "asked").unlink(missing_ok=True)
        command = [str(self.folder / "scripts" / script), *arguments]
        there = {"STUDIO_CHROMIUM": "x", "STUDIO_DOCKER_BASE": __file__, "STUDIO_LOCKED": locked}
        told = {"FAILS": fails, "SAYS": says}
        return subprocess.run(command, capture_output=True, text=True, cwd="/", env={**os.environ, **told, **there})

    @property
    def asked(self) -> list[str]:
        """What Python ran, but for questions about itself."""
        lines = (self.folder / "asked").read_text().splitlines()
        return [line for line in lines if line.startswith(("-m", "scripts/"))]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    for name in ("pyproject.toml", "uv.lock", "build.lock"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(PYTHON)
    python.chmod(0o755)
    return Checkout(tmp_path)


def test_serve_installs_once_and_passes_its_arguments_on(checkout: Checkout):
    checkout.run("serve", "--port", "0")
    assert [line.split()[:3] for line in checkout.asked] == [["-m", "pip", "install"], ["-m", "studio", "serve"]]
    checkout.run("serve", "--port", "0")
    assert checkout.asked == ["-m studio serve --port 0"]


def test_a_changed_project_file_is_installed_again(checkout: Checkout):
    checkout.run("serve")
    (checkout.folder / "pyproject.toml").write_text("# another")
    checkout.run("serve")
    assert len(checkout.asked) == 2


def test_an_install_that_failed_is_tried_again(checkout: Checkout):
    assert checkout.run("serve", fails="pip install").returncode
    assert len(checkout.asked) == 1
    checkout.run("serve")
    assert len(checkout.asked) == 2


def test_what_the_checks_install_is_enough_to_serve(checkout: Checkout):
    checkout.run("test", "vendor")
    assert checkout.asked[0].endswith(".[dev]")
    checkout.run("serve")
    assert checkout.asked == ["-m studio serve"]


def test_a_locked_install_takes_each_package_by_its_hash_and_then_the_studio_alone(checkout: Checkout):
    checkout.run("test", "vendor", locked="1")
    installs = [line for line in checkout.asked if "pip install" in line]
    assert len(installs) == 3
    assert [("--require-hashes" in line, "--no-deps" in line) for line in installs] == [
        (True, False),
        (True, False),
        (False, True),
    ]
    checkout.run("test", "vendor", locked="1")
    assert checkout.asked == ["scripts/vendor.py check"]
    (checkout.folder / "uv.lock").write_text("# another")
    checkout.run("test", "vendor", locked="1")
    assert len(checkout.asked) > 1
    checkout.run("serve")
    assert checkout.asked == ["-m studio serve"]


def test_a_package_with_another_hash_ends_a_locked_install(checkout: Checkout):
    done = checkout.run("test", "vendor", locked="1", fails="--require-hashes", says="Hash mismatch for `ruff`")
    assert done.returncode
    assert len(checkout.asked) == 1


def test_where_the_index_lacks_a_package_of_the_lock_the_newest_are_installed(checkout: Checkout):
    done = checkout.run("test", "vendor", locked="1", fails="--require-hashes", says="No matching distribution")
    assert done.returncode == 0
    assert "are not all here" in done.stderr
    assert any(line.endswith("--editable .[dev]") for line in checkout.asked)


def test_a_failing_stage_is_named_and_ends_the_checks(checkout: Checkout):
    done = checkout.run("test", "lint", "types", fails="ruff format")
    assert done.returncode == 3
    assert "FAILED: lint" in done.stderr
    assert checkout.asked[-2:] == ["-m ruff check", "-m ruff format --check"]


def test_stages_that_pass_end_with_success(checkout: Checkout):
    assert checkout.run("test", "lint", "vendor", "tests").returncode == 0
    assert "scripts/vendor.py check" in checkout.asked  # beside what sets up the machine
    assert checkout.asked[-1] == "-m pytest -n 4 --dist loadfile --no-loadscope-reorder"


def test_types_are_checked_beside_the_tests_and_told_however_these_end(checkout: Checkout):
    done = checkout.run("test", "types", "vendor", "tests", fails="pyright")
    assert done.returncode == 3
    assert "FAILED: types" in done.stderr
    assert "scripts/vendor.py check" in checkout.asked
    assert any("--dist" in line for line in checkout.asked)
    both = checkout.run("test", "types", "tests", fails="-m py")
    assert both.returncode != 0
    assert "FAILED: tests" in both.stderr
    assert "FAILED: types" in both.stderr


def test_an_unknown_stage_is_refused_with_the_known_ones(checkout: Checkout):
    done = checkout.run("test", "lints")
    assert done.returncode == 2
    assert "Stages: lint types" in done.stderr
