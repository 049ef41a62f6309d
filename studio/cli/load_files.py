"""Files that a command was given, read with bounds, and the one component a command works on."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from studio.code import InvalidPython, SeveralComponents, read_script
from studio.components import JsonObject
from studio.errors import ConfigError, InvalidDocument
from studio.galleries import Entry, Gallery, parse_gallery
from studio.services.local_files import read_bytes
from studio.services.script_folder import ScriptFolder

MAX_OF_SCRIPT = 50
"""Components of one script that are all read: each is read by itself."""


def read_gallery(file: Path, *, may_stand_in: bool = True) -> Gallery:
    """What a file holds, as a gallery, be it one, a single component, or a Python script, which is not executed.

    Args:
        file: The file; `-` is standard input.
        may_stand_in: Whether parts may stand in for what is not read of a script.

    Raises:
        SetupError: The file cannot be read.
        InvalidDocument: It holds no component.
        InvalidPython: It is a script that makes none, or something besides.
    """
    found = _all_of_script(file, may_stand_in) if file.suffix == ".py" else read_bytes(file)
    return parse_gallery(found, name=file.stem if str(file) != "-" else "standard input")


def _all_of_script(file: Path, may_stand_in: bool) -> JsonValue:
    """The component of a script; where it makes several, each, labelled with its name."""
    try:
        return _script(file, may_stand_in, "")
    except SeveralComponents as several:
        names = several.names[:MAX_OF_SCRIPT]
        if left := several.names[MAX_OF_SCRIPT:]:
            print(f"{file}: note: {len(left)} more components are not read, from {left[0]!r} on.", file=sys.stderr)
        return [{**_script(file, may_stand_in, name), "label": name} for name in names]


def _script(file: Path, may_stand_in: bool, wanted: str) -> JsonObject:
    try:
        beside = ScriptFolder(file, Path.cwd())
        text = read_bytes(file).decode("utf-8-sig")
        reading = read_script(text, environment=os.environ, files=beside, wanted=wanted)
    except UnicodeDecodeError as error:
        raise InvalidDocument(f"{str(file)!r} is not UTF-8 text.", fix="Save it as UTF-8.") from error
    if reading.stand_ins and not may_stand_in:
        raise InvalidPython([replace(each, severity="error") for each in reading.stand_ins])
    for found in (each for each in reading.findings if not each.where):  # the others are in the component's report
        fix = f" {found.fix}" if found in reading.stand_ins else ""
        print(
            f"{found.place.file or file}:{found.place.line}:{found.place.column}: note: {found.message}{fix}",
            file=sys.stderr,
        )
    return reading.component


def read_document(file: Path, name: str, *, may_stand_in: bool = False) -> JsonObject:
    """The JSON of the one component of the file that can run or be exported.

    Args:
        file: A component, or a gallery.
        name: Label or name that picks one of several.
        may_stand_in: Whether parts may stand in for what is not read of a script, so that it does something else.

    Raises:
        ConfigError: Nothing fits, or several do.
    """
    if file.suffix == ".py":
        try:
            return _script(file, may_stand_in, name)
        except SeveralComponents as several:
            labels = ", ".join(several.names)
            raise ConfigError(several.what, fix=f"Choose one with --team: {labels}.") from several
    gallery = read_gallery(file, may_stand_in=may_stand_in)
    if gallery.rejected and not gallery.entries:
        first = gallery.rejected[0]
        raise ConfigError(first.message, fix=first.fix, where=first.where)
    return _picked(gallery, name).component


def _picked(gallery: Gallery, name: str) -> Entry:
    fitting = [entry for entry in gallery.entries if not name or name in _names(entry)]
    if len(fitting) > 1:
        fitting = [entry for entry in fitting if entry.group == "teams"] or fitting
    if len(fitting) == 1:
        return fitting[0]
    labels = ", ".join(repr(entry.label) for entry in fitting or gallery.entries)
    problem = "contains several components" if fitting else f"has no component named {name!r}"
    raise ConfigError(f"{gallery.name!r} {problem}.", fix=f"Choose one with --team: {labels}.")


def _names(entry: Entry) -> set[str]:
    config = entry.component.get("config")
    name = config.get("name") if isinstance(config, dict) else None
    return {entry.label, str(name or "")}
