"""Text files that agents write together, with every revision."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from studio.errors import ToolFailed

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True)
class FileRevision:
    """A file as it was once; the first revision is 1."""

    content: str
    revision: int


class TextCanvas:
    """Named texts; each change is a new revision."""

    def __init__(self) -> None:
        self._files: dict[str, list[FileRevision]] = {}

    def clear(self) -> None:
        """Take all files away."""
        self._files.clear()

    def list_files(self) -> dict[str, int]:
        """Each file's latest revision."""
        return {name: revisions[-1].revision for name, revisions in self._files.items()}

    def get_latest_content(self, filename: str) -> str:
        """What the file holds now; empty when there is none."""
        revisions = self._files.get(filename)
        return revisions[-1].content if revisions else ""

    def get_all_revisions(self, filename: str) -> list[FileRevision]:
        """The file's history, oldest first."""
        return list(self._files.get(filename, ()))

    def get_revision_content(self, filename: str, revision: int) -> str:
        """What the file held then; empty when there is no such revision."""
        return next((found.content for found in self.get_all_revisions(filename) if found.revision == revision), "")

    def get_revision_diffs(self, filename: str) -> list[str]:
        """A unified diff from each revision to the next."""
        numbers = [revision.revision for revision in self.get_all_revisions(filename)]
        return [self.get_diff(filename, older, newer) for older, newer in itertools.pairwise(numbers)]

    def add_or_update_file(self, filename: str, new_content: str | bytes) -> None:
        """Make the file, or give it a new revision."""
        text = new_content.decode() if isinstance(new_content, bytes) else new_content
        revisions = self._files.setdefault(filename, [])
        revisions.append(FileRevision(text, len(revisions) + 1))

    def get_diff(self, filename: str, from_revision: int, to_revision: int) -> str:
        """A unified diff between two revisions; empty when one of them does not exist."""
        found = {revision.revision: revision.content for revision in self._files.get(filename, ())}
        if from_revision not in found or to_revision not in found:
            return ""
        lines = difflib.unified_diff(
            found[from_revision].splitlines(keepends=True),
            found[to_revision].splitlines(keepends=True),
            fromfile=f"{filename}@r{from_revision}",
            tofile=f"{filename}@r{to_revision}",
        )
        return "".join(lines)

    def apply_patch(self, filename: str, patch_data: str | bytes) -> None:
        """Apply a unified diff to the latest revision.

        Raises:
            ToolFailed: It is no unified diff for one file, or does not fit what the file holds.
        """
        patch = patch_data.decode() if isinstance(patch_data, bytes) else patch_data
        self.add_or_update_file(filename, patched(self.get_latest_content(filename), patch))

    def get_all_contents_for_context(self) -> str:
        """All files as a model is told them."""
        parts = [
            f"File: {name} (rev {revisions[-1].revision}):\n{revisions[-1].content}\n"
            for name, revisions in self._files.items()
        ]
        return "\n".join(("=== CANVAS FILES ===", *parts, "=== END OF CANVAS ==="))


def patched(text: str, patch: str) -> str:
    """The text after a unified diff. Line numbers are a hint: models count badly, but their context must match.

    Raises:
        ToolFailed: The patch has no hunk, or a hunk's old lines are not in the text.
    """
    lines, at, is_patch = text.splitlines(), 0, False
    for start, hunk in _hunks(patch):
        is_patch = True
        old = [line[1:] for line in hunk if line[:1] in (" ", "-")]
        new = [line[1:] for line in hunk if line[:1] in (" ", "+")]
        place = _find(lines, old, max(at, start - 1), at)
        if place is None:
            shown = "\n".join(old[:3])
            raise ToolFailed(f"The patch does not fit: these lines were not found in the file:\n{shown}")
        lines[place : place + len(old)] = new
        at = place + len(new)
    if not is_patch:
        raise ToolFailed("This is not a unified diff: it has no line that begins with `@@ -`.")
    end = "\n" if lines and (text.endswith("\n") or not text) else ""
    return "\n".join(lines) + end


def _hunks(patch: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and lines of each hunk."""
    start: int | None = None
    hunk: list[str] = []
    for line in patch.splitlines():
        if head := _HUNK.match(line):
            if start is not None:
                yield start, hunk
            start, hunk = int(head[1]), []
        elif start is not None and line[:1] in ("", " ", "+", "-"):
            hunk.append(line or " ")  # models leave out the space of an empty line
    if start is not None:
        yield start, hunk


def _find(lines: Sequence[str], old: Sequence[str], guess: int, earliest: int) -> int | None:
    """Where the old lines stand: as near to the guess as possible."""
    last = len(lines) - len(old)
    places = sorted(range(earliest, last + 1), key=lambda place: abs(place - guess))
    return next((place for place in places if list(lines[place : place + len(old)]) == list(old)), None)
