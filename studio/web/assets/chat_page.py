"""The few files of the front end that a chat page loads. Strangers get these, and no others."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from studio.web.assets.assets import load_assets
from studio.web.assets.bundling import bundle

SCRIPT = "js/chat-page.js"
EMBED = "js/embed-chat.js"
SHEET = "chat-page.css"
SHEETS = (
    "css/tokens.css",
    "css/base.css",
    "css/layout.css",
    "css/components/button.css",
    "css/components/field.css",
    "css/components/playground-prose.css",
    "css/components/chat-page.css",
)
FONTS = ("fonts/inter-latin-wght-normal.woff2", "fonts/jetbrains-mono-latin-wght-normal.woff2")
ICON = "img/favicon.svg"
LAYERS = b"@layer tokens, base, layout, components, state, calm;\n"


@dataclass(frozen=True)
class ChatPageFiles:
    """What the page needs, by names without a folder."""

    files: Mapping[str, bytes]
    build_id: str
    importmap: str
    importmap_hash: str
    embed: bytes

    def url(self, path: str) -> str:
        """The address of a file, relative to that of the page."""
        return _url(self.build_id, path)


@functools.cache
def chat_page_files() -> ChatPageFiles:
    """The files, gathered once.

    Raises:
        SetupError: The front end is missing.
        NotBundleable: A module of the page has a form that the bundle does not know.
    """
    assets = load_assets()
    script = bundle(SCRIPT, assets.files, assets.packages)
    kept = {_name(path): assets.files[path] for path in (*FONTS, ICON, *script.apart)}
    sheets = b"".join(assets.files[path] for path in SHEETS).replace(b"../fonts/", b"")
    files = {**kept, _name(SCRIPT): script.code, SHEET: LAYERS + sheets}
    vendored = {name: path for name, path in assets.packages.items() if path in script.apart}
    urls = {path: _url(assets.build_id, path) for path in vendored.values()}
    imports = {name: urls[path] for name, path in vendored.items()}
    hashes = {urls[path]: assets.integrity[path] for path in vendored.values()}
    importmap = json.dumps({"imports": imports, "integrity": hashes}, separators=(",", ":"))
    digest = base64.b64encode(hashlib.sha256(importmap.encode()).digest()).decode()
    return ChatPageFiles(files, assets.build_id, importmap, f"sha256-{digest}", assets.files[EMBED])


def _name(path: str) -> str:
    return PurePosixPath(path).name


def _url(build_id: str, path: str) -> str:
    return f"./chat/files/{build_id}/{_name(path)}"
