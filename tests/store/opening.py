"""What the tests of the store share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from studio.store import Store

OpenStore = Callable[[], AbstractAsyncContextManager[Store]]
