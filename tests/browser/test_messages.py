"""How a message reads: formulas, tables, code and long texts as models write them."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from studio.components import JsonObject
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import MESSAGES, PIXEL, agent, expect_end, give_task, round_robin
from tests.fakes.openai_server import OpenAIServer

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

SayTo = Callable[[str], Page]


@pytest.fixture
def read_message(open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]) -> SayTo:
    """A page on which a model has just written this."""

    def read(text: str) -> Page:
        openai_server.say(text)
        page = open_page()
        give_task(page, pair(2))
        expect_end(page)
        return page

    return read


FORMULAS = r"""The area is $$\int_0^1 x^2 dx = \frac13$$
- first, with $a_1^2$
- second

\[
E = mc^2
\]

| a | b |
|---|---|
| $|x|$ | costs $5 or $6 |

```python
price = "$x$ \(y\)"
```

Then `$z$` and **bold**, $\notacommand{1}$.
"""


def test_formulas_are_drawn_and_what_follows_reads_as_it_was_written(read_message: SayTo) -> None:
    page = read_message(FORMULAS)
    prose = page.locator(MESSAGES).nth(1).locator(".prose")
    expect(prose.locator("math")).to_have_count(4)
    expect(prose.locator("math[display=block]")).to_have_count(2)
    expect(prose.locator("math mfrac")).to_have_count(1)
    expect(prose.locator("li")).to_have_count(2)
    expect(prose.locator("td").nth(1)).to_have_text("costs $5 or $6")
    expect(prose.locator("pre code")).to_contain_text(r'price = "$x$ \(y\)"')
    expect(prose.locator("p code")).to_have_text("$z$")
    expect(prose.locator("strong")).to_have_text("bold")
    expect(prose.locator(".formula:not([data-math])")).to_have_text(r"\notacommand{1}")


REPORT = (
    """| Company | Revenue | Change |
|---|--:|:-:|
| Meteor and Sons of the Northern Territories | 1,204,331 | +12.5 % |
| """
    + " | ".join(["A very long name of a company that needs room", "20,998,114", "unchanged"])
    + """ |

```python
print("a line that is far longer than the conversation is wide, so that it has to be scrolled or wrapped")
```

![Chart](https://example.org/chart.png)
"""
)


def test_tables_and_code_are_read_and_copied_whole(read_message: SayTo) -> None:
    page = read_message(REPORT)
    message = page.locator(MESSAGES).nth(1)
    number = message.locator("td").nth(1)
    assert number.evaluate("cell => getComputedStyle(cell).textAlign") == "end"
    assert number.evaluate("cell => cell.offsetHeight < 2 * parseFloat(getComputedStyle(cell).lineHeight)")
    code = message.locator("pre")
    assert code.evaluate("node => node.scrollWidth > node.clientWidth")
    message.get_by_role("button", name="Wrap").click()
    assert code.evaluate("node => node.scrollWidth <= node.clientWidth")
    expect(message.locator(".block-bar").last).to_contain_text("python")
    expect(message.get_by_text("Chart: image at example.org, not loaded")).to_be_visible()
    message.get_by_role("button", name="Copy code").click()
    assert page.evaluate("navigator.clipboard.readText()").startswith('print("a line')
    message.get_by_role("button", name="Copy table").click()
    assert page.evaluate("navigator.clipboard.readText()").split("\n")[0] == "Company\tRevenue\tChange"


CODE = 'def half(n: int) -> float:\n    # a comment\n    return n / 2  # "two"\n'


def test_code_is_drawn_in_colors_and_copied_as_it_was_written(read_message: SayTo) -> None:
    hiding = "print('a\u200bb')"
    page = read_message(f"```python\n{CODE}```\n\n```\nplain = 1\n```\n\n```python\n{hiding}\n```")
    blocks = page.locator(MESSAGES).nth(1).locator("pre code")
    expect(blocks.first.locator("span", has_text="return")).to_be_visible()
    assert blocks.first.inner_text() == CODE.rstrip("\n")
    word, comment, number = (
        page.locator("pre span", has_text=text).first.evaluate("node => getComputedStyle(node).color")
        for text in ("return", "# a comment", "2")
    )
    assert len({word, comment, number}) == 3
    expect(blocks.nth(1).locator("span")).to_have_count(0)
    expect(blocks.nth(2).locator(".hidden-character")).to_have_count(1)
    page.get_by_role("button", name="Copy code").first.click()
    assert page.evaluate("navigator.clipboard.readText()") == CODE.rstrip("\n")


DOT = f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"


def test_a_picture_elsewhere_is_loaded_when_a_person_asks_for_it(read_message: SayTo) -> None:
    page = read_message("![Chart](https://example.org/chart.png)")
    asked: list[object] = []

    def answer(route: Route) -> None:
        asked.append(route.request.post_data_json)
        if len(asked) == 1:
            error = {"code": "url_unreachable", "message": "It does not answer.", "fix": "", "where": ""}
            route.fulfill(status=502, json={"error": error})
        else:
            route.fulfill(json={"picture": DOT})

    page.route("**/api/pictures", answer)
    load = page.get_by_role("button", name="Load the image from example.org")
    load.click()
    expect(page.get_by_text("It does not answer.")).to_be_visible()
    load.click()
    picture = page.get_by_role("img", name="Chart")
    expect(picture).to_be_visible()
    assert picture.get_attribute("src") == DOT
    assert asked == [{"url": "https://example.org/chart.png"}] * 2


def test_a_message_is_copied_as_it_was_written_by_menu_and_key(read_message: SayTo) -> None:
    page = read_message("**Bold** and $x^2$.")
    message = page.locator(MESSAGES).nth(1)
    message.get_by_role("button", name="More for writer").click()
    page.get_by_role("menuitem", name="Copy message").click()
    expect(page.get_by_text("Message copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "**Bold** and $x^2$."
    page.evaluate("navigator.clipboard.writeText('')")
    page.keyboard.press("c")
    page.wait_for_function("navigator.clipboard.readText().then(text => text.startsWith('**Bold'))")


def test_a_very_long_answer_is_folded_and_says_how_long_it_is(read_message: SayTo) -> None:
    page = read_message("\n\n".join(f"Paragraph {number}." for number in range(300)))
    page.reload(wait_until="domcontentloaded")
    page.keyboard.press("g")
    page.get_by_role("button", name="Show all 5 kB").click()
    expect(page.get_by_role("button", name="Show less")).to_be_attached()
    last = page.get_by_text("Paragraph 299.")
    expect(last).not_to_be_in_viewport()  # the reader goes on where the fold was
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()


def test_agents_whose_models_read_no_pictures_are_named_before_one_is_sent(
    open_page: OpenPage, openai_server: OpenAIServer, make_team: MakeTeam
) -> None:
    def model(name: str) -> JsonObject:
        config: JsonObject = {"model": name, "base_url": openai_server.url, "api_key": "test-key"}
        provider = "autogen_ext.models.openai.OpenAIChatCompletionClient"
        return {"provider": provider, "component_type": "model", "config": config}

    team = round_robin(agent("painter", model("gpt-4o")), agent("writer", model("gpt-3.5-turbo")), message_count=2)
    page = open_page()
    page.goto(make_team(team), wait_until="domcontentloaded")
    chooser = page.locator("input[type=file][multiple]")
    chooser.set_input_files({"name": "small.png", "mimeType": "image/png", "buffer": PIXEL})
    warning = page.get_by_text("writer (gpt-3.5-turbo) cannot read images and only sees a placeholder.")
    expect(warning).to_be_visible()
    page.get_by_role("button", name="Remove small.png").click()
    expect(warning).to_be_hidden()
