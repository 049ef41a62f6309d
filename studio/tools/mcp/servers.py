"""How to reach an MCP server, and what that may do to the world."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from studio.components import Capability
from studio.components.folders import describe_folder
from studio.components.secret_extraction import arguments_without_keys, without_keys
from studio.components.secrets import placeholders_filled_in
from studio.models.headers import references_in, references_within_braces
from studio.models.openai_services import exact_address


class StdioServerParams(BaseModel):
    """A server that is started as a program and spoken to over its standard input and output."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: Literal["StdioServerParams"] = "StdioServerParams"
    command: Annotated[str, Field(min_length=1, description="Program to start.", examples=["uvx"])]
    args: Annotated[
        list[str], Field(description="Arguments of the command. One may reference a secret in braces: `{env:NAME}`.")
    ] = Field(
        default_factory=list[str],
        description="Arguments of the command. One may reference a secret in braces: `{env:NAME}`.",
    )
    env: Annotated[
        dict[str, str] | None,
        Field(description="Environment variables. A value may reference a secret: `env:NAME`."),
    ] = None
    cwd: Annotated[
        str | None,
        Field(
            title="Working directory",
            description="Folder in which the command starts (`cwd`). Empty: a temporary one.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = None
    encoding: Annotated[str, Field(description="Encoding of the messages.", json_schema_extra={"x-advanced": True})] = (
        "utf-8"
    )
    encoding_error_handler: Annotated[
        Literal["strict", "ignore", "replace"],
        Field(
            title="Encoding errors",
            description="How to handle bytes that cannot be decoded.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = "strict"
    read_timeout_seconds: Annotated[float, Field(gt=0, description="Longest wait for an answer, in seconds.")] = 5.0

    @field_validator("cwd", mode="before")
    @classmethod
    def _path_is_text(cls, value: object) -> object:
        return str(value) if isinstance(value, Path) else value

    @property
    def command_line(self) -> str:
        """As a person would type it."""
        return shlex.join((self.command, *arguments_without_keys(self.args)))

    @property
    def filled_args(self) -> list[str]:
        """The arguments as the program gets them.

        Raises:
            MissingSecret: A secret that one names is not there.
        """
        return [placeholders_filled_in(argument) for argument in self.args]

    @property
    def paths(self) -> list[str]:
        """Files and folders that its command line names in full: what it is for, so it may read them."""
        values = (word.partition("=")[2] if word.startswith("-") else word for word in self.args)
        return [value for value in values if os.path.isabs(value)]

    @property
    def label(self) -> str:
        """Says which server it is, in messages."""
        return self.command_line

    @property
    def answer_limit_s(self) -> float:
        return self.read_timeout_seconds

    def capabilities(self) -> Iterator[Capability]:
        folder = describe_folder(self.cwd) if self.cwd else None
        detail = {
            "command": [self.command, *arguments_without_keys(self.args)],
            "folder": folder,
            "environment": without_keys(self.env or {}),
        }
        reads = f" It may read {', '.join(self.paths)}." if self.paths else ""
        changes = f" It may change the files in {folder}." if folder else ""
        text = f"Starts the MCP server `{self.command_line}` on this machine.{reads}{changes}"
        yield Capability("process", text, json.dumps(detail, sort_keys=True))
        named = dict.fromkeys((*references_in(self.env), *references_within_braces(*self.args)))
        for secret in named:
            text = f"Gives the secret {secret.reference} to the program `{self.command_line}`."
            yield Capability("secret", text, f"{secret.reference} to the program {self.command_line}")


class _HttpServerParams(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    url: Annotated[
        str,
        Field(
            pattern=r"^https?://[^/?#\s]+", description="Address of the server.", examples=["http://localhost:8000/mcp"]
        ),
    ]
    headers: Annotated[
        dict[str, str] | None, Field(description="HTTP headers. A value may reference a secret: `env:NAME`.")
    ] = None
    sse_read_timeout: Annotated[
        float,
        Field(gt=0, description="Longest wait for an event, in seconds.", json_schema_extra={"x-advanced": True}),
    ] = 300.0

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        parts = urlsplit(self.url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return f"{parts.scheme}://{parts.hostname}:{port}"

    @property
    def filled_url(self) -> str:
        """The address as it is asked.

        Raises:
            MissingSecret: A secret that it names in braces is not there.
        """
        return placeholders_filled_in(self.url)

    @property
    def label(self) -> str:
        """Says which server it is, in messages."""
        return f"{self.origin}{urlsplit(self.url).path}"

    @property
    def answer_limit_s(self) -> float:
        return self.sse_read_timeout

    def capabilities(self) -> Iterator[Capability]:
        place = exact_address(self.url, self.headers)
        for secret in dict.fromkeys((*references_in(self.headers), *references_within_braces(self.url))):
            text = f"Sends the secret {secret.reference} to {place}."
            yield Capability("secret", text, f"{secret.reference} to {place}")
        yield Capability("host", f"Uses the MCP server at {place}.", place)


class SseServerParams(_HttpServerParams):
    """A server over HTTP with Server-Sent Events, the older of the two."""

    type: Literal["SseServerParams"] = "SseServerParams"
    timeout: Annotated[float, Field(gt=0, description="For connecting and sending, in seconds.")] = 5.0


class StreamableHttpServerParams(_HttpServerParams):
    """A server over streamable HTTP."""

    type: Literal["StreamableHttpServerParams"] = "StreamableHttpServerParams"
    timeout: Annotated[float, Field(gt=0, description="For connecting and sending, in seconds.")] = 30.0
    terminate_on_close: Annotated[
        bool,
        Field(description="End the session on the server when the run ends.", json_schema_extra={"x-advanced": True}),
    ] = True


McpServerParams = Annotated[
    StdioServerParams | SseServerParams | StreamableHttpServerParams,
    Field(
        discriminator="type",
        description="A program on this machine, or an address.",
        examples=[{"type": "StdioServerParams", "command": "uvx", "args": ["mcp-server-fetch"]}],
    ),
]
