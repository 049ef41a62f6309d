"""The front end's files: where they are, the address they are served at, and what the browser may trust.

Files are served under `/static/<build id>/`, and the build id changes with any of them, so browsers keep them for good.
Modules import each other relatively and so stay under the same id; third-party modules are named in the import map,
each with the hash that `frontend/vendor.lock.json` locked.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike, stat_result
from pathlib import Path, PurePosixPath
from typing import TypedDict

from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from studio.errors import SetupError

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


class LockedPackage(TypedDict):
    """What vendor.lock.json holds of a package. `module` is its file in the import map; fonts have none."""

    version: str
    licence: str
    module: str | None
    files: dict[str, str]


@dataclass(frozen=True)
class Assets:
    """The front end. `importmap` is the text of the one inline script, `importmap_hash` its source in the CSP."""

    templates: Path
    static: Path
    vendor: Path
    build_id: str
    importmap: str
    importmap_hash: str

    @property
    def prefix(self) -> str:
        return f"/static/{self.build_id}"

    def url(self, path: str) -> str:
        """The address of a file of the static folder, or of the vendor folder as `vendor/...`."""
        return f"{self.prefix}/{path}"

    def routes(self) -> list[BaseRoute]:
        """Mounts for the app, the more exact one first."""
        return [
            Mount(f"{self.prefix}/vendor", KeptFiles(directory=self.vendor), name="vendor"),
            Mount(self.prefix, KeptFiles(directory=self.static), name="static"),
        ]


class KeptFiles(StaticFiles):
    """Files that never change under their address."""

    def file_response(
        self, full_path: str | PathLike[str], stat_result: stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = FOREVER
        if content_type := CONTENT_TYPES.get(Path(full_path).suffix):
            response.headers["Content-Type"] = content_type
        return response


def load_assets(frontend: Path | None = None) -> Assets:
    """Read the front end once, when the server starts.

    Raises:
        SetupError: The files are not where the package expects them.
    """
    frontend = frontend or find_frontend()
    build_id = _build_id(frontend)
    importmap = _importmap(_locked_packages(frontend), f"/static/{build_id}")
    return Assets(
        templates=frontend / "templates",
        static=frontend / "static",
        vendor=frontend / "vendor",
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


def _build_id(frontend: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(_files(frontend), key=lambda path: path.relative_to(frontend).as_posix()):
        digest.update(file.relative_to(frontend).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:BUILD_ID_LENGTH]


def _files(frontend: Path) -> Iterator[Path]:
    for folder in ("static", "vendor"):
        yield from (path for path in (frontend / folder).rglob("*") if path.is_file())


def _locked_packages(frontend: Path) -> dict[str, LockedPackage]:
    return json.loads((frontend / "vendor.lock.json").read_text())["packages"]


def _importmap(packages: dict[str, LockedPackage], prefix: str) -> str:
    imports: dict[str, str] = {}
    integrity: dict[str, str] = {}
    for name, package in sorted(packages.items()):
        if module := package["module"]:
            imports[name] = str(PurePosixPath(prefix) / module)
            integrity[imports[name]] = package["files"][module]
    return json.dumps({"imports": imports, "integrity": integrity}, separators=(",", ":"))


def _hash(algorithm: str, content: bytes) -> str:
    return f"{algorithm}-{base64.b64encode(hashlib.new(algorithm, content).digest()).decode()}"
