"""Parquet files."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from arro3.core import Array, DataType, Table
from arro3.io import write_parquet


def parquet(columns: Mapping[str, Sequence[int] | Sequence[str | None]]) -> bytes:
    """A file of these columns."""
    made: dict[str, Any] = {name: _column(values) for name, values in columns.items()}
    table = Table.from_pydict(made)  # pyright: ignore[reportUnknownMemberType]  # its types name an array of anything
    content = io.BytesIO()
    write_parquet(table, content)
    return content.getvalue()


def _column(values: Sequence[int] | Sequence[str | None]) -> Array:
    is_number = all(isinstance(value, int) for value in values)
    return Array(values, DataType.int64() if is_number else DataType.string())
