"""Style sheets joined for a page: one answer in place of thirty, and still the files as they were written."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

IMPORT = re.compile(rb"""^@import url\(["']([^"']+)["']\);$""", re.MULTILINE)
JOINT = "+"
SUFFIX = ".css"


def with_imports(path: str, files: Mapping[str, bytes]) -> bytes:
    """A sheet with what it imports in its place. Addresses in it that are relative must hold from there as well."""
    folder = posixpath.dirname(path)

    def imported(found: re.Match[bytes]) -> bytes:
        name = posixpath.normpath(posixpath.join(folder, found[1].decode()))
        return _headed(name, files[name])

    return IMPORT.sub(imported, files[path])


def joined(path: str, files: Mapping[str, bytes]) -> bytes | None:
    """The sheets that `folder/one+two.css` names, one after the other; None when one of them is not there."""
    folder, name = posixpath.split(path)
    paths = [f"{folder}/{each}{SUFFIX}" for each in name.removesuffix(SUFFIX).split(JOINT)]
    if not name.endswith(SUFFIX) or len(paths) < 2 or any(each not in files for each in paths):
        return None
    return b"".join(_headed(each, files[each]) for each in paths)


def _headed(path: str, sheet: bytes) -> bytes:
    return f"/* {path} */\n".encode() + sheet
