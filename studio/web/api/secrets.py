"""Secrets: values come in and never out."""

from __future__ import annotations

from pydantic import Field, SecretStr

from studio.components.deferred_model import DeferredModel
from studio.services.secret_list import SecretLine, secret_lines
from studio.web.dependencies import StoreDep, TeamChecksDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/secrets", tags=["secrets"])


class SecretOut(DeferredModel):
    name: str
    reference: str
    set: bool
    used_by: list[str]
    is_too_short: bool = Field(description="The value is too short to redact from run output.")


class SetSecret(RequestBody):
    value: SecretStr = Field(min_length=1, max_length=20_000)


@router.get("", summary="List stored secrets and those that teams reference, without values")
async def list_secrets(store: StoreDep, checks: TeamChecksDep) -> list[SecretOut]:
    return [_out(line) for line in await secret_lines(store, checks)]


@router.put("/{name}", status_code=204, summary="Store the value of a secret")
async def set_secret(name: str, body: SetSecret, store: StoreDep) -> None:
    await store.secrets.set(name, body.value.get_secret_value())


@router.delete("/{name}", status_code=204, summary="Delete a secret")
async def delete_secret(name: str, store: StoreDep) -> None:
    await store.secrets.delete(name)


def _out(line: SecretLine) -> SecretOut:
    return SecretOut(
        name=line.name,
        reference=line.reference,
        set=line.is_set,
        used_by=list(line.used_by),
        is_too_short=line.is_too_short,
    )
