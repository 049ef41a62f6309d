"""The agent with a web browser: a real Chromium on pages of this machine."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
import pytest

from studio import effects
from studio.agents import MultimodalWebSurfer
from studio.agents.web_egress import MAX_UNKNOWN, EgressProxy
from studio.components import JsonObject, all_capabilities, load_component, validate_component
from studio.components.folders import FolderRefused, FolderRules, folder_rules
from studio.messages import CreateResult, Image, MultiModalMessage, TextMessage, ToolCallRequestEvent
from studio.models import ReplayChatCompletionClient
from tests.fakes.web_site import web_site
from tests.teams.scripted import ABLE, CountingWorld, scripted, wishes

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(60)]
CANARY = "sk-canary-of-the-server"
Make = Callable[..., MultimodalWebSurfer]


@pytest.fixture
def site() -> Iterator[str]:
    with web_site() as address:
        yield address


@pytest.fixture
async def make_surfer(site: str) -> AsyncIterator[Make]:
    """Surfers that start on the site and may look at this machine."""
    made: list[MultimodalWebSurfer] = []

    def make(*replies: str | CreateResult, **fields: Any) -> MultimodalWebSurfer:
        model = ReplayChatCompletionClient(chat_completions=list(replies), model_info={**ABLE, "vision": True})
        given: dict[str, Any] = {"start_page": site, "allow_private_addresses": True, **fields}
        made.append(MultimodalWebSurfer("surfer", model, **given))
        return made[-1]

    yield make
    for surfer in made:
        await surfer.close()


def does(name: str, **arguments: Any) -> CreateResult:
    return wishes((name, json.dumps({"reasoning": "r", **arguments})))


async def turn(surfer: MultimodalWebSurfer, task: str = "go on") -> tuple[str, str]:
    """One turn without the end of a run: the kind of its answer, and the text."""
    response = await surfer.on_messages([TextMessage(content=task, source="user")])
    return type(response.chat_message).__name__, response.chat_message.to_text()


def browsers() -> list[str]:
    """Processes of a browser below this one."""
    found = subprocess.run(
        ["ps", "-o", "comm=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    return [name for name in found.stdout.split() if "chrom" in name or "node" in name]


async def test_the_model_sees_a_marked_picture_and_its_click_is_carried_out(make_surfer: Make):
    world = CountingWorld()
    surfer = make_surfer("I see a welcome.", does("click", target_id=1), "The second page.")
    with effects.use(world):
        assert await turn(surfer) == ("TextMessage", "I see a welcome.")
        asked = world.bodies[-1]
        kind, text = await turn(surfer, "Go to the second page.")
    assert "1: To the second page (a)" in str(asked)
    assert str(asked).count("'data': 'iVBOR") == 1
    assert kind == "MultiModalMessage"
    assert "I clicked 'To the second page'." in text
    assert "The second page." in text
    assert world.asked == ["tool", "model", "tool", "model", "tool"]


async def test_a_run_tells_its_action_ends_its_browser_and_goes_on_where_it_was(make_surfer: Make, site: str):
    surfer = make_surfer(does("visit_url", url=f"{site}/second"), "Still here.")
    result = await surfer.run(task="open the second page")
    answer = result.messages[-1]
    assert isinstance(answer, MultiModalMessage)
    assert isinstance(answer.content[1], Image)
    assert any(isinstance(message, ToolCallRequestEvent) for message in result.messages)
    assert browsers() == []
    world = CountingWorld()
    with effects.use(world):
        await surfer.run(task="where are you?")
    assert f"{site}/second" in str(world.bodies[-1])


async def test_fields_are_filled_lists_chosen_and_things_hovered(make_surfer: Make):
    world = CountingWorld()
    surfer = make_surfer(
        does("input_text", input_field_id=3, text_value="blue"),
        does("hover", target_id=4),
        does("input_text", input_field_id=2, text_value="Ada"),
        does("history_back"),
    )
    with effects.use(world):
        assert "[blue]" in (await turn(surfer))[1]
        assert "hovered" in (await turn(surfer))[1]
        assert "Hello Ada." in (await turn(surfer))[1]
        assert "Welcome" in (await turn(surfer))[1]


async def test_what_is_below_is_named_and_can_be_scrolled_to(make_surfer: Make):
    world = CountingWorld()
    surfer = make_surfer(does("scroll_down"), does("scroll_down"), does("scroll_up"), "Enough.")
    with effects.use(world):
        first = (await turn(surfer))[1]
        assert "Press me (button submit, below)" in str(world.bodies[1])
        last = (await turn(surfer))[1]
        await turn(surfer)
        await turn(surfer)
    assert "Far below" not in first
    assert "Far below" in last
    assert "scroll_up" in str(world.bodies[-1])


async def test_a_page_is_read_as_a_whole(make_surfer: Make):
    world = CountingWorld()
    surfer = make_surfer(does("answer_question", question="What is far below?"), "A button.")
    with effects.use(world):
        assert await turn(surfer) == ("TextMessage", "A button.")
    assert "Far below" in str(world.bodies[-1])


WRONG = {
    ("click", '{"target_id": 99}'): "Nothing on the page has the number 99.",
    ("fly", "{}"): "There is no action 'fly'",
    ("click", "{"): "The arguments are no JSON",
    ("visit_url", '{"url": "file:///etc/passwd"}'): "Only http and https pages",
    ("visit_url", '{"url": "http://127.0.0.1:48999/"}'): "Connect",
}


async def test_what_goes_wrong_is_told(make_surfer: Make):
    surfer = make_surfer(*(wishes(call) for call in WRONG))
    for told in WRONG.values():
        assert told in (await turn(surfer))[1]


async def test_private_addresses_are_refused_unless_allowed(make_surfer: Make, site: str):
    surfer = make_surfer(
        does("visit_url", url=f"{site}/second"),
        does("visit_url", url="http://localhost:48999/"),
        does("visit_url", url="https://127.0.0.1:48999/"),
        allow_private_addresses=None,
        start_page="about:blank",
    )
    for _ in range(3):
        assert "which is not on the public internet" in (await turn(surfer))[1]


async def test_a_name_that_leads_inside_is_refused_for_every_part_of_a_page(make_surfer: Make, site: str):
    """A page may not fetch what the address bar may not open."""
    surfer = make_surfer("Nothing.", allow_private_addresses=False, start_page=f"{site}/")
    assert (await turn(surfer))[0] == "TextMessage"
    browser = surfer._browser  # pyright: ignore[reportPrivateUsage] -- a page that is hostile, without a public server
    assert browser is not None
    script = f"fetch('{site}/second', {{mode: 'no-cors'}}).then(() => 'answered', () => 'failed')"
    await browser.page.evaluate(script)
    assert "not on the public internet" in await browser.page.evaluate("document.body.innerText")


async def test_downloads_and_screenshots_are_kept_where_told(make_surfer: Make, tmp_path: Path):
    surfer = make_surfer(
        does("click", target_id=5),
        does("hover", target_id=4),
        downloads_folder=str(tmp_path / "down"),
        to_save_screenshots=True,
        debug_dir=str(tmp_path / "shots"),
    )
    texts = [(await turn(surfer))[1] for _ in range(2)]
    assert any("Downloaded:" in text for text in texts)
    assert [file.read_text() for file in (tmp_path / "down").iterdir()] == ["a file"]
    assert len(list((tmp_path / "shots").iterdir())) == 4


async def test_a_download_replaces_a_link_and_does_not_follow_it(make_surfer: Make, tmp_path: Path):
    down, private = tmp_path / "down", tmp_path / "private"
    down.mkdir()
    private.write_text("mine")
    for name in ("file", "file.txt"):
        (down / name).symlink_to(private)
    surfer = make_surfer(does("click", target_id=5), does("hover", target_id=4), downloads_folder=str(down))
    texts = [(await turn(surfer))[1] for _ in range(2)]
    assert any("Downloaded:" in text for text in texts)
    assert private.read_text() == "mine"
    assert [file.read_text() for file in down.iterdir() if not file.is_symlink()] == ["a file"]


async def test_a_download_that_cannot_be_kept_is_told(make_surfer: Make, tmp_path: Path):
    for name in ("file", "file.txt"):
        (tmp_path / name).mkdir()
    surfer = make_surfer(does("click", target_id=5), does("hover", target_id=4), downloads_folder=str(tmp_path))
    texts = [(await turn(surfer))[1] for _ in range(2)]
    assert any("cannot be saved" in text for text in texts)


async def test_cancelling_while_it_starts_leaves_no_browser(make_surfer: Make):
    surfer = make_surfer("x")
    async with asyncio.TaskGroup() as group:
        running = group.create_task(surfer.run(task="go"))
        await asyncio.sleep(0)
        running.cancel()
    assert browsers() == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="of another user it has no more rights anyway")
async def test_the_browser_of_root_has_no_rights(make_surfer: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STUDIO_CHROMIUM", chromium_with_a_sandbox())
    await turn(make_surfer(does("sleep")))
    users = await asyncio.to_thread(programs_once_confined)
    assert users
    assert all(int(user) > 1000 for one in users.values() for user in one["Uid"].split())
    assert {one["CapPrm"].strip("0") for one in users.values() if one["NSpid"].count("\t") == 0} == {""}
    assert "2" in {one["Seccomp"] for one in users.values()}, "what reads pages is in Chromium's sandbox"


async def test_the_way_out_of_a_browser_is_no_way_out_of_others(make_surfer: Make, site: str):
    surfer = make_surfer(does("sleep"))
    await turn(surfer)
    listening = ways_out()
    assert listening
    for headers in ({}, {"Proxy-Authorization": "Basic c3R1ZGlvOng="}):
        async with httpx.AsyncClient(proxy=httpx.Proxy(listening[0], headers=headers)) as stranger:
            assert (await stranger.get(site)).status_code == 407


async def test_a_browser_is_told_nothing_of_the_servers_settings(make_surfer: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("STUDIO_TOKEN", CANARY)
    await turn(make_surfer(does("sleep")))
    told = {pid: environment_of(pid) for pid in programs_below()}
    assert told
    assert [pid for pid, environment in told.items() if CANARY in environment] == []


async def test_a_profile_is_kept_where_no_code_may_write(make_surfer: Make, tmp_path: Path):
    surfer = make_surfer(does("sleep"), browser_data_dir="profiles/a")
    databases = tmp_path / "data" / "databases"
    databases.mkdir(parents=True)
    databases.parent.chmod(0o700)
    approved = frozenset(item.hash for item in all_capabilities(surfer))
    rules = FolderRules(own=tmp_path / "work", databases=databases, approved=approved)
    token = folder_rules.set(rules)
    try:
        assert (await turn(surfer))[0] == "MultiModalMessage"
        await surfer.close()
        assert (databases / "profiles" / "a" / "Default").is_dir()
        for elsewhere in (str(tmp_path / "shared"), "../a", "~/a"):
            with pytest.raises(FolderRefused):
                await turn(make_surfer(does("sleep"), browser_data_dir=elsewhere))
    finally:
        folder_rules.reset(token)


async def test_strangers_at_the_way_out_neither_stay_nor_keep_the_browser_waiting(make_surfer: Make, site: str):
    surfer = make_surfer(does("sleep"), does("visit_url", url=f"{site}/second"))
    await turn(surfer)
    (address,) = {urlsplit(one).netloc for one in ways_out()}
    host, port = address.split(":")
    strangers = [await asyncio.open_connection(host, int(port)) for _ in range(MAX_UNKNOWN + 40)]
    for reader, _ in strangers[:30]:
        assert await asyncio.wait_for(reader.read(), 10) == b""
    assert f"{site}/second" in (await turn(surfer))[1]
    for _, writer in strangers:
        writer.close()


async def test_what_a_page_asks_of_the_way_out_takes_no_memory():
    proxy = EgressProxy(allow_private=False)
    await proxy.start()
    try:
        with_password = httpx.Proxy(proxy.url, auth=("studio", proxy.password))
        async with httpx.AsyncClient(proxy=with_password) as browser:
            for number in range(3):
                answer = await browser.get(f"http://{'a' * 20_000}{number}.localhost/")
                assert (answer.status_code, len(answer.content) < 1_000) == (403, True)
        assert (proxy.refused, len(proxy.refusal) < 1_000) == (3, True)
    finally:
        await proxy.stop()


def ways_out() -> list[str]:
    """The proxies that browsers were told of."""
    return [one for number in programs_below() for one in re.findall(r"--proxy-server=([^\0]+)", command_of(number))]


def chromium_with_a_sandbox() -> str:
    """The full Chromium: `chromium-headless-shell`, which other tests use, has no sandbox of its own."""
    names = (os.environ.get("STUDIO_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    found = (shutil.which(name) for name in names if name and "headless-shell" not in name)
    program = next((path for path in found if path is not None), None)
    if program is None:
        pytest.skip("the full Chromium is not installed")
    return program


def programs_below() -> list[str]:
    """The ids of all processes of Chromium that this one has started, or one of those."""
    told = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = dict(line.split() for line in told.splitlines())

    def is_below(pid: str) -> bool:
        return pid in parents and (parents[pid] == str(os.getpid()) or is_below(parents[pid]))

    return [pid for pid in parents if is_below(pid) and "--user-data-dir=" in command_of(pid)]


def command_of(pid: str) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


def environment_of(pid: str) -> str:
    return Path(f"/proc/{pid}/environ").read_text()


def programs_once_confined(limit_s: float = 20.0) -> dict[str, dict[str, str]]:
    """What Linux says of each, when one of those that read pages has entered Chromium's sandbox."""
    end = time.monotonic() + limit_s
    while True:
        found = {pid: status_of(pid) for pid in programs_below()}
        if "2" in {one["Seccomp"] for one in found.values()} or time.monotonic() > end:
            return found
        time.sleep(0.05)


def status_of(pid: str) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def test_it_loads_and_dumps_unchanged_and_says_what_it_needs():
    surfer = MultimodalWebSurfer("surfer", scripted())
    written = surfer.dump_component()
    assert "allow_private_addresses" not in str(written)
    assert load_component(written, MultimodalWebSurfer).dump_component() == written
    assert {"host", "process"} <= {each.kind for each in all_capabilities(surfer)}
    config = cast("JsonObject", written["config"])
    report = validate_component({**written, "config": {**config, "to_save_screenshots": True}})
    assert "Debug dir" in report.errors[0].message
