"""The lock is in step with the project, and holds a hash for each file. Nothing here asks an index."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.packaging.conftest import ROOT

RENEW = "run scripts/lock"


def uv(*arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "uv", *arguments, "--offline", "--cache-dir", str(cache), "--project", str(ROOT)]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_lock_is_in_step_with_the_project(tmp_path: Path):
    done = uv("lock", "--check", cache=tmp_path)
    assert done.returncode == 0, f"{RENEW}: {done.stderr}"


def test_what_the_image_is_built_with_is_a_part_of_the_lock(tmp_path: Path):
    parts = ["--only-group", "build", "--no-emit-project", "--no-annotate", "--no-header"]
    done = uv("export", "--quiet", "--frozen", *parts, cache=tmp_path)
    assert done.stdout == (ROOT / "build.lock").read_text(), RENEW


def test_each_file_of_the_lock_has_its_hash():
    packages = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    others = [each for each in packages if each["name"] != "team-studio"]
    files = [file for each in others for file in (*each.get("wheels", ()), *filter(None, [each.get("sdist")]))]
    assert len(files) > len(others) / 2
    assert [file["url"] for file in files if not file["hash"].startswith("sha256:")] == []


def test_each_package_from_npm_has_its_hash():
    packages = json.loads((ROOT / "frontend/package-lock.json").read_text())["packages"]
    assert [name for name, each in packages.items() if name and not each.get("integrity")] == []
