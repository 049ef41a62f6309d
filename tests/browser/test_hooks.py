"""The tab Hooks: a hook is added, its address and secret are copied once, then it is changed, paused and deleted."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime

import httpx
import pytest
from playwright.sync_api import expect
from standardwebhooks import Webhook

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.building import OpenPage
from tests.browser.deploying import published, visit

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


def posted(address: str, secret: str, body: str = '{"title": "It rains in"}') -> int:
    """What a service is answered that signs with this secret."""
    sent_id, at = f"msg_{uuid.uuid4().hex}", datetime.now(UTC)
    signature = Webhook(secret).sign(sent_id, at, body)
    stamp = str(int(at.timestamp()))
    headers = {"webhook-id": sent_id, "webhook-timestamp": stamp, "webhook-signature": signature}
    return httpx.post(address, content=body, headers=headers).status_code


def test_a_hook_is_added_used_changed_paused_and_deleted(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    published(page, api, "hooked")
    visit(page, "/deployments/hooked/hooks")
    page.get_by_role("button", name="Add the first hook").click()
    dialog = page.get_by_role("dialog", name="New hook")
    expect(dialog.get_by_role("textbox", name="Service")).to_be_focused()
    page.keyboard.type("Tickets")
    dialog.get_by_role("textbox", name="Task").fill("Answer {{title}}")
    dialog.get_by_role("button", name="Create hook").click()
    expect(dialog.get_by_role("alert").filter(has_text="'title' is not a JSON pointer.")).to_be_visible()
    expect(dialog.get_by_role("textbox", name="Task")).to_be_focused()
    dialog.get_by_role("textbox", name="Task").fill("Answer {{/title}}")
    dialog.get_by_role("button", name="Create hook").click()
    address = dialog.get_by_label("Address", exact=True)
    expect(address).to_be_focused()
    told = address.input_value(), dialog.get_by_label("Secret", exact=True).input_value()
    assert posted(*told) == 202
    dialog.get_by_role("button", name="Close").last.click()

    expect(page.get_by_role("row", name=re.compile(r"Tickets Standard Webhooks.*Answer .*On"))).to_be_visible()
    assert told[1] not in page.content()
    page.get_by_role("button", name="Edit Tickets").click()
    dialog = page.get_by_role("dialog", name="Edit hook")
    expect(dialog.get_by_label("Signature")).to_be_disabled()
    dialog.get_by_role("textbox", name="Task").fill("Sum up {{body}}")
    dialog.get_by_role("button", name="Save hook").click()
    expect(page.get_by_role("row", name=re.compile(r"Tickets.*Sum up"))).to_be_visible()
    page.get_by_role("button", name="Pause Tickets").click()
    expect(page.get_by_role("row", name=re.compile("Tickets.*Paused"))).to_be_visible()
    assert posted(*told) == 409
    page.get_by_role("button", name="Resume Tickets").click()
    expect(page.get_by_role("button", name="Pause Tickets")).to_be_visible()
    page.get_by_role("button", name="Delete Tickets").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete hook").click()
    expect(page.get_by_role("heading", name="No hooks yet")).to_be_visible()
    assert posted(*told) == 401
    visit(page, "/deployments/hooked/calls")
    expect(page.get_by_role("row", name=re.compile("It rains in.*Hook"))).to_be_visible()


@also_narrow
def test_the_tab_of_hooks(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    inspection = Inspection(open_page(width_px))
    page, look = inspection.page, inspection.look
    name = f"hooked-with-a-name-that-is-long-{width_px}"
    published(page, api, name)
    visit(page, f"/deployments/{name}/hooks")
    look("no hooks yet")
    page.get_by_role("button", name="Add the first hook").click()
    look("new hook", "dialog[open]")
    page.get_by_role("textbox", name="Service").fill("GitHub")
    page.get_by_role("textbox", name="Task").fill("{{title}}")
    page.get_by_role("button", name="Create hook").click()
    expect(page.get_by_text("is not a JSON pointer")).to_be_visible()
    look("a place that cannot be read", "dialog[open]")
    page.get_by_role("textbox", name="Task").fill("{{/title}}")
    page.get_by_role("button", name="Create hook").click()
    expect(page.get_by_label("Secret", exact=True)).to_be_visible()
    look("the address and the secret", "dialog[open]")
    for label, task in (("A ticket system " * 6, "Sort {{/issue/title}}. " * 40), ("unbroken" * 12, "unbroken" * 60)):
        body = {"label": label, "kind": "github", "task": task}
        api.post(f"/api/deployments/{name}/hooks", json=body).raise_for_status()
    visit(page, f"/deployments/{name}/hooks")
    look("hooks")
    assert inspection.faults == []
