"""What the studio hands out and reads again without having kept it: signed, so that it is what it was."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from studio.web.auth.access_token import Keys, is_same

Content = TypeVar("Content", bound=BaseModel)


@dataclass(frozen=True)
class Seal(Generic[Content]):
    """Signs what is handed out for one purpose. It can be read by whoever holds it, and changed by nobody.

    Args:
        content: What is handed out.
        purpose: What is signed for one is valid for no other.
        prefix: By which it is found in logs and repositories.
        max_length: Anything longer is not read.
    """

    content: type[Content]
    purpose: str
    prefix: str
    max_length: int

    def close(self, keys: Keys, content: Content) -> str:
        text = base64.urlsafe_b64encode(content.model_dump_json().encode()).decode().rstrip("=")
        return f"{self.prefix}{text}.{keys.sign(self.purpose, text)}"

    def open(self, keys: Keys, value: str) -> Content | None:
        """What was signed; None for any other text."""
        text, _, signature = value.removeprefix(self.prefix).partition(".")
        if not value.startswith(self.prefix) or len(value) > self.max_length:
            return None
        if not is_same(signature, keys.sign(self.purpose, text)):
            return None
        try:
            return self.content.model_validate_json(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        except (ValidationError, binascii.Error):  # an older version wrote it
            return None
