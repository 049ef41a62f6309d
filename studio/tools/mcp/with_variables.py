"""Gives a jailed program its variables. Standard library only; run as a script inside the jail, by `programs`.

The variables of a team must not be those of what makes the jail: `LD_PRELOAD` would run its code outside. So they come
under other names, and get their own here.

Arguments: the program and its own.
"""

from __future__ import annotations

import os
import sys

PREFIX = "STUDIO_GIVEN_"
NOT_FOUND = 127


def main() -> None:
    """Become the program."""
    given = {name.removeprefix(PREFIX): value for name, value in os.environ.items() if name.startswith(PREFIX)}
    own = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    command = sys.argv[1:]
    try:
        os.execvpe(command[0], command, {**own, **given})
    except (OSError, ValueError) as error:
        print(f"{command[0]!r} cannot be started: {error}", file=sys.stderr)
        sys.exit(NOT_FOUND)


if __name__ == "__main__":
    main()
