"""What a page says, without its markup."""

from __future__ import annotations

import html
import re


def text_of(page: str) -> str:
    """The words of a page, without markup and doubled spaces."""
    body = page.partition("<main")[2].partition("</main>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())
