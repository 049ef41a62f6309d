"""What everybody may do about themselves: see who they are, change the password, end sign-ins, make tokens.

Each route takes the user from the guard, never from the request: nobody reaches another's sign-ins by their id.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from fastapi import Request, Response
from pydantic import Field, SecretStr

from studio.components.deferred_model import DeferredModel
from studio.errors import ConfigError, Conflict, Forbidden
from studio.store import Role
from studio.web.auth import Person
from studio.web.auth.request_info import RequestInfo
from studio.web.dependencies import AccountsDep, AdmittedDep, PersonDep, StoreDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/account", tags=["account"])


class AccountOut(DeferredModel):
    name: str
    role: Role
    is_user: bool = Field(description="Whether the user signed in by name. Otherwise they use the access token.")


class SignInOut(DeferredModel):
    """`kind` is `browser` or `token`; `is_this` marks the one that asks."""

    id: str
    kind: str
    label: str
    address: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    is_this: bool


class ChangePassword(RequestBody):
    old: SecretStr = Field(max_length=1000)
    new: SecretStr = Field(max_length=1000)


class NewToken(RequestBody):
    label: str = Field(min_length=1, max_length=100, description="What the token is for.")
    days: int = Field(90, ge=1, le=365)


class TokenOut(DeferredModel):
    """`token` is told this once."""

    id: str
    token: str


@router.get("", summary="Read the current user")
async def who_am_i(person: PersonDep) -> AccountOut:
    return AccountOut(name=person.name, role=person.role, is_user=bool(person.id))


@router.get("/sign-ins", summary="List your sign-ins: browsers and tokens")
async def list_sign_ins(store: StoreDep, person: PersonDep) -> list[SignInOut]:
    if not person.id:
        return []
    return [
        SignInOut(**row.model_dump(exclude={"user_id", "key_hash"}), is_this=row.id == person.sign_in)
        for row in await store.sign_ins.list(person.id)
    ]


@router.delete("/sign-ins/{sign_in_id}", status_code=204, summary="End one of your sign-ins")
async def end_sign_in(sign_in_id: str, store: StoreDep, accounts: AccountsDep, person: PersonDep) -> None:
    await store.sign_ins.end(sign_in_id, person.id)
    accounts.presence.invalidate()


@router.delete("/sign-ins", status_code=204, summary="Sign out of all browsers; tokens stay")
async def sign_out_everywhere(request: Request, store: StoreDep, accounts: AccountsDep, person: PersonDep) -> Response:
    await store.sign_ins.end_all(_user_id(person), kind="browser")
    accounts.presence.invalidate()
    return RequestInfo(request.scope).without_cookie(Response(status_code=204))


@router.post("/sign-out", status_code=204, summary="Sign out of this browser")
async def sign_out(request: Request, store: StoreDep, accounts: AccountsDep, person: PersonDep) -> Response:
    if person.sign_in:
        await store.sign_ins.end(person.sign_in, person.id)
        accounts.presence.invalidate()
    return RequestInfo(request.scope).without_cookie(Response(status_code=204))


@router.put("/password", status_code=204, summary="Change your password; your other browsers are signed out")
async def change_password(
    request: Request, body: ChangePassword, store: StoreDep, accounts: AccountsDep, person: PersonDep
) -> None:
    user = await store.users.get(_user_id(person))
    if not user.password:
        raise ConfigError("You have no password in this studio.", fix="You sign in with the identity provider.")
    address = RequestInfo(request.scope).address
    if await accounts.with_password(user.name, body.old.get_secret_value(), address) is None:
        raise Forbidden("The current password is wrong.")
    hashed = await accounts.passwords.hash(body.new.get_secret_value(), name=user.name)
    await store.users.set_password(user.id, hashed)
    await store.sign_ins.end_all(user.id, but=person.sign_in, kind="browser")
    accounts.presence.invalidate()


@router.post("/tokens", status_code=201, summary="Create a token for a program; it has your permissions")
async def make_token(body: NewToken, accounts: AccountsDep, admitted: AdmittedDep) -> TokenOut:
    if not admitted.csrf:
        raise Forbidden("A program cannot create tokens.", fix="Create it on the Account page.")
    sign_in_id, key = await accounts.make_token(_user_id(admitted.person), body.label, timedelta(days=body.days))
    return TokenOut(id=sign_in_id, token=key)


def _user_id(person: Person) -> str:
    if not person.id:
        raise Conflict("You are signed in with the access token, not as a user.", fix="Add a user first.")
    return person.id
