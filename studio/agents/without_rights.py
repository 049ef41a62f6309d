"""Becomes a user without rights, then a browser. Standard library only; run as a script by root.

Arguments: the number of the user, a folder that is its home, the program and its arguments. The folder with the
browser's own data, which these name, is given to the user; one that is kept is shown as `profile` in its home.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

OWN_DATA = "--user-data-dir="
CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_SLAVE = 0x1000, 0x4000, 0x80000


def give(place: str, user: int) -> None:
    """Make the user the owner of a folder and all in it."""
    for _, names, files, folder in os.fwalk(place, follow_symlinks=False):
        os.fchown(folder, user, user)
        for name in (*names, *files):
            os.chown(name, user, user, dir_fd=folder, follow_symlinks=False)


def show(place: str, at: str) -> bool:
    """Show a folder at another place, to this process and its children alone. False where the system forbids it."""
    libc = ctypes.CDLL(None)
    return not (
        libc.unshare(CLONE_NEWNS)
        or libc.mount(None, b"/", None, MS_REC | MS_SLAVE, None)
        or libc.mount(os.fsencode(place), os.fsencode(at), None, MS_BIND, None)
    )


def main() -> None:
    """Give up every right and become the program."""
    number, home, *command = sys.argv[1:]
    user = int(number)
    for place, argument in enumerate(command):
        if argument.startswith(OWN_DATA):
            data = argument.removeprefix(OWN_DATA)
            give(data, user)
            if (shown := Path(home, "profile")).is_dir() and show(data, str(shown)):
                command[place] = f"{OWN_DATA}{shown}"
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.chdir(home)
    environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home}
    os.execve(command[0], command, environment)


if __name__ == "__main__":
    main()
