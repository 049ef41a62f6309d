"""Reads a Dockerfile as far as its tests need."""

from __future__ import annotations

import json
import re
from pathlib import Path

Instruction = tuple[str, str]
"""Its name in capitals, and the text after it."""


def instructions(file: Path) -> list[Instruction]:
    """Each instruction with its text, continued lines joined and comments left out."""
    lines = [line for line in file.read_text().splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    split = [line.partition(" ") for line in joined.splitlines() if line.strip()]
    return [(name.upper(), text.strip()) for name, _, text in split]


def stages(file: Path) -> list[list[Instruction]]:
    """The instructions of each stage, from its FROM on."""
    found: list[list[Instruction]] = []
    for name, text in instructions(file):
        if name == "FROM":
            found.append([])
        found[-1].append((name, text))
    return found


def json_form(text: str) -> list[str]:
    """The words of an instruction in its JSON form."""
    return json.loads(text)


def of(stage: list[Instruction], name: str) -> list[str]:
    """The texts of the instructions of one name."""
    return [text for instruction, text in stage if instruction == name]


def settings_of(stage: list[Instruction]) -> dict[str, str]:
    """The STUDIO_* variables that a stage sets, without that prefix."""
    return dict(re.findall(r"STUDIO_(\w+)=(\S+)", " ".join(of(stage, "ENV"))))
