"""Instructions in which the team's context variables have their places."""

from __future__ import annotations

import json
from collections.abc import Sequence

from studio.components.templates import fill_in
from studio.errors import ConfigError
from studio.messages import SystemMessage
from studio.tools.variables import GIVE_SOME, NO_VARIABLES, team_variables


def with_variables(messages: Sequence[SystemMessage]) -> list[SystemMessage]:
    """The messages with the present values in place of `{name}`.

    Raises:
        ConfigError: They name a variable that is not there.
    """
    variables = team_variables()
    if variables is None:
        raise ConfigError(NO_VARIABLES, fix=GIVE_SOME)
    values = {name: as_text(value) for name, value in variables.items()}
    return [SystemMessage(content=fill_in(message.content, "system_message", **values)) for message in messages]


def as_text(value: object) -> str:
    """A variable as a text says it: objects and lists as JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
