"""Blocks of code as files: their names, and the programs that run them."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path

from studio.executors.workspace_files import write_within
from studio.messages import CodeBlock

PYTHON = frozenset(("python", "py"))
POWERSHELL = frozenset(("pwsh", "powershell", "ps1"))
SHELLS = frozenset(("bash", "shell", "sh"))
LANGUAGES = PYTHON | POWERSHELL | SHELLS
MADE_UP = "tmp_code_"
"""How file names begin that no code asked for."""


def write_script(block: CodeBlock, folder: Path, *, extension: str | None = None) -> Path:
    """Put a block of code into a file and return its path.

    Args:
        block: Its first line may name the file: `# filename: fit.py`.
        folder: The file is in it, or below.
        extension: Of a made-up name; worked out from the language when None.

    Raises:
        OutsideWorkspace: The named file is not in the folder.
    """
    language = block.language.lower()
    code = with_quiet_pip(block.code, language)
    ending = extension or ("py" if language in PYTHON else "ps1" if language in POWERSHELL else language)
    digest = hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()
    name = _named_file(code, folder) or f"{MADE_UP}{digest}.{ending}"
    return write_within(folder, name, code.encode("utf-8", "replace"))


def _named_file(code: str, folder: Path) -> str | None:
    """The name that the code asks for, relative to the folder."""
    first_line = code.split("\n", 1)[0]
    if not first_line.startswith("# filename:"):
        return None
    return os.path.relpath(folder / first_line.split(":")[1].strip(), folder)


def with_quiet_pip(code: str, language: str) -> str:
    """The code with `pip install` told to say nothing, so that the model reads results only."""
    if language == "python":
        pattern = re.compile(r"^! ?pip install")
    elif language in SHELLS | POWERSHELL:
        pattern = re.compile(r"^pip install")
    else:
        return code
    return "\n".join(
        line if "-qqq" in line else pattern.sub(lambda found: f"{found[0]} -qqq", line) for line in code.split("\n")
    )


def program_for(language: str) -> str:
    """The program that runs files of a language, by its usual name."""
    if language in PYTHON:
        return "python"
    if language in POWERSHELL:
        return "powershell" if shutil.which("pwsh") is None and shutil.which("powershell") else "pwsh"
    return "sh" if language == "shell" else language
