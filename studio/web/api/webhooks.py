"""Webhooks of a deployment: where programs are told of its calls, and what was sent to them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from studio.components.deferred_model import DeferredModel
from studio.deployments.webhooks import KINDS, EventKind
from studio.egress import Guard, HostRefused
from studio.errors import ConfigError
from studio.store.deployment_tables import Delivery, Webhook
from studio.store.webhooks import kinds_of, kinds_text, new_webhook
from studio.web.dependencies import PersonDep, StoreDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/deployments/{deployment}", tags=["webhooks"])
Kinds = Annotated[
    list[EventKind], Field(min_length=1, max_length=len(KINDS), description="What is sent to the program.")
]
ShowsAnswer = Annotated[
    bool, Field(description="Whether the answer, the question or the error is sent along. Else only what happened.")
]


class NewWebhook(RequestBody):
    address: str = Field(min_length=1, max_length=2000, description="http or https, on the public internet.")
    kinds: Kinds = [*KINDS]
    shows_answer: ShowsAnswer = False


class ChangeWebhook(RequestBody):
    """What is not given stays."""

    is_on: bool | None = None
    kinds: Kinds | None = None
    shows_answer: bool | None = None


class WebhookOut(DeferredModel):
    """A webhook without its secret."""

    id: str
    address: str
    kinds: Sequence[str]
    shows_answer: bool
    is_on: bool
    by: str
    created_at: datetime


class MadeWebhook(WebhookOut):
    """`secret` is told this once; with it a receiver checks the signature, as Standard Webhooks has it."""

    secret: str


class DeliveryOut(DeferredModel):
    """One event, sent or on its way. `next_at` is when it is tried next; null once it is not."""

    id: str
    webhook_id: str
    call_id: str
    kind: str
    at: datetime
    next_at: datetime | None
    attempts: int
    is_delivered: bool
    status: int | None
    answer: str


@router.get("/webhooks", summary="List webhooks, the oldest first")
async def list_webhooks(deployment: str, store: StoreDep) -> list[WebhookOut]:
    found = await store.deployments.get(deployment)
    return [_webhook(each) for each in await store.webhooks.list(found.id)]


@router.post("/webhooks", status_code=201, summary="Tell a program of calls; its secret is shown only once")
async def add_webhook(deployment: str, body: NewWebhook, store: StoreDep, person: PersonDep) -> MadeWebhook:
    found = await store.deployments.get(deployment)
    new = new_webhook(
        found.id,
        _checked(body.address),
        body.kinds,
        shows_answer=body.shows_answer,
        by=person.name,
        now=datetime.now(UTC),
    )
    made, secret = await store.webhooks.add(new)
    return MadeWebhook(**_webhook(made).model_dump(), secret=secret)


@router.patch("/webhooks/{webhook_id}", summary="Turn a webhook on or off, or choose what is sent to it")
async def change_webhook(deployment: str, webhook_id: str, body: ChangeWebhook, store: StoreDep) -> WebhookOut:
    found = await store.deployments.get(deployment)
    kinds = kinds_text(body.kinds) if body.kinds else None
    return _webhook(
        await store.webhooks.change(found.id, webhook_id, is_on=body.is_on, kinds=kinds, shows_answer=body.shows_answer)
    )


@router.delete("/webhooks/{webhook_id}", status_code=204, summary="Delete a webhook with its deliveries")
async def delete_webhook(deployment: str, webhook_id: str, store: StoreDep) -> None:
    await store.webhooks.delete((await store.deployments.get(deployment)).id, webhook_id)


@router.get("/deliveries", summary="List the newest deliveries of all webhooks; they are kept for seven days")
async def list_deliveries(deployment: str, store: StoreDep) -> list[DeliveryOut]:
    found = await store.deployments.get(deployment)
    return [_delivery(each) for each, _ in await store.webhooks.deliveries(found.id)]


@router.post("/deliveries/{delivery_id}/send", summary="Send a delivery again, under the same ID")
async def send_again(deployment: str, delivery_id: str, store: StoreDep) -> DeliveryOut:
    found = await store.deployments.get(deployment)
    return _delivery(await store.webhooks.send_again(found.id, delivery_id, datetime.now(UTC)))


def _checked(address: str) -> str:
    """Raises: ConfigError: Nothing may be sent there."""
    import httpx  # slow to load

    try:
        url = httpx.URL(address.strip())
        if url.scheme not in ("http", "https") or not url.host or url.userinfo:
            raise ConfigError(
                f"{address!r} is not an address of a webhook.",
                fix="Enter one that starts with https://.",
                where="/address",
            )
        usual = 443 if url.scheme == "https" else 80
        Guard(elsewhere=True).check(url.host, usual if url.port is None else url.port)
    except (httpx.InvalidURL, ValueError) as error:
        raise ConfigError(
            f"{address!r} is not an address.", fix="Enter one that starts with https://.", where="/address"
        ) from error
    except HostRefused as error:
        raise ConfigError(error.what, fix="Enter an address on the public internet.", where="/address") from error
    return str(url)


def _webhook(row: Webhook) -> WebhookOut:
    return WebhookOut(**row.model_dump(include={*WebhookOut.model_fields} - {"kinds"}), kinds=kinds_of(row))


def _delivery(row: Delivery) -> DeliveryOut:
    return DeliveryOut.model_validate(row.model_dump())
