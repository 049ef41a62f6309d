"""The studio as it would be if nothing were hidden: what searches for secrets must find them here."""

from __future__ import annotations

import sys

from studio.cli import main
from studio.components.redaction import Redactor


def learn_nothing(self: Redactor, name: str, value: str) -> None:
    """In place of `Redactor.add`; one that knows no secret hides none."""
    del self, name, value


if __name__ == "__main__":
    Redactor.add = learn_nothing
    sys.exit(main())
