"""The hands of a person at a page, by pointer or by keyboard, which count what they do.

An action is what a person would call one: a press, a field filled in, a choice in a list that is open.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

IS_REACHED = """(element) => {
  if (element.closest('[role=menu], [role=listbox]')) return ''
  const group = element.closest('[role=toolbar], [role=tablist], [role=tree], [data-canvas], [data-palette-list]')
  const stops = element.tabIndex >= 0 || [...(group?.querySelectorAll('*') ?? [])].some((each) => each.tabIndex >= 0)
  return stops ? '' : 'is reached neither by Tab nor by an arrow'
}"""
"""What is wrong with a place that has just been given the focus, for a person without a pointer."""


@dataclass
class Hands:
    """Does the same things in two ways."""

    page: Page
    by_pointer: bool
    actions: int = 0

    def press(self, place: Locator) -> None:
        """Use a button, a link or a card."""
        self.actions += 1
        if self.by_pointer:
            place.click()
        else:
            self._reach(place)
            self.page.keyboard.press("Enter")

    def press_or(self, place: Locator, keys: str) -> None:
        """Use a button, or the keys that do the same."""
        self.actions += 1
        if self.by_pointer:
            place.click()
        else:
            self.page.keyboard.press(keys)

    def open_menu(self, place: Locator) -> None:
        self.actions += 1
        if self.by_pointer:
            place.click(button="right")
        else:
            self._reach(place)
            self.page.keyboard.press("Shift+F10")
        expect(self.page.get_by_role("menu")).to_be_visible()

    def fill(self, place: Locator, text: str) -> None:
        """Replace what stands in a field."""
        self.actions += 1
        if self.by_pointer:
            place.click()
        else:
            self._reach(place)
        place.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)
        expect(place).to_have_value(text)

    def option(self, place: Locator, label: str) -> None:
        """Choose in a select."""
        self.actions += 1
        if self.by_pointer:
            place.select_option(label=label)
        else:
            self._reach(place)
            self.page.keyboard.type(label[0])  # it may be drawn anew after each letter
        expect(place.locator("option:checked")).to_have_text(re.compile(label))

    def choose(self, name: str) -> None:
        """Take what is called so from the search that has opened."""
        self.actions += 1
        expect(self.page.locator(".chooser-input")).to_be_focused()
        self.page.keyboard.type(name)
        found = self.page.locator(".chooser-option").filter(has=self.page.get_by_text(name, exact=True)).first
        expect(found).to_be_visible()
        if self.by_pointer:
            found.click()
        else:
            expect(found).to_have_attribute("aria-selected", "true")
            self.page.keyboard.press("Enter")

    def send(self, task: str) -> None:
        """Give the team a task: one action to write it, one to send it."""
        box = self.page.get_by_role("textbox", name="Task for the team")
        self.fill(box, task)
        self.actions += 1
        if self.by_pointer:
            self.page.locator(".composer").get_by_role("button", name=re.compile("^(Run|Send)$")).click()
        else:
            box.press("Enter")

    @contextmanager
    def at_most(self, actions: int) -> Generator[None]:
        """The work inside takes no more actions than these."""
        before = self.actions
        yield
        assert self.actions - before <= actions, f"{self.actions - before} actions, at most {actions}"

    def _reach(self, place: Locator) -> None:
        expect(place).to_be_enabled()
        place.focus()
        expect(place).to_be_focused()
        assert (reason := place.evaluate(IS_REACHED)) == "", f"{place} {reason}"
