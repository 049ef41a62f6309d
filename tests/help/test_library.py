"""The documentation as Help shows it: what a page may hold, where its links lead, and what a search finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.errors import NotFound, SetupError
from studio.help import Library, load_library
from studio.help.library import MAX_PAGE_BYTES, Neighbours

PNG = b"\x89PNG\r\n\x1a\n" + (13).to_bytes(4) + b"IHDR" + (640).to_bytes(4) + (400).to_bytes(4)


def library(folder: Path, text: str = "", **pages: str) -> Library:
    """A small one: a how-to of this text, and others by name."""
    (folder / "how-to/images").mkdir(parents=True)
    (folder / "how-to/images/form.png").write_bytes(PNG)
    (folder / "how-to/images/form-dark.png").write_bytes(PNG)
    (folder / "index.md").write_text("# Index\n\n[Second](how-to/second.md) [First](how-to/first.md)\n")
    for name, body in {"first": text or "# First\n", "second": "# Second\n", **pages}.items():
        (folder / f"how-to/{name}.md").write_text(body)
    return Library(folder).rendered()


def html_of(folder: Path, text: str) -> str:
    return library(folder, text).page("how-to", "first").html


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick=alert(1)>b</b>",
        "<iframe src='https://a.example'></iframe>",
        "<kbd onclick=alert(1) style='color: red'>K</kbd>",
        "<picture><source srcset='x' onload=alert(1)><img src='images/form.png' onload=alert(1)></picture>",
        "[a](javascript:alert(1))",
        '![a](images/form.png "t onload=alert(1)")',
        "| a |\n|--:|\n| 1 |",
        "```python onload=alert(1)\npass\n```",
        '```"><script>alert(1)</script>\npass\n```',
    ],
)
def test_nothing_in_a_page_can_run(tmp_path: Path, hostile: str):
    html = html_of(tmp_path, f"# First\n\n{hostile}\n")
    tags = [piece.partition(">")[0] for piece in html.split("<")[1:]]
    assert not any(tag.startswith(("script", "iframe", "b ")) for tag in tags), html
    assert not any(word in tag for tag in tags for word in ("onclick", "onload", "onerror", "style=", "javascript")), (
        html
    )


def test_links_lead_through_the_studio_or_stay_words(tmp_path: Path):
    html = html_of(
        tmp_path,
        "# First\n\n[a](second.md) [b](second.md#place) [c](../index.md) [d](../design/x.md) [e](#here) "
        "[f](https://example.com/) [g](../../../etc/passwd)\n",
    )
    assert '<a href="/help/how-to/second">a</a>' in html
    assert '<a href="/help/how-to/second#place">b</a>' in html
    assert '<a href="/help">c</a>' in html
    assert "<span>d</span>" in html
    assert '<a href="#here">e</a>' in html
    assert '<a href="https://example.com/" rel="noreferrer">f</a>' in html
    assert "<span>g</span>" in html


def test_pictures_have_an_address_a_size_and_a_theme(tmp_path: Path):
    dark = "<source media='(prefers-color-scheme: dark)' srcset='images/form-dark.png'>"
    html = html_of(
        tmp_path,
        "# First\n\n![The form](images/form.png) ![Gone](images/gone.png)\n\n"
        f"<picture>\n{dark}\n<img alt='Form' src='images/form.png' width='320'>\n</picture>\n",
    )
    assert (
        '<a href="/help/pictures/form.png"><img src="/help/pictures/form.png" alt="The form" width="640" height="400"'
        in html
    )
    assert "Gone" in html
    assert "gone.png" not in html
    light = '<img src="/help/pictures/form.png" alt="Form" width="320" height="200" loading="lazy">'
    assert f'<a href="/help/pictures/form.png" data-theme-only="light">{light}</a>' in html
    assert '<a href="/help/pictures/form-dark.png" data-theme-only="dark">' in html


def test_headings_have_anchors_that_differ(tmp_path: Path):
    page = library(tmp_path, "# First\n\n## Read `a` file\n\n## Read `a` file\n\n### Deeper\n").page("how-to", "first")
    assert page.title == "First"
    assert [(each.level, each.anchor) for each in page.headings] == [
        (2, "read-a-file"),
        (2, "read-a-file-1"),
        (3, "deeper"),
    ]
    assert '<h2 id="read-a-file-1">' in page.html
    assert "<h1" not in page.html


def test_a_table_says_its_alignment_without_a_style(tmp_path: Path):
    assert '<td data-align="end">1</td>' in html_of(tmp_path, "# First\n\n| a |\n|--:|\n| 1 |\n")


def test_pages_follow_each_other_as_the_index_has_them(tmp_path: Path):
    found = library(tmp_path, third="# Third\n")
    second, first, third = (found.page("how-to", name) for name in ("second", "first", "third"))
    assert list(found.pages.values()) == [second, first, third]
    assert found.neighbours(first) == Neighbours(second, third)
    assert found.neighbours(second).previous is None
    assert found.neighbours(third).next is None


@pytest.mark.parametrize("name", ["nowhere", "../index", "..", "first.md", "/etc/passwd", ""])
def test_only_pages_and_pictures_of_the_folder_are_found(tmp_path: Path, name: str):
    found = library(tmp_path)
    with pytest.raises(NotFound):
        found.page("how-to", name)
    with pytest.raises(NotFound):
        found.picture(name)


def test_a_page_that_is_too_large_is_refused(tmp_path: Path):
    with pytest.raises(SetupError, match="larger than"):
        library(tmp_path, "x" * (MAX_PAGE_BYTES + 1))


def test_a_title_comes_before_a_heading_and_that_before_text(tmp_path: Path):
    found = library(
        tmp_path,
        "# First\n\nThe budget is small.\n",
        second="# Second\n\n## Set a budget\n\nMoney.\n",
        third="# Set budgets\n\nCosts.\n",
    )
    assert [(hit.url, hit.heading) for hit in found.search("BUDG", 9)] == [
        ("/help/how-to/third", ""),
        ("/help/how-to/second#set-a-budget", "Set a budget"),
        ("/help/how-to/first", ""),
    ]
    assert len(found.search("budget", 2)) == 2


def test_all_words_count_and_a_word_is_found_by_its_beginning(tmp_path: Path):
    found = library(tmp_path, "# First\n\n## One\n\nAlpha.\n\n## Two\n\nBeta prunes.\n")
    assert [hit.url for hit in found.search("alpha beta", 9)] == ["/help/how-to/first"]
    assert [hit.url for hit in found.search("beta prun", 9)] == ["/help/how-to/first#two"]
    assert found.search("rune", 9) == []
    assert found.search("alpha gamma", 9) == []
    assert found.search(" ?! ", 9) == []


def test_a_hit_shows_the_text_around_the_word(tmp_path: Path):
    found = library(tmp_path, "# First\n\n" + "word " * 100 + "needle " + "word " * 100)
    [hit] = found.search("needle", 9)
    assert "needle" in hit.excerpt
    assert hit.excerpt.startswith("…")
    assert hit.excerpt.endswith("…")
    assert len(hit.excerpt) < 200


def test_every_page_that_ships_is_in_the_index_and_has_a_title():
    found = load_library()
    linked = {address.partition('"')[0] for address in found.index.html.split('href="')[1:]}
    assert sorted(found.pages.keys() - linked) == []
    assert [url for url, page in found.pages.items() if not page.title] == []


@pytest.mark.parametrize(
    ("words", "url"),
    [
        ("local model", "/help/how-to/use-a-local-model"),
        ("mcp server", "/help/how-to/use-an-mcp-server"),
        ("docker", "/help/how-to/deploy-with-docker"),
        ("McpWorkbench", "/help/reference/components#mcpworkbench"),
        ("fork", "/help/how-to/fork-and-replay"),
        ("how do I stop a team", "/help/how-to/stop-a-team-that-never-stops"),
        ("Where is the budget?", "/help/how-to/set-budgets"),
    ],
)
def test_what_a_reader_looks_for_comes_first(words: str, url: str):
    assert load_library().search(words, 1)[0].url == url
