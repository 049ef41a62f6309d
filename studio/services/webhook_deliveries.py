"""Sends what the outbox of webhooks holds. What is sent is claimed in the database, so any process may do it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pydantic import JsonValue

from studio.deployments.webhooks import signed_headers
from studio.egress import Guard, HostRefused, TooLong, Unreadable, http_client
from studio.errors import StudioError
from studio.services.calls import CallDesk
from studio.store import Store
from studio.store.webhooks import Due

if TYPE_CHECKING:
    import httpx

AT_ONCE = 8
TRY_S = 15.0
READ_BYTES = 4096
KEPT_CHARACTERS = 500
LOOK_S = 1.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Deliveries:
    """The deliveries of all webhooks."""

    store: Store
    desk: CallDesk

    async def keep_sending(self) -> None:
        """Send what is due until this is canceled."""
        while True:
            try:
                if await self.send_due(datetime.now(UTC)):
                    continue
            except StudioError as error:
                logger.warning("Webhooks cannot be told now: %s", error)
            await asyncio.sleep(LOOK_S)

    async def send_due(self, now: datetime) -> int:
        """Try what is due once; how many there were."""
        claimed = await self.store.webhooks.claim_due(now, AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for due in claimed:
                group.create_task(self._attempt(due, now))
        return len(claimed)

    async def _attempt(self, due: Due, now: datetime) -> None:
        """One try; whatever becomes of it is kept, and ends nothing else."""
        try:
            body = json.dumps(await self._body(due), separators=(",", ":")).encode()
            secret = self.store.webhooks.secret_of(due.webhook)
            status, answer = await _sent(due.webhook.address, signed_headers(secret, due.delivery.id, now, body), body)
        except StudioError as error:
            status, answer = None, error.what
        except Exception:  # one that cannot be sent must not end the others, or all that the process does
            logger.exception("Delivery %s cannot be sent", due.delivery.id)
            status, answer = None, "It could not be sent. The server log has the details."
        try:
            await self.store.webhooks.settle(due.delivery, now, status=status, answer=answer[:KEPT_CHARACTERS])
        except StudioError as error:  # whoever claims it next tries it again
            logger.warning("The result of delivery %s cannot be kept: %s", due.delivery.id, error)

    async def _body(self, due: Due) -> JsonValue:
        """What happened and where to read it; the call itself only where its owner wants that to be sent."""
        data: dict[str, JsonValue] = {
            "id": due.call.id,
            "deployment": due.deployment.name,
            "thread": due.call.thread,
            "protocol": due.call.protocol,
        }
        if due.webhook.shows_answer:
            view = (await self.desk.status_of(due.call, due.deployment)).view
            data["answer"] = view.answer if view.has_answer else None
            data["question"] = view.question.model_dump(mode="json") if view.question else None
            data["error"] = view.failure.model_dump(mode="json") if view.failure else None
        return {"type": due.delivery.kind, "timestamp": due.delivery.at.isoformat(), "data": data}


async def _sent(address: str, headers: Mapping[str, str], body: bytes) -> tuple[int | None, str]:
    """The status and the start of the answer; None and why there is none. Redirects are answers like others."""
    import httpx  # slow to load

    sent = {**headers, "Content-Type": "application/json", "User-Agent": "team-studio"}
    try:
        async with (
            asyncio.timeout(TRY_S),
            http_client(Guard(elsewhere=True), trust_env=False, timeout=TRY_S, follow_redirects=False) as client,
            client.stream("POST", address, content=body, headers=sent) as answer,
        ):
            return answer.status_code, await _start_of(answer)
    except TimeoutError:
        return None, f"No answer within {TRY_S:.0f} s."
    except (HostRefused, TooLong, Unreadable) as error:
        return None, error.what
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return None, f"The address cannot be reached: {error}"


async def _start_of(answer: httpx.Response) -> str:
    start = b""
    async for part in answer.aiter_bytes():
        start += part
        if len(start) >= READ_BYTES:
            break
    return start[:READ_BYTES].decode("utf-8", "replace").replace("\0", "")
