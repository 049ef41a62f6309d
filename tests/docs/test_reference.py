"""The generated reference is current, and the pages point at things that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)#\s]+)[^)]*\)")


@pytest.mark.slow
def test_the_reference_is_current():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "generate_reference.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr + "Run `python scripts/generate_reference.py`."


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path):
    targets = [target for target in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target]
    assert [target for target in targets if not (page.parent / target).exists()] == []


PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")
PICTURED = [*PAGES, ROOT / "README.md"]


def pictures_of(page: Path) -> set[Path]:
    named = [first or second for first, second in PICTURE.findall(page.read_text(encoding="utf-8"))]
    return {(page.parent / name).resolve() for name in named if "://" not in name}


def test_every_picture_is_there_and_shown_somewhere():
    shown = set[Path]().union(*(pictures_of(page) for page in PICTURED))
    assert shown == {path.resolve() for path in (ROOT / "docs").rglob("*.png")}


def test_the_pictures_together_stay_small():
    assert sum(path.stat().st_size for path in (ROOT / "docs").rglob("*.png")) < 4_000_000
