"""What the tests of the store share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from studio.store import Store

OpenStore = Callable[[], AbstractAsyncContextManager[Store]]

sqlite_only = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
"""For a test that looks into the database's file."""
postgres_only = pytest.mark.parametrize("database", ["postgresql"], indirect=True)
