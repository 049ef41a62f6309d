"""The agent that looks into local files."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from studio import effects
from studio.agents import FileSurfer
from studio.agents.file_browser import Page, Viewport
from studio.components import all_capabilities, load_component
from studio.components.folders import FolderRules, folder_rules
from tests.teams.scripted import CountingWorld, said, scripted, wishes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files, beside one that is nobody's business."""
    base = tmp_path / "base"
    (base / "sub").mkdir(parents=True)
    (base / "a.md").write_text("# Title\n\nHello")
    (base / "sub" / "b.txt").write_text("inner")
    (tmp_path / "outside.txt").write_text("private")
    (base / "link.txt").symlink_to(tmp_path / "outside.txt")
    (base / "linked").symlink_to(tmp_path)
    return base


async def seen(folder: Path, *calls: tuple[str, str]) -> str:
    """What the agent says after these calls, one turn each."""
    surfer = FileSurfer("FileSurfer", scripted(*(wishes(call) for call in calls)), base_path=str(folder))
    texts = [said((await surfer.run(task="look")).messages)[-1][1] for _ in calls]
    return texts[-1]


async def test_it_shows_a_page_with_its_place(folder: Path):
    text = await seen(folder, ("open_path", '{"path": "a.md"}'))
    assert text == (
        f"Path: {folder}/a.md\nViewport position: Showing page 1 of 1.\n=======================\n# Title\n\nHello"
    )


async def test_a_folder_is_a_list_without_links_and_paths_are_relative_to_it(folder: Path):
    text = await seen(folder, ("open_path", '{"path": "."}'))
    assert "| a.md | 14 |" in text
    assert f"| sub{os.sep} |" in text
    assert "link" not in text
    inner = await seen(folder, ("open_path", '{"path": "sub"}'), ("open_path", '{"path": "b.txt"}'))
    assert inner.endswith("inner")
    assert "Hello" in await seen(folder, ("open_path", '{"path": "sub"}'), ("open_path", '{"path": "../a.md"}'))


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "sub/../../outside.txt",
        "link.txt",
        "linked/outside.txt",
        "/etc/passwd",
        "~/x",
        "none",
        "a\\u0000",
    ],
)
async def test_nothing_outside_of_the_folder_is_opened(folder: Path, path: str):
    text = await seen(folder, ("open_path", f'{{"path": "{path}"}}'))
    assert "# FileNotFoundError" in text
    assert "private" not in text


async def test_a_folder_with_a_name_that_no_file_system_takes_is_not_found(folder: Path):
    assert "# FileNotFoundError" in await seen(folder / ("a" * 5_000), ("open_path", '{"path": "a.md"}'))


async def test_the_model_is_told_where_it_is_and_opening_is_an_effect(folder: Path):
    world = CountingWorld()
    surfer = FileSurfer(
        "f", scripted(wishes(("open_path", '{"path": "a.md"}')), "It says hello."), base_path=str(folder)
    )
    with effects.use(world):
        await surfer.run(task="open")
        result = await surfer.run(task="What does it say?")
    assert said(result.messages)[-1] == ("f", "It says hello.")
    assert world.asked == ["tool", "model", "tool", "model"]
    assert f"file or directory 'None' with path '{folder}/a.md'" in str(world.bodies[-1])
    await surfer.on_reset()
    await surfer.load_state(await surfer.save_state())


async def test_arguments_that_are_no_json_are_reported(folder: Path):
    assert "error decoding JSON arguments" in await seen(folder, ("open_path", "{"))


def test_pages_end_between_words_and_can_be_searched():
    view = Viewport(Page("p", None, "word " * 3000 + "the end of it", True))
    assert len(view.pages) == 3
    assert all(page.endswith((" ", "it")) for page in view.pages)
    view.find("END OF")
    assert view.number == 2
    view.find_next()
    assert view.number == 2
    view.move(-5)
    assert view.number == 0
    view.find("w*d word")
    assert view.number == 0
    view.find("w*d word")
    assert view.number == 1
    view.find("nowhere")
    assert view.number == 1


async def test_a_document_that_is_not_text_becomes_markdown(folder: Path):
    (folder / "blob.bin").write_bytes(bytes(range(256)))
    assert "# UnsupportedFormatException" in await seen(folder, ("open_path", '{"path": "blob.bin"}'))
    with zipfile.ZipFile(folder / "pack.zip", "w") as pack:
        pack.writestr("x.txt", "inside the pack")
    assert "inside the pack" in await seen(folder, ("open_path", '{"path": "pack.zip"}'))


def test_its_folder_is_written_only_when_set(folder: Path):
    surfer = FileSurfer("FileSurfer", scripted())
    assert "base_path" not in str(surfer.dump_component())
    other = FileSurfer("FileSurfer", scripted(), base_path=str(folder))
    assert load_component(other.dump_component(), FileSurfer).base_path == str(folder)
    assert ("file", f"read {folder}") in [(each.kind, each.detail) for each in all_capabilities(other)]


async def test_a_web_page_is_shown_without_its_tags_where_the_package_is_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    (folder / "page.html").write_text("<html><body><h1>Big</h1><p>Small</p></body></html>")
    pytest.importorskip("markitdown")
    assert (await seen(folder, ("open_path", '{"path": "page.html"}'))).endswith("# Big\n\nSmall")
    monkeypatch.setitem(sys.modules, "markitdown", None)
    assert "<h1>Big</h1>" in await seen(folder, ("open_path", '{"path": "page.html"}'))


async def test_a_pipe_or_a_device_is_not_waited_for(folder: Path):
    os.mkfifo(folder / "pipe")
    assert "# UnsupportedFormatException" in await seen(folder, ("open_path", '{"path": "pipe"}'))


async def test_what_the_studio_keeps_is_not_opened_by_another_name(folder: Path, tmp_path: Path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "token").write_text("the-access-token")
    os.link(data / "token", folder / "copy.txt")
    surfer = FileSurfer("s", scripted(wishes(("open_path", '{"path": "copy.txt"}'))), base_path=str(folder))
    approved = frozenset(each.hash for each in all_capabilities(surfer))
    token = folder_rules.set(FolderRules(data / "work" / "team", data / "databases", (data,), approved))
    try:
        text = said((await surfer.run(task="look")).messages)[-1][1]
    finally:
        folder_rules.reset(token)
    assert "# FileNotFoundError" in text
    assert "the-access-token" not in text


async def test_a_folder_that_becomes_a_link_on_the_way_is_not_followed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The folder is replaced just after it was looked at, as code of the same team could do."""
    (tmp_path / "b.txt").write_text("private")

    def swap() -> None:
        if not (folder / "sub").is_symlink():
            (folder / "sub").rename(folder / "moved")
            (folder / "sub").symlink_to(tmp_path)

    def opening(path: Any, *args: Any, **named: Any) -> int:
        handle = real_open(path, *args, **named)
        if Path(str(path)) == folder:
            swap()
        return handle

    real_open = os.open
    monkeypatch.setattr(os, "open", opening)
    assert "# FileNotFoundError" in await seen(folder, ("open_path", '{"path": "sub/b.txt"}'))
