"""What code finds around it: the variables of its process, and where it may install packages."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

from studio.sandbox import bare_environment, current_jail

PACKAGES = "packages"
"""The folder in the code's home for packages that it installs."""


def environment_at(home: Path) -> dict[str, str]:
    """The environment of code; `home` is its own.

    Where the studio confines it, it cannot change the Python that it runs with, so `pip` puts packages into its home.
    """
    environment = bare_environment(home)
    if current_jail.get().is_confining:
        # Last, so that a shell finds a `python` also where the machine's own lies out of reach.
        environment["PATH"] += f"{os.pathsep}{os.path.dirname(sys.executable)}"
        environment["PIP_PREFIX"] = str(home / PACKAGES)
        environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
        environment["PYTHONPATH"] = installed_at(home)
    return environment


def installed_at(home: Path) -> str:
    """Where modules lie that `pip` put into the home."""
    prefix = str(home / PACKAGES)
    return sysconfig.get_path("purelib", "posix_prefix", {"base": prefix, "platbase": prefix})
