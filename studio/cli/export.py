"""`studio export`: a team as a Python script."""

from __future__ import annotations

from pathlib import Path

from studio.cli.reading import read_runnable
from studio.code import export_python
from studio.errors import SetupError


def export_file(file: Path, name: str, out: Path | None) -> None:
    """Write the script to a file, or print it.

    Raises:
        ConfigError: The component cannot be written as Python.
        SetupError: The file cannot be written.
    """
    code = export_python(read_runnable(file, name))
    if out is None:
        print(code, end="")
        return
    try:
        out.write_text(code, encoding="utf-8")
    except OSError as error:
        raise SetupError(f"{str(out)!r} cannot be written: {error.strerror}.", fix="Choose another place.") from error
