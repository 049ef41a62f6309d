"""What continuous integration tries in one setting or on a sample, and `scripts/test extended` in each and as a whole.

See docs/design/tests.md. A test that only repeats another one in a second setting bears the mark `extended`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

IS_EXTENDED = bool(os.environ.get("STUDIO_TEST_EXTENDED"))


def times(usually: int, extended: int) -> int:
    """How often something is tried."""
    return extended if IS_EXTENDED else usually


def sample(whole: Sequence[T], size: int) -> list[T]:
    """So many of them, spread over the whole; all where the tests are extended."""
    if IS_EXTENDED or len(whole) <= size:
        return [*whole]
    step = len(whole) / size
    return [whole[int(step * (place + 0.5))] for place in range(size)]
