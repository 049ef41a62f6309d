"""The wheel as a user gets it: built once, installed into an environment that holds nothing else of ours."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an environment with the wheel and with what its metadata requires, and nothing more.

    The required distributions are copied from the environment that runs the tests, so this needs no network; one that
    the metadata forgets is not copied, and its import fails.
    """
    folder = tmp_path_factory.mktemp("installed") / "environment"
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    # Without a shared index or cache: only the file that was built.
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--no-deps",
        "--no-index",
        "-qq",
        str(wheel),
    ]
    done = subprocess.run(install, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for needed in _required_by(_distribution_in(packages)):
        _copy(needed, packages)
    return folder


def _distribution_in(packages: Path) -> Distribution:
    return next(iter(Distribution.discover(name="team-studio", path=[str(packages)])))


def _required_by(first: Distribution) -> Iterator[Distribution]:
    """What pip would install along, with the extras that each requirement names."""
    seen: set[tuple[str, str]] = set()
    waiting: list[tuple[Distribution, str]] = [(first, "")]
    while waiting:
        owner, extra = waiting.pop()
        for text in owner.requires or ():
            requirement = Requirement(text)
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            needed = distribution(requirement.name)
            for wanted in ("", *requirement.extras):
                key = (re.sub(r"[-_.]+", "-", requirement.name).lower(), wanted)
                if key not in seen:
                    seen.add(key)
                    waiting.append((needed, wanted))
                    yield needed


def _copy(needed: Distribution, packages: Path) -> None:
    for file in needed.files or ():
        if file.parts[0] == ".." or "__pycache__" in file.parts:
            continue
        target = packages / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(str(file.locate()), target)
