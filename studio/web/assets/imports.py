"""Which modules a module of the front end needs before it can run."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

IMPORT = re.compile(rb"""^[ \t]*(?:import|export)\b(?:[^'"();]*?\bfrom)?\s*["']([^"'\n]+)["']""", re.MULTILINE)
"""Of static imports only: what is imported inside a function may never be needed."""


def modules_behind(entry: str, files: Mapping[str, bytes], packages: Mapping[str, str]) -> list[str]:
    """The paths of all modules that `entry` imports, directly or not, those nearest to it first."""
    found: dict[str, None] = {}
    waiting = [entry]
    for path in waiting:
        new = [each for each in imports_of(path, files, packages) if each not in found and each != entry]
        found.update(dict.fromkeys(new))
        waiting.extend(dict.fromkeys(new))
    return list(found)


def imports_of(path: str, files: Mapping[str, bytes], packages: Mapping[str, str]) -> Iterator[str]:
    """The paths of the modules that one names."""
    for name in IMPORT.findall(files[path]):
        target = _resolved(name.decode(), path, packages)
        if target in files:
            yield target


def _resolved(name: str, importer: str, packages: Mapping[str, str]) -> str:
    if name.startswith("."):
        return posixpath.normpath(posixpath.join(posixpath.dirname(importer), name))
    return packages.get(name, "")


CSS_IMPORT = re.compile(rb"""^@import url\(["']([^"']+)["']\);$""", re.MULTILINE)
JOINT = "+"
SUFFIX = ".css"


def with_imports(path: str, files: Mapping[str, bytes]) -> bytes:
    """A sheet with what it imports in its place. Addresses in it that are relative must hold from there as well."""
    folder = posixpath.dirname(path)

    def imported(found: re.Match[bytes]) -> bytes:
        name = posixpath.normpath(posixpath.join(folder, found[1].decode()))
        return _headed(name, files[name])

    return CSS_IMPORT.sub(imported, files[path])


def joined(path: str, files: Mapping[str, bytes]) -> bytes | None:
    """The sheets that `folder/one+two.css` names, one after the other; None when one of them is not there."""
    folder, name = posixpath.split(path)
    paths = [f"{folder}/{each}{SUFFIX}" for each in name.removesuffix(SUFFIX).split(JOINT)]
    if not name.endswith(SUFFIX) or len(paths) < 2 or any(each not in files for each in paths):
        return None
    return b"".join(_headed(each, files[each]) for each in paths)


def _headed(path: str, sheet: bytes) -> bytes:
    return f"/* {path} */\n".encode() + sheet
