"""The `studio` command."""

from studio.cli.app import main as main
