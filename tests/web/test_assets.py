"""How the front end's files reach the browser."""

from __future__ import annotations

import gzip
import re
import socket
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from studio.settings import Settings
from studio.web.assets.assets import Assets, load_assets
from studio.web.assets.imports import modules_behind
from studio.web.listening import listen
from studio.web.templates import MODULE

PAGE_MODULES = ("js/builder.js", "js/playground.js", "js/teams.js", "js/gallery.js", "js/settings.js")


@pytest.fixture(scope="module")
def assets() -> Assets:
    return load_assets()


def test_a_page_names_all_modules_that_it_will_ask_for(client: TestClient, assets: Assets):
    page = client.get("/help").text
    links = re.findall(r'<link rel="modulepreload" href="([^"]+)"(?: integrity="([^"]+)")?>', page)
    assert links, "it has a vendored module, which stays apart"
    assert [url for url, _ in links] == [each.url for each in assets.loading("js/help.js").ahead]
    assert all(integrity for url, integrity in links if "/vendor/" in url)
    assert page.index("importmap") < page.index("modulepreload"), "the import map must be known first"
    assert all(client.get(url).status_code == 200 for url, _ in links)


def test_what_every_page_loads_comes_in_one_file_and_there_is_one_of_each(client: TestClient, assets: Assets):
    assert assets.loading("js/shell.js") == (assets.url("js/shell.joined.js"), ())
    assert "export { " in client.get(assets.url("js/shell.joined.js")).text
    assert client.get(assets.url("js/core/dom.js")).text.startswith("import { $js_core_dom } from '../shell.joined.js'")


def test_static_imports_are_followed_and_dynamic_ones_are_not():
    files = {
        "js/a.js": b"import './b.js'\nimport {\n  x,\n  y } from \"lib\"\nconst z = () => import('./later.js')\n",
        "js/b.js": b"// import './words.js'\nexport { q } from '../core/c.js'\nimport q from 'unknown'\n",
        "core/c.js": b"import * as a from '../js/a.js'\n",
        "js/later.js": b"",
        "js/words.js": b"",
        "vendor/lib/index.js": b"",
    }
    assert modules_behind("js/a.js", files, {"lib": "vendor/lib/index.js"}) == [
        "js/b.js",
        "vendor/lib/index.js",
        "core/c.js",
    ]


@pytest.mark.parametrize("entry", PAGE_MODULES)
def test_no_page_waits_for_the_code_editor_or_the_layout(assets: Assets, entry: str):
    behind = [each.url for each in assets.modules_behind(entry)]
    assert not [url for url in behind if "codemirror" in url or "dagre" in url]


HTMX = re.compile(r"\bhx-(?:get|post|put|patch|delete|boost)\b")


def test_htmx_comes_with_the_pages_that_use_it_and_no_other(assets: Assets):
    using: dict[str, bool] = {}
    for page in (assets.templates / "pages").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        included = [(assets.templates / name).read_text() for name in re.findall(r"fragments/[\w/]+\.html", text)]
        for entry in ["js/shell.js", *MODULE.findall(text)]:
            using.setdefault(entry, False)
        if HTMX.search("".join([text, *included])):
            using |= dict.fromkeys(MODULE.findall(text), True)
    assert using["js/help.js"]
    for entry, uses in using.items():
        assert any("htmx" in each.url for each in assets.modules_behind(entry)) == uses, entry


def test_the_builder_opens_without_what_draws_conversations(assets: Assets):
    behind = [each.url.rsplit("/js/")[-1] for each in assets.modules_behind("js/builder.js")]
    assert "playground/chat/chat.js" not in behind
    assert "builder/editor.js" in behind


def test_files_come_packed_where_that_is_understood(client: TestClient, assets: Assets):
    url = assets.url("js/builder.js")
    plain = client.get(url, headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    with client.stream("GET", url, headers={"Accept-Encoding": "gzip"}) as packed:
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(b"".join(packed.iter_raw())) == plain.content
    assert plain.content == (assets.static / "js/builder.js").read_bytes()
    assert plain.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert "immutable" in plain.headers["Cache-Control"]


@pytest.mark.parametrize("path", ["js", "js/none.js", "js/../../vendor.lock.json", ""])
def test_nothing_else_is_served(client: TestClient, assets: Assets, path: str):
    assert client.get(assets.url(path)).status_code == 404
    assert client.post(assets.url("js/builder.js")).status_code == 405


def test_answers_are_sent_at_once(tmp_path: Path):
    """asyncio turns off the wait for a confirmation only where a socket names its protocol."""
    listener = listen(Settings(data_dir=tmp_path, port=0))
    with listener:
        assert listener.proto == socket.IPPROTO_TCP
