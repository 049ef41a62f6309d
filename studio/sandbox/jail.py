"""Ways to start foreign programs, and which of them is used here."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Protocol

from studio.errors import SetupError
from studio.sandbox.policy import Policy


class JailUnavailable(SetupError):
    """Foreign code was to run, and nothing here can confine it."""

    code = "no_jail"


class Jail(Protocol):
    """A way to start a program."""

    @property
    def name(self) -> str:
        """As the setting calls it."""
        ...

    @property
    def is_confining(self) -> bool:
        """Whether it holds the program to the policy."""
        ...

    def command(self, argv: Sequence[str], policy: Policy) -> list[str]:
        """What to start instead of `argv`, in `policy.folder`, as the leader of a session.

        Environment, streams and inherited file descriptors go through to the program, and so do its exit code and a
        signal that ends it, as 128 and its number. Killing what was started kills all that the program has started, and
        SIGTERM ends it in good order where the jail can pass it on.

        Raises:
            JailUnavailable: The policy cannot be held here.
        """
        ...


class PlainProcess:
    """No jail: the program has the rights of the studio's user. For a person's own scripts, or when chosen by name."""

    name = "process"
    is_confining = False

    def command(self, argv: Sequence[str], policy: Policy) -> list[str]:
        del policy
        return list(argv)


class UnavailableJail:
    """Stands where no jail could be had: refuses to start anything, and says why."""

    name = "none"
    is_confining = True

    def __init__(self, error: JailUnavailable) -> None:
        self._error = error

    def command(self, argv: Sequence[str], policy: Policy) -> list[str]:
        del argv, policy
        raise self.refusal()

    def refusal(self) -> JailUnavailable:
        """A new error each time, for each is raised with a history of its own."""
        return JailUnavailable(self._error.what, fix=self._error.fix, where=self._error.where)


UNCONFINED = PlainProcess()

current_jail: ContextVar[Jail] = ContextVar("studio_jail", default=UNCONFINED)
"""How foreign programs are started here. The server and `studio run` set it; in a person's own script nothing is
confined, for the script could start the same things itself."""
