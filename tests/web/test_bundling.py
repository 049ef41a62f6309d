"""A page's modules and style sheets, joined: the same files, in an order in which each finds what it imports."""

from __future__ import annotations

import json
import re

import pytest
from fastapi.testclient import TestClient

from studio.web.assets.assets import Assets, load_assets
from studio.web.assets.bundling import COMMENT_LINES, DIGITS, Bundle, NotBundleable, bundle, common_bundle, facade
from studio.web.assets.imports import joined, with_imports

FILES = {
    "js/page.js": b"""// @ts-check
import { a as first, B } from './lib/a.js'
import * as shared from './shared.js'
export function page() { return first + shared.one + new B() }
const later = () => import('./lib/later.js')
""",
    "js/lib/a.js": b"""import {
  c,
} from './c.js'
export const a = c
export class B {}
export async function* d() {}
""",
    "js/lib/c.js": b"import '../shared.js'\nimport { marked } from 'words'\nexport const c = 1\n",
    "js/lib/later.js": b"import { e } from '../e.js'\n",
    "js/e.js": b"export const e = 1\n",
    "js/shared.js": b"export const one = 1\n",
    "js/shell.js": b"import './shared.js'\n",
    "vendor/words/index.js": b"export const marked = 1\n",
}
PACKAGES = {"words": "vendor/words/index.js"}


@pytest.fixture(scope="module")
def assets() -> Assets:
    return load_assets()


def common(files: dict[str, bytes]) -> Bundle:
    return common_bundle(["js/shell.js"], files, PACKAGES)


def test_modules_are_joined_each_after_what_it_imports():
    made = bundle("js/page.js", FILES, PACKAGES, common(FILES))
    assert made.apart == ("vendor/words/index.js",)
    assert made.code.decode().splitlines() == [
        "import * as $m0 from 'words'",
        "import { $js_shared } from './shell.joined.js'",
        "const $m1 = (() => {",
        "",
        "const { marked } = $m0",
        "const c = 1",
        "",
        "return { c } })()",
        "const $m2 = (() => {",
        "const {",
        "  c,",
        "} = $m1",
        "const a = c",
        "class B {}",
        "async function* d() {}",
        "",
        "return { a, B, d } })()",
        "const $m3 = (() => {",
        "",
        "const { a: first, B } = $m2",
        "const shared = $js_shared",
        "function page() { return first + shared.one + new B() }",
        "const later = () => import('./lib/later.js')",
        "",
        "return { page } })()",
        "//# sourceMappingURL=page.joined.js.map",
    ]


def test_what_every_page_loads_is_joined_once_and_stands_under_its_own_addresses_too():
    files = {**FILES, "js/lib/a.js": b"export const a = 1\nexport function b() {}\n"}
    files["js/shell.js"] = b"import { a } from './lib/a.js'\nimport './shared.js'\n"
    made = common(files)
    assert made.apart == ()
    assert made.code.decode().splitlines()[-2:] == [
        "export { $js_lib_a, $js_shared, $js_shell }",
        "//# sourceMappingURL=shell.joined.js.map",
    ]
    assert facade("js/lib/a.js", made, files).decode().splitlines() == [
        "import { $js_lib_a } from '../shell.joined.js'",
        "export const { a, b } = $js_lib_a",
    ]


def test_what_is_loaded_later_stays_apart_unless_every_page_has_it():
    files = {**FILES, "js/shell.js": b"const later = () => import('./lib/c.js')\n"}
    made = bundle("js/page.js", files, PACKAGES, common(files))
    assert made.apart == ("js/lib/c.js", "js/shared.js", "vendor/words/index.js")
    files["js/shell.js"] += b"import './shared.js'\n"
    assert bundle("js/page.js", files, PACKAGES, common(files)).apart == ("js/lib/c.js", "vendor/words/index.js")


def test_each_line_leads_back_to_the_file_that_it_was_written_in():
    made = bundle("js/page.js", FILES, PACKAGES, common(FILES))
    lines, source_map = made.code.decode().splitlines(), json.loads(made.source_map)
    source = line = found = 0
    for text, mapping in zip(lines, source_map["mappings"].split(";"), strict=False):
        if not mapping:
            continue
        _, source_step, line_step, _ = numbers(mapping)
        source, line, found = source + source_step, line + line_step, found + 1
        written = FILES[f"js/{source_map['sources'][source]}"].decode().split("\n")[line]
        assert text in ("", written.removeprefix("export ")) or "import" in written or "from" in written
    assert found == sum(FILES[f"js/{path}"].count(b"\n") + 1 for path in source_map["sources"])


def numbers(mapping: str) -> list[int]:
    """What a part of a source map says, as numbers."""
    values = [0]
    shift = 0
    for digit in map(DIGITS.index, mapping):
        values[-1] += (digit & 31) << shift
        shift += 5
        if digit & 32 == 0:
            values[-1] = -(values[-1] >> 1) if values[-1] & 1 else values[-1] >> 1
            values.append(0)
            shift = 0
    return values[:-1]


def test_lines_that_are_comments_are_left_out_and_what_else_is_there_stays():
    text = """/**
 * One.
 */
export const a = 1 // beside
  // alone
const b = /* inside */ 2 /* after */
/** second */
export const c = '/* no comment */'
"""
    made = bundle("js/page.js", {"js/page.js": text.encode()}, {})
    assert made.code.decode().splitlines()[1:9] == [
        "",
        "",
        "",
        "const a = 1 // beside",
        "",
        "const b = /* inside */ 2 /* after */",
        "",
        "const c = '/* no comment */'",
    ]


def test_no_text_spans_lines_of_which_one_could_be_taken_for_a_comment(assets: Assets):
    aside = re.compile(r"`[^`]*`|//.*|/\*.*?\*/|'[^'\n]*'|/(?:\\.|\[[^\]\n]*\]|[^/\n])+/\w*")
    for path, content in assets.files.items():
        if path.startswith("js/") and path.endswith(".js"):
            code = COMMENT_LINES.sub("", content.decode())
            spanning = [line for line in code.split("\n") if "`" in line and aside.sub("", line).count("`") % 2]
            assert not spanning, path


@pytest.mark.parametrize("line", ["export default 1", "export * from './c.js'", "import c, { d } from './c.js'"])
def test_what_has_another_form_is_loaded_module_by_module(line: str):
    files = {"js/page.js": f"{line}\n".encode(), "js/c.js": b"import './page.js'\n"}
    with pytest.raises(NotBundleable):
        bundle("js/page.js", files, {})


@pytest.mark.parametrize("name", ["builder", "playground", "galleries", "settings", "teams"])
def test_all_modules_of_a_page_can_be_joined(assets: Assets, name: str):
    entry = f"js/{name}.js"
    if entry not in assets.files:
        pytest.skip("there is no such page")
    assert assets.bundle(entry) is not None


def test_a_page_asks_for_few_files(client: TestClient, assets: Assets):
    made = client.post("/api/teams", json={}).json()
    page = client.get(f"/teams/{made['id']}").text
    asked = re.findall(r'(?:rel="(?:stylesheet|modulepreload)" href|<script[^>]* src)="([^"]+)"', page)
    assert len(asked) == len(set(asked)) <= 30
    answers = {url: client.get(url) for url in asked}
    assert {answer.status_code for answer in answers.values()} == {200}
    joined_url = assets.loading("js/builder.js").url
    assert b"class Canvas" in answers[joined_url].content
    assert client.get(f"{joined_url}.map").json()["sources"]
    sheets = "".join(answers[url].text for url in asked if ".css" in url)
    assert "@import" not in sheets
    assert ".node {" in sheets


def test_sheets_keep_their_order_and_one_that_is_not_there_is_missed():
    files = {"css/a.css": b"a", "css/b.css": b"b", "css/all.css": b'@layer x;\n@import url("b.css");\nc'}
    assert joined("css/b+a.css", files) == b"/* css/b.css */\nb/* css/a.css */\na"
    assert joined("css/b+z.css", files) is None
    assert joined("css/a.css", files) is None
    assert with_imports("css/all.css", files) == b"@layer x;\n/* css/b.css */\nb\nc"
