"""What the owner's programs are told of calls without asking, signed as Standard Webhooks has it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

from studio.runs import RunState, RunStatus

EventKind = Literal["call.finished", "call.failed", "call.stopped", "call.waiting"]
KINDS: tuple[EventKind, ...] = ("call.finished", "call.failed", "call.stopped", "call.waiting")
SECRET_PREFIX = "whsec_"
SIGNATURE_BYTES = 32
RETRIES: tuple[timedelta, ...] = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)
"""How long after a try that failed the next one follows; then it is given up."""
KEPT = timedelta(days=7)
_ENDS: Mapping[RunState, EventKind] = {
    RunState.FINISHED: "call.finished",
    RunState.FAILED: "call.failed",
    RunState.STOPPED: "call.stopped",
    RunState.CANCELLED: "call.stopped",
}


def event_of(status: RunStatus) -> EventKind | None:
    """What a call comes to when its run gets this status; None where nobody is told of it."""
    if status.state is RunState.PAUSED and status.pending is not None:
        return "call.waiting"
    return _ENDS.get(status.state)


def make_webhook_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SIGNATURE_BYTES)).decode()


def signed_headers(secret: str, delivery_id: str, at: datetime, body: bytes) -> Mapping[str, str]:
    """The headers by which a receiver knows who sent this, and when."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    stamp = str(int(at.timestamp()))
    signed = hmac.new(key, f"{delivery_id}.{stamp}.".encode() + body, hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(signed).decode()}"
    return {"webhook-id": delivery_id, "webhook-timestamp": stamp, "webhook-signature": signature}
