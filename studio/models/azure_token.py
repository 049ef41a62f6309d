"""Where Azure clients get a token from, in place of a key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field, PrivateAttr

from studio.components import Capability, Component
from studio.errors import ConfigError, ModelRefused
from studio.models.connection import Connection
from studio.models.extras import needs_extra

if TYPE_CHECKING:
    from azure.identity.aio import DefaultAzureCredential

DEFAULT_KIND = "DefaultAzureCredential"


class TokenProvider(Component):
    """Gives tokens that stand in for an API key."""

    component_type: ClassVar[str] = "token_provider"

    async def token(self) -> str:
        """A token that is good now.

        Raises:
            ModelRefused: There is none.
        """
        raise NotImplementedError

    async def close(self) -> None:
        """Let go of connections; the provider can be used again afterwards."""


class AzureTokenProvider(TokenProvider):
    """Signs in to Azure as this machine or its user does: environment, managed identity, or the Azure CLI."""

    provider = "autogen_ext.auth.azure.AzureTokenProvider"
    aliases = ("studio.models.AzureTokenProvider", "AzureTokenProvider")

    provider_kind: Annotated[str, Field(description="`DefaultAzureCredential` is the only kind.")] = DEFAULT_KIND
    scopes: Annotated[
        list[str],
        Field(
            min_length=1,
            description="Scopes that the token is requested for.",
            examples=[["https://cognitiveservices.azure.com/.default"]],
        ),
    ]

    _connection: Connection[DefaultAzureCredential] = PrivateAttr(default_factory=lambda: Connection())

    def capabilities(self) -> Iterator[Capability]:
        scopes = ", ".join(self.scopes)
        yield Capability(
            "secret", f"Signs in to Azure with the credentials of this machine for {scopes}.", f"azure for {scopes}"
        )

    async def token(self) -> str:
        if self.provider_kind != DEFAULT_KIND:
            raise ConfigError(
                f"The kind of credential {self.provider_kind!r} is not known.", fix=f"Write `{DEFAULT_KIND}`."
            )
        with needs_extra("azure", "An Azure token provider"):
            from azure.core.exceptions import AzureError
        try:
            return (await self._connection.get(_make_credential).get_token(*self.scopes)).token
        except AzureError as error:
            raise ModelRefused(
                f"Azure gave no token: {error.message.splitlines()[0]}",
                fix="Sign in with `az login`, set AZURE_CLIENT_ID and its companions, or use an API key.",
            ) from error

    async def close(self) -> None:
        credential = self._connection.release()
        if credential is not None:
            await credential.close()


def _make_credential() -> DefaultAzureCredential:
    with needs_extra("azure", "An Azure token provider"):
        from azure.identity.aio import DefaultAzureCredential
    return DefaultAzureCredential()
