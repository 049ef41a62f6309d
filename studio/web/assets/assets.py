"""The front end's files: where they are, the address they are served at, and what the browser may trust.

Files are served under `/static/<build id>/`, and the build id changes with any of them, so browsers keep them for good.
Modules import each other relatively and so stay under the same id; third-party modules are named in the import map,
each with the hash that `frontend/vendor.lock.json` locked. All are read once, when the server starts: a page of a
hundred small modules opens as fast as they are answered.
"""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypedDict

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.types import Receive, Scope, Send

from studio.errors import SetupError
from studio.web.assets.bundling import BUNDLE_SUFFIX, MAP_SUFFIX, Bundle, NotBundleable, bundle, common_bundle, facade
from studio.web.assets.imports import imports_of, joined, modules_behind, with_imports

FOREVER = "private, max-age=31536000, immutable"
COMMON_SHEET = "css/studio.css"
COMMON_ENTRIES = (
    "js/shell.js",
    "js/core/hidden-characters.js",
    "js/core/marked-text.js",
    "js/core/page-team.js",
    "js/core/permissions.js",
    "js/core/read-only.js",
)
"""What every page loads, in the bundle of the first: the shell, and the small modules that several pages import."""
BUILD_ID_LENGTH = 12
"""Hex digits; two builds that a browser ever sees differ in them."""

CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
"""Said here, since the tables of operating systems differ and the browser is told not to guess."""

MAX_BUNDLES = 100
"""Joined files that are kept; pages ask for a handful."""

PACKED = frozenset({".css", ".js", ".mjs", ".json", ".map", ".svg"})


class LockedPackage(TypedDict):
    """What vendor.lock.json holds of a package. `module` is its file in the import map; fonts have none."""

    version: str
    licence: str
    module: str | None
    files: dict[str, str]


class ModuleLink(NamedTuple):
    """A module to fetch ahead. `integrity` is what the import map says of it, if anything."""

    url: str
    integrity: str


class Loading(NamedTuple):
    """The script of a page, and the modules that it imports."""

    url: str
    ahead: tuple[ModuleLink, ...]


@dataclass(frozen=True, eq=False)
class Assets:
    """The front end. `importmap` is the text of the one inline script, `importmap_hash` its source in the CSP."""

    templates: Path
    static: Path
    files: Mapping[str, bytes]
    """By their paths under the address of the build; those of vendored packages begin with `vendor/`."""
    packages: Mapping[str, str]
    """The file that a bare module name stands for."""
    integrity: Mapping[str, str]
    """The locked hash of each of those files."""
    build_id: str
    importmap: str
    importmap_hash: str

    @property
    def prefix(self) -> str:
        return f"/static/{self.build_id}"

    def url(self, path: str) -> str:
        """The address of a file of the static folder, or of the vendor folder as `vendor/...`."""
        return f"{self.prefix}/{path}"

    def modules_behind(self, entry: str) -> tuple[ModuleLink, ...]:
        """All modules that a module imports when it is loaded by itself."""
        return self._links(modules_behind(entry, self.files, self.packages))

    def _links(self, paths: Iterable[str]) -> tuple[ModuleLink, ...]:
        return tuple(ModuleLink(self.url(path), self.integrity.get(path, "")) for path in paths)

    @functools.cache  # noqa: B019  there is one for the life of the server
    def loading(self, entry: str) -> Loading:
        """What a page loads for one of its modules, so that none waits for another to be read."""
        module = self.bundle(entry)
        if module is None:
            return Loading(self.url(entry), self.modules_behind(entry))
        return Loading(self.url(module.path), self._links([*module.apart, *self._facades_for(module)]))

    def _facades_for(self, module: Bundle) -> list[str]:
        """What modules that stay apart import of those that every page loads."""
        common = self.common()
        named = {path for each in module.apart for path in imports_of(each, self.files, self.packages)}
        return sorted(named & common.names.keys()) if common else []

    def routes(self) -> list[BaseRoute]:
        return [Mount(self.prefix, CachedFiles({**self.files, **self._facades()}, self._made), name="static")]

    @functools.cache  # noqa: B019  as above
    def _facades(self) -> dict[str, bytes]:
        common = self.common()
        return {path: facade(path, common, self.files) for path in common.names} if common else {}

    @functools.cache  # noqa: B019  as above
    def common(self) -> Bundle | None:
        """What every page loads, in one; None where it is to be loaded module by module."""
        try:
            return common_bundle(COMMON_ENTRIES, self.files, self.packages)
        except NotBundleable:
            return None

    @functools.cache  # noqa: B019  as above
    def bundle(self, entry: str) -> Bundle | None:
        """A page's module with all that it imports in one; None where it is to be loaded module by module."""
        common = self.common()
        if common is None or entry in common.names:
            return common
        try:
            return bundle(entry, self.files, self.packages, common)
        except NotBundleable:
            return None

    def _made(self, path: str) -> bytes | None:
        entry = path.removesuffix(MAP_SUFFIX).removesuffix(BUNDLE_SUFFIX) + ".js"
        module = self.bundle(entry) if BUNDLE_SUFFIX in path and entry in self.files else None
        if module is not None and path in (module.path, module.path + MAP_SUFFIX):
            return module.source_map if path.endswith(MAP_SUFFIX) else module.code
        return joined(path, self.files)


class CachedFiles:
    """Answers with files that never change under their address; a packed copy of each is made when first asked for."""

    def __init__(self, files: Mapping[str, bytes], make: Callable[[str], bytes | None] = lambda _: None) -> None:
        """`make` makes a file that is none of `files`, if there is such a one."""
        self._files = dict(files)
        self._make = make
        self._most = len(files) + MAX_BUNDLES
        self._packed: dict[str, bytes] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(f"{scope['root_path']}/")
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        if path not in self._files and not self._has_made(path):
            raise HTTPException(404)
        suffix = PurePosixPath(path).suffix
        headers = {
            "Cache-Control": FOREVER,
            "Content-Type": CONTENT_TYPES.get(suffix, "application/octet-stream"),
            "Vary": "Accept-Encoding",
        }
        body = self._files[path]
        if suffix in PACKED and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            body = self._packed.get(path) or self._packed.setdefault(path, gzip.compress(body, 6, mtime=0))
        await Response(body, headers=headers)(scope, receive, send)

    def _has_made(self, path: str) -> bool:
        made = self._make(path) if len(self._files) < self._most else None
        if made is not None:
            self._files[path] = made
        return made is not None


@functools.cache
def load_assets(frontend: Path | None = None) -> Assets:
    """Read the front end once, when the first server of a process starts.

    Raises:
        SetupError: The files are not where the package expects them.
    """
    frontend = frontend or find_frontend()
    files = _files(frontend)
    build_id = _build_id(files)
    files[COMMON_SHEET] = with_imports(COMMON_SHEET, files)
    packages, integrity = _vendored_modules(frontend)
    importmap = _importmap(packages, integrity, f"/static/{build_id}")
    return Assets(
        templates=frontend / "templates",
        static=frontend / "static",
        files=files,
        packages=packages,
        integrity=integrity,
        build_id=build_id,
        importmap=importmap,
        importmap_hash=_hash("sha256", importmap.encode()),
    )


def find_frontend() -> Path:
    """The `frontend` folder of the checkout that this file is in, else the copy inside the installed package."""
    package = Path(__file__).resolve().parents[2]
    for folder in (package.parent / "frontend", package / "_frontend"):
        if (folder / "vendor.lock.json").is_file():
            return folder
    raise SetupError(
        f"The pages of the studio are missing beside {str(package)!r}.",
        fix="Reinstall it: `pip install --force-reinstall team-studio`, or start it from a complete checkout.",
    )


def _build_id(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for path, content in sorted(files.items()):
        digest.update(path.encode() + b"\0")
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:BUILD_ID_LENGTH]


def _files(frontend: Path) -> dict[str, bytes]:
    folders = {"": frontend / "static", "vendor/": frontend / "vendor"}
    return {
        prefix + file.relative_to(folder).as_posix(): file.read_bytes()
        for prefix, folder in folders.items()
        for file in folder.rglob("*")
        if file.is_file()
    }


def _vendored_modules(frontend: Path) -> tuple[dict[str, str], dict[str, str]]:
    locked: dict[str, LockedPackage] = json.loads((frontend / "vendor.lock.json").read_text())["packages"]
    packages = {name: package["module"] for name, package in sorted(locked.items()) if package["module"]}
    return packages, {module: locked[name]["files"][module] for name, module in packages.items()}


def _importmap(packages: Mapping[str, str], integrity: Mapping[str, str], prefix: str) -> str:
    imports = {name: f"{prefix}/{module}" for name, module in packages.items()}
    hashes = {f"{prefix}/{module}": value for module, value in integrity.items()}
    return json.dumps({"imports": imports, "integrity": hashes}, separators=(",", ":"))


def _hash(algorithm: str, content: bytes) -> str:
    return f"{algorithm}-{base64.b64encode(hashlib.new(algorithm, content).digest()).decode()}"
