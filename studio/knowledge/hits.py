"""What a search of a knowledge base finds."""

from __future__ import annotations

from typing import NamedTuple


class Hit(NamedTuple):
    """A passage that was found. `score` is the higher, the better, and compares hits of one search only."""

    base_id: str
    document_id: str
    file: str
    number: int
    page: int | None
    heading: str
    score: float
    text: str

    @property
    def citation(self) -> str:
        """Its place: by page, or by the section where a document has no pages."""
        return f"[{self.file}, p. {self.page}]" if self.page is not None else f"[{self.file}, section {self.number}]"
