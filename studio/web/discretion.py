"""What the server as a whole must not tell, in its log and in what it says of its own faults."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache

from studio.components import DefaultEnv, component_classes
from studio.components.redacting import Redactor
from studio.components.secrets import is_secret_name
from studio.store import Store

THE_TOKEN = "the studio’s access token"
_exceptions = logging.Formatter()


def key_variables() -> set[str]:
    """The environment variables that hold keys, by their names or because a component reads its key from there."""
    return {name for name in os.environ if is_secret_name(name)} | _usual_variables()


@asynccontextmanager
async def discreet_logs(store: Store, token: str) -> AsyncGenerator[None]:
    """Keep secrets out of the log inside the block: of what is logged anywhere in the process, and of tracebacks."""
    redactor = store.secrets.redactor
    await store.secrets.learn()
    resolve = await store.secrets.source()
    for name in key_variables():
        resolve(f"env:{name}")
    redactor.add(THE_TOKEN, token)
    make_record = logging.getLogRecordFactory()

    def make(*args: object, **named: object) -> logging.LogRecord:
        return without_secrets(make_record(*args, **named), redactor)

    logging.setLogRecordFactory(make)
    try:
        yield
    finally:
        logging.setLogRecordFactory(make_record)


def without_secrets(record: logging.LogRecord, redactor: Redactor) -> logging.LogRecord:
    """The record; one that would tell a secret is written out and cleaned before anybody sees it."""
    if not redactor:
        return record
    message = record.getMessage()
    if (clean := redactor.clean_text(message)) is not message:
        record.msg, record.args = clean, ()
    if record.exc_info and record.exc_info[0] is not None:
        trace = _exceptions.formatException(record.exc_info)
        if (clean_trace := redactor.clean_text(trace)) is not trace:
            record.exc_info, record.exc_text = None, clean_trace
    return record


@cache
def _usual_variables() -> frozenset[str]:
    marks = (mark for cls in component_classes() for field in cls.model_fields.values() for mark in field.metadata)
    return frozenset(mark.name for mark in marks if isinstance(mark, DefaultEnv))
