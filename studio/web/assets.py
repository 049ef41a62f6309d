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
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypedDict

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.types import Receive, Scope, Send

from studio.errors import SetupError
from studio.web.modules import modules_behind

FOREVER = "private, max-age=31536000, immutable"
BUILD_ID_LENGTH = 12
"""Hex digits; two builds that a browser ever sees differ in them."""

CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
"""Said here, since the tables of operating systems differ and the browser is told not to guess."""

PACKED = frozenset({".css", ".js", ".json", ".svg"})


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

    @functools.cache  # noqa: B019  there is one for the life of the server
    def modules_behind(self, entry: str) -> tuple[ModuleLink, ...]:
        """All modules that a module imports when it is loaded, so that none waits for another to be read."""
        found = modules_behind(entry, self.files, self.packages)
        return tuple(ModuleLink(self.url(path), self.integrity.get(path, "")) for path in found)

    def routes(self) -> list[BaseRoute]:
        return [Mount(self.prefix, KeptFiles(self.files), name="static")]


class KeptFiles:
    """Answers with files that never change under their address; a packed copy of each is made when first asked for."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._packed: dict[str, bytes] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(f"{scope['root_path']}/")
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        if path not in self._files:
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


def load_assets(frontend: Path | None = None) -> Assets:
    """Read the front end once, when the server starts.

    Raises:
        SetupError: The files are not where the package expects them.
    """
    frontend = frontend or find_frontend()
    files = _files(frontend)
    build_id = _build_id(files)
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
    package = Path(__file__).resolve().parent.parent
    for folder in (package.parent / "frontend", package / "_frontend"):
        if (folder / "vendor.lock.json").is_file():
            return folder
    raise SetupError(
        f"The pages of the studio are missing beside {str(package)!r}.",
        fix="Install it again: `pip install --force-reinstall team-studio`, or start it from a whole checkout.",
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
