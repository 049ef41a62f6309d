"""Deployments, and one of them: how it is used, its calls, releases, keys, limits, usage and settings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal
from urllib.parse import urlsplit

from fastapi import Query, Request, Response
from pydantic import BeforeValidator

from studio.deployments import ChatAccess, DeploymentSettings, KeyUse
from studio.deployments.hooks import HookKind
from studio.evaluation.gates import GATE_WORDS
from studio.services.amounts import money
from studio.services.changes import compare
from studio.services.evaluations import newest_results
from studio.services.publishing import speakers_of
from studio.services.release_gates import release_evaluations
from studio.store import CallSummary, Store, TeamDocument
from studio.store.call_usage import By, CallUsagePart
from studio.store.deployment_tables import CallerKey, Delivery, Deployment, Release, Webhook
from studio.store.deployments import KeyState, key_state
from studio.store.webhooks import kinds_of
from studio.web.dependencies import StoreDep, TemplatesDep
from studio.web.forms.settings_form import settings_fields
from studio.web.router import StudioRouter
from studio.web.schedule_rows import preset_words, schedule_rows
from studio.web.snippets import embeds, snippets
from studio.web.templates import Templates

router = StudioRouter(prefix="/deployments", include_in_schema=False)
PAGE = 100
TABS: Mapping[str, str] = {
    "": "Use",
    "calls": "Calls",
    "releases": "Releases",
    "keys": "Keys",
    "chat": "Chat",
    "schedules": "Schedules",
    "hooks": "Hooks",
    "webhooks": "Webhooks",
    "limits": "Limits",
    "usage": "Usage",
    "settings": "Settings",
}
"""By the last part of their address."""
GATE_TONES: Mapping[str, str] = {
    "passed": "finished",
    "failed": "failed",
    "cannot_tell": "warning",
    "missing": "warning",
}
"""States of badges by what a gate says."""
SEES: Mapping[str, str] = {"answer": "Only the answer", "messages": "Each message of the agents"}
CHAT_ACCESS: Mapping[ChatAccess, str] = {
    "off": "Off",
    "link": "People with a chat link",
    "people": "People who are signed in to this studio",
    "anyone": "Anyone with the address",
}
PROTOCOLS: Mapping[str, str] = {
    "rest": "REST",
    "openai-chat": "Chat Completions",
    "openai-responses": "Responses",
    "mcp": "MCP",
    "a2a": "A2A",
    "ag-ui": "AG-UI",
    "ai-sdk": "AI SDK",
    "chat": "Chat page",
    "schedule": "Schedule",
    "hook": "Hook",
}
HOOK_KINDS: Mapping[HookKind, str] = {
    "standard": "Standard Webhooks",
    "github": "GitHub's signature",
    "bearer": "Bearer token",
}
EVENTS: Mapping[str, str] = {
    "call.finished": "finished",
    "call.failed": "failed",
    "call.stopped": "were stopped",
    "call.waiting": "wait for an answer",
}
"""What webhooks tell of calls."""
GROUPS: Mapping[By, str] = {"day": "Day", "key": "Key", "release": "Release", "protocol": "Protocol"}


@dataclass(frozen=True)
class DeploymentRow:
    """A deployment as the list shows it, with its calls since midnight (UTC)."""

    name: str
    team_id: str | None
    team_name: str
    live: int
    is_on: bool
    today: CallUsagePart
    cost: str


@dataclass(frozen=True)
class CallRow:
    """A call as the list shows it; `state` is empty where its run was deleted."""

    id: str
    task: str
    state: str
    key_label: str
    protocol: str
    release: int
    at: datetime
    cost: str


@dataclass(frozen=True)
class KeyRow:
    """A key, and whether it still opens its deployment."""

    key: CallerKey
    state: KeyState


@dataclass(frozen=True)
class WebhookRow:
    """A webhook. Only its host is shown: addresses may hold secrets."""

    webhook: Webhook
    host: str
    kinds: Sequence[str]


@dataclass(frozen=True)
class DeliveryRow:
    """A delivery, and how it stands."""

    delivery: Delivery
    host: str
    kind: str
    tone: str
    state: str


@dataclass(frozen=True)
class UsageRow:
    """What the calls of one day, key, release or protocol took."""

    label: str
    part: CallUsagePart
    tokens: int
    cost: str


def base_url(request: Request) -> str:
    """Where the studio was reached, without a slash at the end."""
    return str(request.base_url).rstrip("/")


@router.get("")
async def deployments_page(request: Request, store: StoreDep, templates: TemplatesDep) -> Response:
    today = await store.call_usage.of_all(since=datetime.now(UTC).date())
    rows = [_row(each, today.get(each.id, CallUsagePart(each.id))) for each in await store.deployments.list()]
    return templates.page(request, "pages/deployments.html", title="Deployments", nav="deployments", rows=rows)


@router.get("/{deployment}")
async def use_page(request: Request, deployment: str, store: StoreDep, templates: TemplatesDep) -> Response:
    found = await store.deployments.get(deployment)
    keys = await _keys(store, found, "calls")
    return _page(
        request,
        templates,
        found,
        "",
        snippets=snippets(base_url(request), found.name),
        has_key=any(each.state == "valid" for each in keys),
        base=base_url(request),
        embeds=embeds(base_url(request), found.name),
    )


@router.get("/{deployment}/calls")
async def calls_page(
    request: Request,
    deployment: str,
    store: StoreDep,
    templates: TemplatesDep,
    before: Annotated[str | None, Query(max_length=100)] = None,
) -> Response:
    found = await store.deployments.get(deployment)
    rows = call_rows(await store.calls.list(found.id, before=before, limit=PAGE + 1))
    more = rows[PAGE - 1].id if len(rows) > PAGE else ""
    return _page(request, templates, found, "calls", calls=rows[:PAGE], before=before, next_before=more)


@router.get("/{deployment}/releases")
async def releases_page(request: Request, deployment: str, store: StoreDep, templates: TemplatesDep) -> Response:
    found = await store.deployments.get(deployment)
    releases = await store.deployments.releases(found.id)
    return _page(
        request,
        templates,
        found,
        "releases",
        releases=releases,
        evaluations=await newest_results(store, found.team_id) if found.team_id else {},
        before_live=_before_live(found, releases),
    )


@router.get("/{deployment}/releases/{number}")
async def release_page(
    request: Request, deployment: str, number: int, store: StoreDep, templates: TemplatesDep
) -> Response:
    """What changes for callers when a release goes live."""
    found = await store.deployments.get(deployment)
    release = await store.deployments.release(found.id, number)
    live = await store.deployments.release(found.id, found.live)
    comparison = await compare(*(TeamDocument(found.team_name, each.component, {}) for each in (live, release)))
    required = await release_evaluations(store, found, release) if number != found.live else ()
    return _page(
        request,
        templates,
        found,
        "releases",
        release=release,
        comparison=comparison,
        required=required,
        gate_words={**GATE_WORDS, "missing": "Not evaluated."},
        gate_tones=GATE_TONES,
    )


@router.get("/{deployment}/keys")
async def keys_page(request: Request, deployment: str, store: StoreDep, templates: TemplatesDep) -> Response:
    found = await store.deployments.get(deployment)
    return _page(request, templates, found, "keys", keys=await _keys(store, found, "calls", "oauth"))


@router.get("/{deployment}/chat")
async def chat_tab(request: Request, deployment: str, store: StoreDep, templates: TemplatesDep) -> Response:
    found = await store.deployments.get(deployment)
    return _page(
        request,
        templates,
        found,
        "chat",
        links=await _keys(store, found, "link"),
        access=CHAT_ACCESS,
        base=base_url(request),
        **_settings(found),
    )


@router.get("/{deployment}/schedules")
async def schedules_page(request: Request, deployment: str, store: StoreDep, templates: TemplatesDep) -> Response:
    found = await store.deployments.get(deployment)
    rows = await schedule_rows(store, found)
    return _page(request, templates, found, "schedules", schedules=rows, presets=preset_words())


@router.get("/{deployment}/hooks")
async def hooks_page(request: Request, deployment: str, store: StoreDep, templates: TemplatesDep) -> Response:
    found = await store.deployments.get(deployment)
    rows = await store.hooks.list(found.id)
    places = {"place": "{{/issue/title}}", "whole": "{{body}}"}
    return _page(request, templates, found, "hooks", hooks=rows, kinds=HOOK_KINDS, base=base_url(request), **places)


@router.get("/{deployment}/webhooks")
async def webhooks_page(request: Request, deployment: str, store: StoreDep, templates: TemplatesDep) -> Response:
    found = await store.deployments.get(deployment)
    rows = [
        WebhookRow(each, _host(each), [_event(kind) for kind in kinds_of(each)])
        for each in await store.webhooks.list(found.id)
    ]
    deliveries = [_delivery_row(*each) for each in await store.webhooks.deliveries(found.id)]
    return _page(request, templates, found, "webhooks", webhooks=rows, deliveries=deliveries, kinds=EVENTS)


@router.get("/{deployment}/limits")
async def limits_page(request: Request, deployment: str, store: StoreDep, templates: TemplatesDep) -> Response:
    found = await store.deployments.get(deployment)
    return _page(request, templates, found, "limits", **_settings(found))


@router.get("/{deployment}/settings")
async def settings_page(request: Request, deployment: str, store: StoreDep, templates: TemplatesDep) -> Response:
    found = await store.deployments.get(deployment)
    release = await store.deployments.release(found.id, found.live)
    speakers = await asyncio.to_thread(speakers_of, release.component)
    return _page(request, templates, found, "settings", speakers=speakers, sees=SEES, **_settings(found))


@router.get("/{deployment}/usage")
async def usage_page(
    request: Request,
    deployment: str,
    store: StoreDep,
    templates: TemplatesDep,
    by: Annotated[By, Query()] = "day",
    days: Annotated[Literal[7, 30, 90], BeforeValidator(int), Query()] = 30,
) -> Response:
    found = await store.deployments.get(deployment)
    since = datetime.now(UTC).date() - timedelta(days=days - 1)
    parts = await store.call_usage.of_deployment(found.id, by, since=since)
    labels = {each.id: each.label for each in await store.deployments.keys(found.id)} if by == "key" else {}
    rows = [_usage_row(part, by, labels) for part in parts]
    return _page(request, templates, found, "usage", rows=rows, by=by, days=days, groups=GROUPS)


def _page(request: Request, templates: Templates, found: Deployment, tab: str, **context: object) -> Response:
    return templates.page(
        request,
        "pages/deployment.html",
        title=found.name,
        nav="deployments",
        deployment=found,
        settings=DeploymentSettings.model_validate(found.settings),
        tab=tab,
        part="release" if "release" in context else tab or "use",
        tabs=TABS,
        **context,
    )


def _row(found: Deployment, today: CallUsagePart) -> DeploymentRow:
    return DeploymentRow(found.name, found.team_id, found.team_name, found.live, found.is_on, today, _cost(today))


def _cost(part: CallUsagePart) -> str:
    cost = part.cost
    return money(cost.micro_usd) + ("+" if cost.unpriced_calls else "")


def call_rows(calls: Sequence[CallSummary]) -> Sequence[CallRow]:
    return [
        CallRow(
            id=each.call.id,
            task=each.run.task_text if each.run else "",
            state=each.run.state if each.run else "",
            key_label=each.key_label,
            protocol=PROTOCOLS.get(each.call.protocol, each.call.protocol),
            release=each.call.release,
            at=each.call.at,
            cost=money(each.run.micro_usd) if each.run else "–",
        )
        for each in calls
    ]


async def _keys(store: Store, found: Deployment, *opens: KeyUse) -> Sequence[KeyRow]:
    now, keys = datetime.now(UTC), await store.deployments.keys(found.id)
    return [KeyRow(each, key_state(each, now)) for each in keys if each.opens in opens]


def _settings(found: Deployment) -> dict[str, object]:
    return {"fields": settings_fields(DeploymentSettings.model_validate(found.settings))}


def _host(webhook: Webhook) -> str:
    return urlsplit(webhook.address).netloc


def _event(kind: str) -> str:
    return kind.removeprefix("call.")


def _delivery_row(delivery: Delivery, webhook: Webhook) -> DeliveryRow:
    kind = f"Call {_event(delivery.kind)}"
    if delivery.next_at is not None:
        tone, state = ("waiting", "Retrying") if delivery.attempts else ("running", "Pending")
    else:
        tone, state = ("ok", "Delivered") if delivery.is_delivered else ("failed", "Given up")
    return DeliveryRow(delivery, _host(webhook), kind, tone, state)


def _before_live(found: Deployment, releases: Sequence[Release]) -> Release | None:
    """The release that was live before the one that is."""
    others = [each for each in releases if each.number != found.live and each.live_at is not None]
    return max(others, key=lambda each: each.live_at or each.at, default=None)


def _usage_row(part: CallUsagePart, by: By, labels: Mapping[str, str]) -> UsageRow:
    words = {"key": labels.get(part.key, "Deleted key"), "release": f"Release {part.key}"}
    label = PROTOCOLS.get(part.key, part.key) if by == "protocol" else words.get(by, part.key)
    return UsageRow(label, part, part.cost.prompt_tokens + part.cost.completion_tokens, _cost(part))
