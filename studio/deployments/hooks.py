"""Hooks: how a post by another service is known to be genuine, and what task becomes of it. Nothing is executed."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

from pydantic import JsonValue

from studio.components.pointers import value_at
from studio.deployments.webhooks import SECRET_PREFIX
from studio.errors import ConfigError, TooLarge

HookKind = Literal["standard", "github", "bearer"]
"""Standard Webhooks; the signature of GitHub, which many others send; or the secret itself as a bearer token."""
TOLERANCE = timedelta(minutes=5)
"""How old a signed post may be, and how far ahead the clock of its sender."""
MAX_SIGNATURES = 10
MAX_ID_CHARACTERS = 255
MAX_TEMPLATE_CHARACTERS = 20_000
MAX_PLACES = 50
MAX_TASK_CHARACTERS = 300_000
_PLACE = re.compile(r"\{\{([^{}]*)\}\}")
BODY = "body"
"""The place for the whole body."""


def is_genuine(kind: HookKind, secret: str, headers: Mapping[str, str], body: bytes, now: datetime) -> bool:
    """Whether who sent this knows the secret, and, where the signature tells when, sent it just now."""
    if kind == "standard":
        return _is_standard(secret, headers, body, now)
    if kind == "github":
        signed = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        return _is_same(headers.get("x-hub-signature-256", ""), signed)
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and _is_same(token.strip(), secret)


def delivery_id(kind: HookKind, headers: Mapping[str, str]) -> str:
    """By which a post that comes again is known; "" where its sender gives none."""
    names = {"standard": "webhook-id", "github": "x-github-delivery", "bearer": "idempotency-key"}
    return headers.get(names[kind], "")


def check_template(template: str) -> None:
    """Hold that a task can be made of it.

    Raises:
        ConfigError: It is empty or too long, has too many places, or one that is no JSON pointer.
    """
    places = _PLACE.findall(template)
    if not template.strip() or len(template) > MAX_TEMPLATE_CHARACTERS or len(places) > MAX_PLACES:
        raise ConfigError(
            f"A task has 1 to {MAX_TEMPLATE_CHARACTERS:,} characters and up to {MAX_PLACES} places.", where="/task"
        )
    for place in (each.strip() for each in places):
        if place != BODY and not place.startswith("/"):
            raise ConfigError(
                f"{place!r} is not a JSON pointer.",
                fix="Write a place as {{/issue/title}}, or {{body}} for the whole body.",
                where="/task",
            )


def make_task(template: str, body: JsonValue) -> str:
    """The task of a call: each place is filled with that part of the body. What is not there stays empty.

    Raises:
        TooLarge: The task gets too long.
    """
    room = MAX_TASK_CHARACTERS - len(template)

    def filled(place: re.Match[str]) -> str:
        nonlocal room
        text = _text_at(body, place[1].strip())
        room -= len(text)
        if room < 0:
            raise TooLarge(f"The task would have more than {MAX_TASK_CHARACTERS:,} characters.", fix="Send less.")
        return text

    return _PLACE.sub(filled, template)


def _text_at(body: JsonValue, place: str) -> str:
    try:
        value = body if place == BODY else value_at(body, place)
    except (LookupError, TypeError, ValueError):
        return ""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _is_standard(secret: str, headers: Mapping[str, str], body: bytes, now: datetime) -> bool:
    sent_id, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_id or not re.fullmatch(r"[0-9]{1,12}", stamp):
        return False
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = hmac.new(key, f"{sent_id}.{stamp}.".encode("latin-1") + body, hashlib.sha256).digest()
    given = headers.get("webhook-signature", "").split(" ")[:MAX_SIGNATURES]
    is_signed = any([_is_same_bytes(each, signed) for each in given])
    return is_signed and abs(now.timestamp() - int(stamp)) <= TOLERANCE.total_seconds()


def _is_same_bytes(given: str, signed: bytes) -> bool:
    version, _, encoded = given.partition(",")
    try:
        return version == "v1" and hmac.compare_digest(base64.b64decode(encoded, validate=True), signed)
    except (binascii.Error, ValueError):
        return False


def _is_same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())
