"""Arguments and options that several commands have, and how commands end."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXIT_WRONG = 1
"""What the file holds is wrong, or the run failed."""
EXIT_OPERATOR = 2
"""The command cannot be carried out as it was given."""
EXIT_AGAIN = 75
"""Another server has taken over; this one may be started again. The same as `EX_TEMPFAIL` of sysexits.h."""

TeamFile = Annotated[
    Path, typer.Argument(help="Component as JSON, YAML or a Python script; `-` reads JSON from standard input.")
]
TeamName = Annotated[str, typer.Option("--team", help="Label or name of the team when the file holds several.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Approve = Annotated[bool, typer.Option("--approve", help="Approve every requested capability without asking.")]
AllowHost = Annotated[
    list[str] | None,
    typer.Option("--allow-host", help="Host that the team's code may reach; '*' for any. May be repeated."),
]
DeploymentName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the deployment.")]
Override = Annotated[str, typer.Option(help="Why it goes live though an evaluation that gates releases did not pass.")]
ScheduleId = Annotated[str, typer.Argument(metavar="ID", help="ID of the schedule, or how it begins.")]
HookId = Annotated[str, typer.Argument(metavar="ID", help="ID of the hook, or how it begins.")]
UserName = Annotated[str, typer.Argument(help="Name of the user.")]
RoleName = Annotated[str, typer.Option("--role", help="viewer, editor, approver or admin.")]
DataDir = Annotated[Path | None, typer.Option(help="Folder of the database, the token and the keys.")]
Host = Annotated[str | None, typer.Option(help="Address to listen on. [default: 127.0.0.1]")]
Port = Annotated[int | None, typer.Option(help="TCP port; 0 takes a free one. [default: 8040]")]
TlsCert = Annotated[Path | None, typer.Option(help="TLS certificate with its chain, in PEM; enables HTTPS.")]
TlsKey = Annotated[Path | None, typer.Option(help="Private key of the TLS certificate, in PEM.")]
BehindProxy = Annotated[
    list[str] | None,
    typer.Option(metavar="ADDRESS", help="Address of a trusted reverse proxy; may be repeated."),
]
WithoutTls = Annotated[
    bool | None,
    typer.Option("--without-tls", help="Allow remote connections without TLS (traffic can be intercepted)."),
]
WithoutAccounts = Annotated[
    bool | None,
    typer.Option("--without-accounts", help="Allow remote connections without user accounts."),
]
