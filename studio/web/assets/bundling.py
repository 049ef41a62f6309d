"""A page's modules joined to one, so that a browser asks once and not a hundred times.

What is joined are the files as they were written but for the lines that are comments, a quarter of the bytes: each in
a function of its own, those that others import first. A source map leads a browser's tools back to them. Modules that
another entry of the page, or a later `import()` of either, loads as well stay apart, for there must be only one of
each. The files keep to a few forms of import and export; a page with a file in another form is loaded module by module.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from studio.web.assets.imports import modules_behind

IMPORT = re.compile(r"""^import\s+(?:(?P<names>[^'"]+?)\s+from\s+)?["'](?P<path>[^"'\n]+)["'][ \t]*$""", re.MULTILINE)
EXPORT = re.compile(r"^export (?P<kind>async function|function|class|const)(?P<star>\*? )(?P<name>\w+)", re.MULTILINE)
LATER = re.compile(r"\bimport\('(?P<path>\.[^']+)'\)")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
COMMENT_LINES = re.compile(r"^[ \t]*(?:/\*(?:(?!\*/).)*\*/[ \t]*|//[^\n]*)$", re.DOTALL | re.MULTILINE)
OTHER_FORM = re.compile(r"^(?:import|export)\b", re.MULTILINE)
BUNDLE_SUFFIX = ".joined.js"
MAP_SUFFIX = ".map"
VENDOR = "vendor/"
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class NotBundleable(Exception):
    """A module has a form that is not known here, or two import each other: they are loaded one by one."""


@dataclass(frozen=True)
class Bundle:
    """One module in place of many. `apart` are those that it still imports."""

    code: bytes
    source_map: bytes
    apart: tuple[str, ...]


def bundle(entry: str, beside: Collection[str], files: Mapping[str, bytes], packages: Mapping[str, str]) -> Bundle:
    """Join a module with all that it imports, but for what the entries `beside` it import.

    Raises:
        NotBundleable: It is to be loaded as it is.
    """
    everything = {entry, *modules_behind(entry, files, packages)}
    around = {*everything, *beside, *(path for each in beside for path in modules_behind(each, files, packages))}
    later = {path for each in around for path in _later(each, files)}
    apart = {each for each in everything if each.startswith(VENDOR)}
    for each in {*beside, *later}:
        apart |= {each, *modules_behind(each, files, packages)} & everything
    order = _in_order(entry, everything - apart, files)
    folder = posixpath.dirname(entry)
    named = {path: name for name, path in packages.items()}
    names = {path: f"$m{index}" for index, path in enumerate([*sorted(apart), *order])}
    heads = [
        f"import * as {names[path]} from '{named.get(path) or './' + posixpath.relpath(path, folder)}'"
        for path in sorted(apart)
    ]
    names |= {name: names[path] for name, path in packages.items() if path in names}
    blocks = [(path, _wrapped(path, files[path].decode(), names, folder)) for path in order]
    foot = f"//# sourceMappingURL={posixpath.basename(bundle_name(entry))}{MAP_SUFFIX}"
    code = "\n".join([*heads, *(block for _, block in blocks), foot, ""])
    return Bundle(code.encode(), _source_map(len(heads), blocks, folder), tuple(sorted(apart)))


def bundle_name(entry: str) -> str:
    return entry.removesuffix(".js") + BUNDLE_SUFFIX


def _target(importer: str, name: str) -> str:
    """The path that is meant; a package keeps its name."""
    if not name.startswith("."):
        return name
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), name))


def _later(path: str, files: Mapping[str, bytes]) -> Iterator[str]:
    for found in LATER.finditer(COMMENT.sub("", files[path].decode())):
        if (target := _target(path, found["path"])) in files:
            yield target


def _in_order(entry: str, own: set[str], files: Mapping[str, bytes]) -> list[str]:
    """Each after all that it imports."""
    done: dict[str, bool] = {}

    def visit(path: str) -> None:
        if path not in own or done.get(path):
            return
        if path in done:
            raise NotBundleable(f"{path} imports itself through other modules.")
        done[path] = False
        for found in IMPORT.finditer(files[path].decode()):
            visit(_target(path, found["path"]))
        del done[path]
        done[path] = True

    visit(entry)
    return list(done)


def _wrapped(path: str, text: str, names: Mapping[str, str], folder: str) -> str:
    """The module as a function that gives what it exports; each line stays a line."""
    text = COMMENT_LINES.sub(lambda found: "\n" * found[0].count("\n"), text)
    exported = [found["name"] for found in EXPORT.finditer(text)]

    def imported(found: re.Match[str]) -> str:
        what, module = found["names"] or "", names.get(_target(path, found["path"]))
        if module is None:
            raise NotBundleable(f"{path} imports {found['path']}, which is not a file of the studio.")
        taken = what.replace("* as ", "") if what.startswith("* as ") else what.replace(" as ", ": ")
        return (f"const {taken} = {module}" if what else "") + "\n" * (found[0].count("\n") - taken.count("\n"))

    def moved(found: re.Match[str]) -> str:
        return f"import('./{posixpath.relpath(_target(path, found['path']), folder)}')"

    body = EXPORT.sub(r"\g<kind>\g<star>\g<name>", IMPORT.sub(imported, text))
    if OTHER_FORM.search(body) or "import.meta" in body:
        raise NotBundleable(f"{path} imports or exports in an unknown form.")
    return f"const {names[path]} = (() => {{\n{LATER.sub(moved, body)}\nreturn {{ {', '.join(exported)} }} }})()"


def _source_map(lines_before: int, blocks: list[tuple[str, str]], folder: str) -> bytes:
    """Line for line: a block is one line of its own, the lines of its file, and one more."""
    lines: list[str] = [""] * lines_before
    last = 0
    for index, (_, block) in enumerate(blocks):
        count = block.count("\n") - 1
        lines += ["", f"A{_digit(1 if index else 0)}{_digit(-last)}A", *["AACA"] * (count - 1), ""]
        last = count - 1
    sources = [posixpath.relpath(path, folder) for path, _ in blocks]
    return json.dumps({"version": 3, "sources": sources, "names": [], "mappings": ";".join(lines)}).encode()


def _digit(value: int) -> str:
    """A number as source maps write it: its sign in the last bit, five bits to a digit."""
    rest = (abs(value) << 1) | (value < 0)
    digits = ""
    while True:
        rest, low = rest >> 5, rest & 31
        digits += DIGITS[low | (32 if rest else 0)]
        if not rest:
            return digits
