"""A base of models of which a process defines many and uses few."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel


class DeferredModel(BaseModel, defer_build=True):
    """A model that Pydantic makes its validator for when it is first used, in place of when it is defined.

    Bodies of requests are none: FastAPI makes their validators itself, and keeps Pydantic's warnings about its own way
    to do so from the log only while it does.
    """


def make_validators(base: type[BaseModel]) -> Iterator[None]:
    """Make those of all subclasses that have none yet, one with each step."""
    for each in base.__subclasses__():
        if each.model_rebuild() is not None:
            yield
        yield from make_validators(each)
