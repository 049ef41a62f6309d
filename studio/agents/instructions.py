"""Instructions in which the team's context variables have their places."""

from __future__ import annotations

from collections.abc import Sequence

from studio.components.templates import fill_in_variables
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
    return [
        SystemMessage(content=fill_in_variables(message.content, "system_message", variables)) for message in messages
    ]
