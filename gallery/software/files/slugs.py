"""Addresses of articles."""

import re


def slug(title: str, limit: int = 40) -> str:
    """Lowercase words of a title, joined by single hyphens, with none at the ends; at most `limit` characters."""
    joined = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return joined[:limit]
