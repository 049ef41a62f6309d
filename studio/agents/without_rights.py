"""Becomes a user without rights, then a browser. Standard library only; run as a script by root.

Arguments: the number of the user, a folder that is its home, the program and its arguments. The folder with the
browser's own data, which these name, is given to the user.
"""

from __future__ import annotations

import os
import sys

OWN_DATA = "--user-data-dir="


def give(place: str, user: int) -> None:
    """Make the user the owner of a folder and all in it."""
    for _, names, files, folder in os.fwalk(place, follow_symlinks=False):
        os.fchown(folder, user, user)
        for name in (*names, *files):
            os.chown(name, user, user, dir_fd=folder, follow_symlinks=False)


def main() -> None:
    """Give up every right and become the program."""
    number, home, *command = sys.argv[1:]
    user = int(number)
    for argument in command:
        if argument.startswith(OWN_DATA):
            give(argument.removeprefix(OWN_DATA), user)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.chdir(home)
    environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home}
    os.execve(command[0], command, environment)


if __name__ == "__main__":
    main()
