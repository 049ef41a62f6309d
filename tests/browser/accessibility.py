"""What axe and a narrow window find on a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import JsonObject
from tests.extended import times

widths = pytest.mark.parametrize("width_px", [1440, 390])
"""Of a desk and a phone."""
also_narrow = pytest.mark.parametrize("width_px", [1440, pytest.param(390, marks=pytest.mark.extended)])
"""The same for pages whose narrow layout is that of others."""
CONTRAST: JsonObject = {"runOnly": ["color-contrast"], "preload": False}
ALL: JsonObject = {"rules": {"target-size": {"enabled": True}}, "preload": False}
OF_A_LAYOUT = ["target-size", "scrollable-region-focusable", "aria-hidden-focus", "meta-viewport", "bypass", "region"]
"""The rules that ask where something is, or whether it is seen; the others a wide window answers for both."""
NARROW: JsonObject = {"runOnly": OF_A_LAYOUT, "preload": False}
Look = tuple[Literal["light", "dark"], JsonObject]
WIDE: list[Look] = [("light", ALL), ("dark", CONTRAST)]
NARROW_PX = 500
DARK_EACH = times(3, 1)
"""How many states it takes until the dark theme is looked at again: it has its colors from few names."""
PALE = "#panel-form[aria-busy=true], .prompt-panel[aria-busy=true]"
RUN_AXE = """async ([within, options]) => {
  // What spins without end has no end to wait for.
  const moving = document.getAnimations().filter(({effect}) => Number.isFinite(effect.getComputedTiming().endTime))
  await Promise.allSettled(moving.map((each) => each.finished))
  const {violations} = await axe.run(within, {...options, resultTypes: ['violations']})
  // The canvas is as small as it is zoomed; the outline offers the same in full size.
  const isZoomed = (rule, [target]) => rule === 'target-size' && document.querySelector(target)?.closest('.world')
  return violations.flatMap(({id, nodes}) => nodes.filter(({target}) => !isZoomed(id, target))
    .map(({target, any}) => `${id} ${target} ${any[0]?.message ?? ''}`))
}"""


@dataclass
class Inspection:
    """Looks at a page again and again, and tells at the end all that was wrong."""

    page: Page
    faults: list[str] = field(default_factory=list[str])
    seen: int = 0

    def look(self, state: str, within: str = "html") -> None:
        """Colors are all that the theme changes: the dark one is asked for nothing else, in some of the states, and a
        narrow window for what its layout may change. `within` is what is new.
        """
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
        expect(self.page.locator(PALE)).to_have_count(0)
        is_narrow = self.page.evaluate("innerWidth") < NARROW_PX
        is_dark = self.seen % DARK_EACH == 0
        self.seen += 1
        looks: list[Look] = [("light", NARROW)] if is_narrow else WIDE if is_dark else WIDE[:1]
        for scheme, options in looks:
            self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            found: list[str] = self.page.evaluate(RUN_AXE, [within, options])
            self.faults += [f"{state}, {scheme}: {fault}" for fault in found]
        if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            self.faults.append(f"{state}: wider than the window")
