"""How one studio server is set up. Each field can be given as STUDIO_<NAME> in the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.errors import SetupError


def default_data_dir() -> Path:
    """Where the studio keeps its database and keys unless told otherwise (XDG base directory)."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "team-studio"


Sandbox = Literal["auto", "bubblewrap", "landlock", "process"]
"""What confines foreign code; "process" is nothing beyond a process of its own."""


class Settings(BaseModel):
    """Settings of one server; the reference page is made from these fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: Annotated[str, Field(description="Address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535, description="TCP port; 0 takes a free one.")] = 8040
    data_dir: Annotated[
        Path,
        Field(default_factory=default_data_dir, description="Folder of the database, the token and the secret key."),
    ]
    database_url: Annotated[
        str,
        Field(
            description="SQLAlchemy URL of the database; empty is SQLite in the data folder. `postgresql://…` needs "
            "the extra `postgres`."
        ),
    ] = ""
    token: Annotated[str, Field(repr=False, description="Access token; empty generates one in the data folder.")] = ""
    allowed_hosts: Annotated[
        tuple[str, ...],
        Field(description="Host names that browsers can use in addition to the listening address, such as a proxy's."),
    ] = ()
    public_hosts: Annotated[
        tuple[str, ...],
        Field(
            description="Host names under which only published teams answer; the studio itself needs one of "
            "`allowed_hosts`."
        ),
    ] = ()
    only_deployments: Annotated[
        bool, Field(description="Serve published teams to their callers, and no page and no API of the studio.")
    ] = False
    allow_private_urls: Annotated[
        bool,
        Field(
            description="Allow gallery URLs and teams to reach private addresses and a cloud's metadata service "
            "without approval."
        ),
    ] = False
    max_upload_mb: Annotated[int, Field(ge=1, description="Largest request body in megabytes.")] = 20
    max_file_mb: Annotated[int, Field(ge=1, le=10_000, description="Largest attached file in megabytes.")] = 100
    otlp_endpoint: Annotated[
        str,
        Field(
            description="OpenTelemetry collector for the spans of runs, by OTLP over HTTP. Empty: "
            "`OTEL_EXPORTER_OTLP_ENDPOINT`; if that is not set, no spans are sent."
        ),
    ] = ""
    metrics_token: Annotated[
        str,
        Field(
            repr=False,
            description="Token with which Prometheus reads `GET /metrics`, at least 16 characters. Empty: that address "
            "answers 404.",
        ),
    ] = ""
    metrics_port: Annotated[
        int | None,
        Field(
            ge=0,
            le=65535,
            description="TCP port at which `studio worker` answers `/healthz`, `/readyz` and `/metrics`; 0 takes a "
            "free one. Empty: it listens on no port.",
        ),
    ] = None
    trace_content: Annotated[bool, Field(description="Include the content of model and tool calls in spans.")] = False
    tls_cert: Annotated[
        Path | None,
        Field(description="TLS certificate of the server with its chain, in PEM; enables HTTPS."),
    ] = None
    tls_key: Annotated[Path | None, Field(description="Private key of the TLS certificate, in PEM.")] = None
    behind_proxy: Annotated[
        tuple[str, ...],
        Field(description="Addresses of trusted reverse proxies; `X-Forwarded-*` headers from others are ignored."),
    ] = ()
    without_tls: Annotated[
        bool, Field(description="Allow remote connections without TLS (traffic can be intercepted).")
    ] = False
    without_accounts: Annotated[bool, Field(description="Allow remote connections without user accounts.")] = False
    oidc_issuer: Annotated[
        str, Field(description="Issuer URL of the OpenID Connect identity provider; empty: none.")
    ] = ""
    oidc_client_id: Annotated[str, Field(description="Client ID of this studio at the identity provider.")] = ""
    oidc_client_secret: Annotated[str, Field(repr=False, description="Client secret; empty for a public client.")] = ""
    oidc_name: Annotated[str, Field(description='Name on the sign-in button, after "Sign in with".')] = "your company"
    oidc_domains: Annotated[
        tuple[str, ...],
        Field(description="E-mail domains that may sign in by OIDC; empty allows all users of the provider."),
    ] = ()
    oidc_role_claim: Annotated[
        str, Field(description="Claim with the user's role or groups; empty: admins assign roles.")
    ] = ""
    oidc_roles: Annotated[
        tuple[str, ...],
        Field(description="Roles for the values of that claim, as `VALUE=ROLE`; empty: values are role names."),
    ] = ()
    sandbox: Annotated[
        Sandbox,
        Field(
            description="Sandbox for the code of teams. `auto`: the best one that works here; if none does, no code "
            "runs. `process`: none; code has all rights of the studio's user."
        ),
    ] = "auto"
    sandbox_read: Annotated[
        tuple[Path, ...],
        Field(description="Folders that the code of every team can read, in addition to the system's."),
    ] = ()
    trust_typed_code: Annotated[
        bool,
        Field(
            description="Treat Python that an approver typed in the builder as approved. Code that was pasted, "
            "imported, generated or changed by others still needs approval."
        ),
    ] = False
    chromium: Annotated[
        str, Field(description="Path of Chromium for web surfers and browser tests. Empty: the studio looks for it.")
    ] = ""

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ, **given: object) -> Self:
        """Read STUDIO_* variables; a keyword that is not None wins.

        Raises:
            SetupError: A value does not fit its field.
        """
        values: dict[str, object] = {}
        for name in cls.model_fields:
            text = environ.get(f"STUDIO_{name.upper()}")
            if text:
                values[name] = tuple(text.split(",")) if name in _LISTS else text
        values.update({name: value for name, value in given.items() if value is not None})
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            name = str(first["loc"][0]) if first["loc"] else "?"
            raise SetupError(
                f"The setting {name!r} is not usable: {first['msg']}.",
                fix=f"Change `STUDIO_{name.upper()}` or the command line option.",
            ) from error


_LISTS = frozenset(name for name, field in Settings.model_fields.items() if isinstance(field.default, tuple))
"""Their values are parted by commas."""
