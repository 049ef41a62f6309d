"""Code executors as AutoGen's scripts derive them."""

from __future__ import annotations

from studio import executors as ours
from studio.autogen.freed import Freed


class CodeExecutor(Freed, ours.CodeExecutor, stands_for=ours.CodeExecutor):
    """An executor of a script."""
