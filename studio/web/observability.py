"""Whether the runs of this server send spans, and where."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache

from studio.components import DefaultEnv, component_classes
from studio.components.redaction import Redactor
from studio.components.secrets import from_environment, is_secret_name
from studio.runs import Tracing, otlp_provider, use_tracing
from studio.settings import Settings
from studio.store import Store

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


@asynccontextmanager
async def open_tracing(settings: Settings) -> AsyncGenerator[None]:
    """Send the spans of the runs inside the block to a collector, where one is named; the last ones at its end."""
    if not (settings.otlp_endpoint or any(os.environ.get(name) for name in ENDPOINTS)):
        yield
        return
    provider = otlp_provider(settings.otlp_endpoint)
    try:
        with use_tracing(Tracing(provider.get_tracer("studio"), content=settings.trace_content)):
            yield
    finally:
        await asyncio.to_thread(provider.shutdown)


THE_TOKEN = "the studio’s access token"
UNREADABLE = "A log message could not be formatted."
_formatter = logging.Formatter()


def key_variables() -> set[str]:
    """The environment variables that hold keys, by their names or because a component reads its key from there."""
    return _named_like_keys() | _usual_variables()


def _named_like_keys() -> set[str]:
    return {name for name in os.environ if is_secret_name(name)}


@asynccontextmanager
async def redacting_logs(store: Store, token: str) -> AsyncGenerator[None]:
    """Keep secrets out of the log inside the block: of messages, tracebacks and whatever else a record holds.

    Each handler that the process has gets a filter of this server's own, so that several servers in one process
    neither see nor undo each other's.
    """
    redactor = store.secrets.redactor
    await store.secrets.learn()
    resolve = await store.secrets.source()
    for name in _named_like_keys():
        resolve(f"env:{name}")
    redactor.add(THE_TOKEN, token)
    handlers, redact = _handlers(), RedactingFilter(redactor)
    for handler in handlers:
        handler.addFilter(redact)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(redact)


async def learn_variables_of_components(store: Store) -> None:
    """Keep out of the log what components read their keys from, too, whatever it is named like.

    Components of the studio itself read keys only from variables that are named like keys, which are known before
    anything is logged. Others are imported for this, and a start does not wait for that.
    """
    resolve = store.secrets.redactor.noting(from_environment)
    for name in await asyncio.to_thread(_usual_variables):
        resolve(f"env:{name}")


class RedactingFilter(logging.Filter):
    """Takes secrets out of records just before a handler writes them. It lets every record pass and never raises."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            if self._redactor:
                self._redact(record)
        except Exception:  # noqa: BLE001 -- who logs must not fail by it, and what fails to be written out may hold a secret
            record.msg, record.args = UNREADABLE, ()
            record.exc_info = record.exc_text = record.stack_info = None
        return True

    def _redact(self, record: logging.LogRecord) -> None:
        clean = self._redactor.clean_text
        try:
            message = record.getMessage()
        except Exception:  # noqa: BLE001 -- of the arguments, which `logging` would print as they are
            record.msg, record.args = f"{UNREADABLE} It starts with: {clean(str(record.msg))}", ()
        else:
            if (without := clean(message)) is not message:
                record.msg, record.args = without, ()
        if record.exc_info and record.exc_info[0] is not None:
            trace = _formatter.formatException(record.exc_info)
            if (without := clean(trace)) is not trace:
                record.exc_info, record.exc_text = None, without
        for name, value in list(vars(record).items()):  # also what came as `extra`
            if isinstance(value, str) and name != "msg" and (without := clean(value)) is not value:
                setattr(record, name, without)


def _handlers() -> list[logging.Handler]:
    """All that write records now: those of every logger, and the one for records that no logger's handler takes."""
    root = logging.getLogger()
    loggers = [root, *(one for one in root.manager.loggerDict.values() if isinstance(one, logging.Logger))]
    found = [handler for logger in loggers for handler in logger.handlers]
    return list(dict.fromkeys([*found, *([logging.lastResort] if logging.lastResort else [])]))


@cache
def _usual_variables() -> frozenset[str]:
    marks = (mark for cls in component_classes() for field in cls.model_fields.values() for mark in field.metadata)
    return frozenset(mark.name for mark in marks if isinstance(mark, DefaultEnv))
