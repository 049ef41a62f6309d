"""The people of a studio, for its admins."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field, SecretStr

from studio.components.deferred_model import DeferredModel
from studio.errors import ConfigError
from studio.store import Role, role_named
from studio.store.tables import User
from studio.web.dependencies import AccountsDep, PersonDep, StoreDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/users", tags=["users"])
MAX_CHARACTERS = 1000


class NewUser(RequestBody):
    """Without a password they come by the identity provider, which has proven that `name` is their e-mail address."""

    name: str = Field(min_length=1, max_length=100)
    role: Role = "viewer"
    password: SecretStr = Field(SecretStr(""), max_length=MAX_CHARACTERS)


class SetRole(RequestBody):
    role: Role


class SetPassword(RequestBody):
    password: SecretStr = Field(max_length=MAX_CHARACTERS)


class UserOut(DeferredModel):
    """`sign_ins` counts browsers and tokens; `sign_in_methods` are the ways they sign in."""

    id: str
    name: str
    role: Role
    sign_in_methods: str
    sign_ins: int
    created_at: datetime


@router.get("", summary="List the users")
async def list_users(store: StoreDep) -> list[UserOut]:
    held = [sign_in.user_id for sign_in in await store.sign_ins.list()]
    return [_out(user, held.count(user.id)) for user in await store.users.list()]


@router.post("", status_code=201, summary="Add a user; once users exist, the access token no longer signs in")
async def add_user(body: NewUser, store: StoreDep, accounts: AccountsDep) -> UserOut:
    password = body.password.get_secret_value()
    if not password and accounts.provider is None:
        raise ConfigError("A user needs a password.", fix="Enter one, or set up an identity provider.")
    hashed = await accounts.passwords.hash(password, name=body.name) if password else ""
    user = await store.users.add(body.name, body.role, password=hashed)
    accounts.presence.invalidate()
    return _out(user, 0)


@router.put("/{user_id}/role", summary="Change a user's role; takes effect immediately")
async def set_role(user_id: str, body: SetRole, store: StoreDep, accounts: AccountsDep, person: PersonDep) -> UserOut:
    user = await store.users.set_role(user_id, body.role)
    accounts.presence.invalidate()
    await accounts.record(person.name, "set a role", "", body.role, object=user.name)
    return _out(user, len(await store.sign_ins.list(user_id)))


@router.put("/{user_id}/password", status_code=204, summary="Set a user's password, and end all their sign-ins")
async def set_password(user_id: str, body: SetPassword, store: StoreDep, accounts: AccountsDep) -> None:
    user = await store.users.get(user_id)
    hashed = await accounts.passwords.hash(body.password.get_secret_value(), name=user.name)
    await store.users.set_password(user_id, hashed)
    await store.sign_ins.end_all(user_id)
    accounts.presence.invalidate()


@router.delete("/{user_id}/sign-ins", status_code=204, summary="End all sign-ins of a user: browsers and tokens")
async def end_sign_ins(user_id: str, store: StoreDep, accounts: AccountsDep) -> None:
    await store.users.get(user_id)
    await store.sign_ins.end_all(user_id)
    accounts.presence.invalidate()


@router.delete("/{user_id}", status_code=204, summary="Remove a user and their sign-ins; their teams and runs stay")
async def remove_user(user_id: str, store: StoreDep, accounts: AccountsDep) -> None:
    await store.users.remove(user_id)
    accounts.presence.invalidate()


def _out(user: User, count: int) -> UserOut:
    ways = [("password", user.password), ("identity provider", user.identity or not user.password)]
    return UserOut(
        id=user.id,
        name=user.name,
        role=role_named(user.role),
        sign_in_methods=" and ".join(way for way, is_so in ways if is_so),
        sign_ins=count,
        created_at=user.created_at,
    )
