"""An HTTP endpoint as a tool."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal, cast
from urllib.parse import quote

from pydantic import BaseModel, Field, JsonValue, PrivateAttr, ValidationError, field_validator

from studio import effects
from studio.components import Capability, JsonObject, SecretRef, is_reference
from studio.egress import Guard, HostRefused, http_client
from studio.errors import ToolFailed
from studio.messages import ToolSchema
from studio.models import model_from_schema
from studio.models.connection import trusted
from studio.models.headers import references_in, references_within_braces, resolved_headers
from studio.models.openai_services import exact_address
from studio.models.schema_model import parameters_of
from studio.sandbox import TEXT_LIMIT
from studio.tools.base import BaseTool, ToolReturn

if TYPE_CHECKING:
    import httpx

_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9.])?|\[[0-9A-Fa-f:.]+\]")
_PLACE = re.compile(r"{([^{}]*)}")
KEY_HEADER = "Idempotency-Key"
BODY_LIMIT = 1_000_000
"""Bytes of an answer that are read."""


class HttpTool(BaseTool):
    """Calls an HTTP endpoint."""

    provider = "autogen_ext.tools.http.HttpTool"
    keywords = "api rest request url web"
    aliases = ("autogen_ext.tools.http._http_tool.HttpTool", "studio.tools.HttpTool")
    positional = (
        "name",
        "host",
        "port",
        "json_schema",
        "headers",
        "description",
        "path",
        "scheme",
        "method",
        "return_type",
    )
    keep_null = frozenset(("description", "headers"))

    name: Annotated[
        str, Field(min_length=1, description="Name of the tool, as the model sees it.", examples=["base64_decode"])
    ]
    description: Annotated[
        str | None,
        Field(description="Tells the model what the tool does.", json_schema_extra={"x-multiline": True}),
    ] = "HTTP tool"
    scheme: Literal["http", "https"] = "http"
    host: Annotated[str, Field(min_length=1, examples=["httpbin.org"])]
    port: Annotated[int, Field(ge=1, le=65535, examples=[443])]
    path: Annotated[
        str, Field(description="`{name}` stands for an argument. The others go into the query or the body.")
    ] = "/"
    method: Literal["GET", "POST", "PUT", "DELETE", "PATCH"] | None = "POST"
    headers: Annotated[
        dict[str, str] | None, Field(description="HTTP headers. A value may reference a secret: `env:NAME`.")
    ] = None
    json_schema: Annotated[
        dict[str, JsonValue],
        Field(
            description="JSON schema of the arguments that the model fills in; an object.",
            examples=[{"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}],
            json_schema_extra={"x-multiline": True, "x-language": "json"},
        ),
    ]
    return_type: Annotated[Literal["text", "json"] | None, Field(description="`json`: the answer must be JSON.")] = (
        "text"
    )
    timeout: Annotated[float, Field(gt=0, le=3600, description="For one request, in seconds.")] = 5.0

    _arguments: type[BaseModel] | None = PrivateAttr(default=None)

    @property
    def address(self) -> str:
        """Scheme, host and port."""
        return f"{self.scheme}://{self.host}:{self.port}"

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- AutoGen's name; Pydantic's is deprecated
        return ToolSchema(
            name=self.name,
            description=self.description or "",
            parameters=parameters_of(self.json_schema),
            strict=False,
        )

    def capabilities(self) -> Iterator[Capability]:
        place = exact_address(f"{self.address}/{self.path.removeprefix('/')}", self.headers)
        for secret in dict.fromkeys((*references_in(self.headers), *references_within_braces(self.path))):
            text = f"Sends the secret {secret.reference} to {place}."
            yield Capability("secret", text, f"{secret.reference} to {place}")
        request = f"{self.method or 'POST'} {place}"
        yield Capability("host", f"Sends {self.method or 'POST'} requests to {place}.", request)

    @field_validator("host")
    @classmethod
    def _is_a_host(cls, host: str) -> str:
        if not _HOST.fullmatch(host):
            raise ValueError("Enter only a host name or address, such as api.example.com.")
        return host

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        import httpx

        given = self._checked(arguments)
        places = {name: given.pop(name, "") for name in _PLACE.findall(self.path) if not is_reference(name)}
        path = _PLACE.sub(lambda match: self._in_path(match[1], places), self.path)
        if _has_steps(path) and not _has_steps(self.path):  # they would lead to another path than the approved one
            raise ToolFailed(f"The path {path!r} would change the path.", fix="Use arguments without dot segments.")
        url = f"{self.address}/{path.removeprefix('/')}"
        method = self.method or "POST"
        in_query = method in ("GET", "DELETE")
        query = {name: _as_text(value) for name, value in given.items()} if in_query else None
        try:
            async with (
                asyncio.timeout(self.timeout),  # of the whole call: httpx's own limit starts anew with each byte
                self._client() as client,
                client.stream(method, url, params=query, json=None if in_query else given) as response,
            ):
                body = (await response.aread()).decode(response.charset_encoding or "utf-8", "replace")
        except HostRefused as error:
            raise ToolFailed(str(error)) from error
        except TimeoutError as error:
            raise ToolFailed(f"{self.address} did not answer within {self.timeout:g} s.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ToolFailed(f"{self.address} cannot be called: {error}") from error
        return self._result(response, body)

    def _in_path(self, name: str, places: JsonObject) -> str:
        if is_reference(name):
            return SecretRef(name).resolve()
        return quote(_as_text(places[name]), safe="")

    @property
    def is_safe_to_repeat(self) -> bool:
        return self.method == "GET"

    def _client(self) -> httpx.AsyncClient:
        """Reaches the host of the config and no other, whatever an argument or a redirect says."""
        guard = Guard.for_host(self.host, self.port)
        return http_client(guard, limit=BODY_LIMIT, timeout=None, verify=trusted(), headers=self._headers())

    def _headers(self) -> dict[str, str]:
        """Those of the config, and the key by which a service can tell that a call is the same again."""
        key, own = effects.idempotency_key(), resolved_headers(self.headers)
        has_own = any(name.lower() == KEY_HEADER.lower() for name in own)
        return {**own, KEY_HEADER: key} if key and not has_own else own

    def _result(self, response: httpx.Response, body: str) -> ToolReturn:
        if response.status_code >= 400:
            raise ToolFailed(f"{self.address} answered with status {response.status_code}: {body[:2000]}")
        if self.return_type == "json":
            try:
                value = cast("JsonValue", json.loads(body))
            except json.JSONDecodeError as error:
                raise ToolFailed(f"{self.address} did not answer in JSON: {body[:200]}") from error
            return ToolReturn(value, str(value)[:TEXT_LIMIT])
        return ToolReturn(body[:TEXT_LIMIT], body[:TEXT_LIMIT])

    def _checked(self, arguments: JsonObject) -> JsonObject:
        if self._arguments is None:
            self._arguments = model_from_schema(self.json_schema, f"{self.name}Args")
        try:
            return self._arguments.model_validate(arguments).model_dump(mode="json", exclude_none=True)
        except ValidationError as error:
            raise ToolFailed(str(error)) from error


def _has_steps(path: str) -> bool:
    return not {".", ".."}.isdisjoint(path.partition("?")[0].split("/"))


def _as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)
