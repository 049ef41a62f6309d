"""Modules joined to one, so that a browser asks once and not a hundred times: those of every page, and those of a page.

What is joined are the files as they were written but for the lines that are comments, a quarter of the bytes: each in
a function of its own, those that others import first. A source map leads a browser's tools back to them. There must be
only one of each module: a page's bundle takes what every page has from the bundle of that, and under the address of
such a module stands a facade of it. What a later `import()` of a page loads as well stays apart. The files keep to a
few forms of import and export; with a file in another form, they are loaded module by module.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from studio.web.assets.imports import modules_behind

IMPORT = re.compile(r"""^import\s+(?:(?P<names>[^'"]+?)\s+from\s+)?["'](?P<path>[^"'\n]+)["'][ \t]*$""", re.MULTILINE)
EXPORT = re.compile(r"^export (?P<kind>async function|function|class|const)(?P<star>\*? )(?P<name>\w+)", re.MULTILINE)
LATER = re.compile(r"\bimport\('(?P<path>\.[^']+)'\)")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
COMMENT_LINES = re.compile(r"^[ \t]*(?:/\*(?:(?!\*/).)*\*/[ \t]*|//[^\n]*)$", re.DOTALL | re.MULTILINE)
OTHER_FORM = re.compile(r"^(?:import|export)\b", re.MULTILINE)
NO_WORD = re.compile(r"[^\w$]")
BUNDLE_SUFFIX = ".joined.js"
MAP_SUFFIX = ".map"
VENDOR = "vendor/"
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class NotBundleable(Exception):
    """A module has a form that is not known here, or two import each other: they are loaded one by one."""


@dataclass(frozen=True)
class Bundle:
    """One module in place of many. `apart` are those that it still imports by themselves."""

    path: str
    code: bytes
    source_map: bytes
    apart: tuple[str, ...]
    names: Mapping[str, str]
    """What it calls each module that it holds."""


def bundle(entry: str, files: Mapping[str, bytes], packages: Mapping[str, str], common: Bundle | None = None) -> Bundle:
    """Join a module of a page with all that it imports, but for what every page has.

    Raises:
        NotBundleable: It is to be loaded as it is.
    """
    everything = {entry, *modules_behind(entry, files, packages)}
    shared: Mapping[str, str] = common.names if common else {}
    apart = {each for each in everything if each.startswith(VENDOR)}
    for later in {later for each in (*everything, *shared) for later in _later(each, files)}:
        apart |= {later, *modules_behind(later, files, packages)} & everything
    apart -= shared.keys()
    order = _in_order([entry], everything - apart - shared.keys(), files)
    folder, named = posixpath.dirname(entry), {path: name for name, path in packages.items()}
    names = {path: f"$m{index}" for index, path in enumerate([*sorted(apart), *order])}
    heads = [f"import * as {names[path]} from '{named.get(path) or _relative(path, folder)}'" for path in sorted(apart)]
    if common and (used := sorted(everything & shared.keys())):
        names |= {path: shared[path] for path in used}
        heads.append(f"import {{ {', '.join(names[path] for path in used)} }} from '{_relative(common.path, folder)}'")
    return _joined(bundle_name(entry), heads, order, names, files, packages, apart)


def common_bundle(entries: Sequence[str], files: Mapping[str, bytes], packages: Mapping[str, str]) -> Bundle:
    """Join what every page loads. It exports each of its modules under the name that it has there.

    Raises:
        NotBundleable: They are to be loaded as they are.
    """
    everything = {*entries, *(path for entry in entries for path in modules_behind(entry, files, packages))}
    if any(path.startswith(VENDOR) for path in everything):
        raise NotBundleable("What every page loads holds a vendored module, which has an address of its own.")
    names = {path: NO_WORD.sub("_", f"${path.removesuffix('.js')}") for path in sorted(everything)}
    order = _in_order(entries, everything, files)
    return _joined(
        bundle_name(entries[0]), [], order, names, files, packages, (), f"export {{ {', '.join(names.values())} }}"
    )


def facade(path: str, common: Bundle, files: Mapping[str, bytes]) -> bytes:
    """What stands under the address of a module that the bundle of every page holds: that one, by its own names."""
    name, exported = common.names[path], ", ".join(_exported(files[path].decode()))
    imported = f"import {{ {name} }} from '{_relative(common.path, posixpath.dirname(path))}'"
    return f"{imported}\nexport const {{ {exported} }} = {name}\n".encode()


def _joined(
    path: str,
    heads: list[str],
    order: Sequence[str],
    names: Mapping[str, str],
    files: Mapping[str, bytes],
    packages: Mapping[str, str],
    apart: Collection[str],
    export: str = "",
) -> Bundle:
    folder = posixpath.dirname(path)
    known = {**names, **{name: names[module] for name, module in packages.items() if module in names}}
    blocks = [(each, _wrapped(each, files[each].decode(), known, folder)) for each in order]
    foot = f"//# sourceMappingURL={posixpath.basename(path)}{MAP_SUFFIX}"
    lines = [*heads, *(block for _, block in blocks), *([export] if export else []), foot, ""]
    held = {each: names[each] for each in order}
    return Bundle(path, "\n".join(lines).encode(), _source_map(len(heads), blocks, folder), tuple(sorted(apart)), held)


def bundle_name(entry: str) -> str:
    return entry.removesuffix(".js") + BUNDLE_SUFFIX


def _relative(path: str, folder: str) -> str:
    """How a file of this folder names another one."""
    name = posixpath.relpath(path, folder)
    return name if name.startswith(".") else f"./{name}"


def _exported(text: str) -> list[str]:
    return [found["name"] for found in EXPORT.finditer(text)]


def _target(importer: str, name: str) -> str:
    """The path that is meant; a package keeps its name."""
    if not name.startswith("."):
        return name
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), name))


def _later(path: str, files: Mapping[str, bytes]) -> Iterator[str]:
    for found in LATER.finditer(COMMENT.sub("", files[path].decode())):
        if (target := _target(path, found["path"])) in files:
            yield target


def _in_order(entries: Iterable[str], own: set[str], files: Mapping[str, bytes]) -> list[str]:
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

    for entry in entries:
        visit(entry)
    return list(done)


def _wrapped(path: str, text: str, names: Mapping[str, str], folder: str) -> str:
    """The module as a function that gives what it exports; each line stays a line."""
    text = COMMENT_LINES.sub(lambda found: "\n" * found[0].count("\n"), text)
    exported = _exported(text)

    def imported(found: re.Match[str]) -> str:
        what, module = found["names"] or "", names.get(_target(path, found["path"]))
        if module is None:
            raise NotBundleable(f"{path} imports {found['path']}, which is not a file of the studio.")
        taken = what.replace("* as ", "") if what.startswith("* as ") else what.replace(" as ", ": ")
        return (f"const {taken} = {module}" if what else "") + "\n" * (found[0].count("\n") - taken.count("\n"))

    def moved(found: re.Match[str]) -> str:
        return f"import('{_relative(_target(path, found['path']), folder)}')"

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
