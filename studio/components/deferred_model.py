"""A base of models of which a process defines many and uses few."""

from __future__ import annotations

from pydantic import BaseModel


class DeferredModel(BaseModel, defer_build=True):
    """A model that Pydantic makes its validator for when it is first used, in place of when it is defined.

    Bodies of requests are none: FastAPI makes their validators itself, and keeps Pydantic's warnings about its own way
    to do so from the log only while it does.
    """
