"""The version of the installed studio."""

from importlib.metadata import version

VERSION = version("team-studio")
