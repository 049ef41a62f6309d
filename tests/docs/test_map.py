"""The map of changes leads to places that exist, and each line to a test."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAP = ROOT / "docs/design/map.md"
LEAST = 10


def test_each_line_of_the_map_leads_to_its_places_and_to_a_test():
    lines = [line.split(" | ") for line in MAP.read_text().splitlines() if line.startswith("| ")][1:]
    assert len(lines) >= LEAST
    for change, *places, test in lines:
        named = re.findall(r"`([^`]+)`", " ".join(places))
        assert named, change
        assert [path for path in named if not (ROOT / path).exists()] == [], change
        [tested] = re.findall(r"`(tests/[^`]+\.py)`", test)
        assert (ROOT / tested).is_file(), change


def test_contributors_are_led_to_the_map():
    assert "(docs/design/map.md)" in (ROOT / "CONTRIBUTING.md").read_text()
