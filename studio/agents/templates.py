"""Texts with placeholders that the author of a team may write."""

from __future__ import annotations

from string import Formatter

from studio.errors import ConfigError


def unknown_placeholders(template: str, known: tuple[str, ...]) -> list[str]:
    """Placeholders of a template that nobody will fill; a template that cannot be read counts as one."""
    try:
        fields = [field for _, field, _, _ in Formatter().parse(template) if field is not None]
    except ValueError as error:
        return [str(error)]
    return [field for field in fields if field.split(".")[0].split("[")[0] not in known]


def fill_in(template: str, what: str, **values: object) -> str:
    """Put values in their places.

    Args:
        template: In the notation of `str.format`.
        what: Name of the template for the error, such as "selector_prompt".

    Raises:
        ConfigError: The template has other placeholders, or braces that are none.
    """
    try:
        return template.format(**values)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        names = ", ".join(f"{{{name}}}" for name in values)
        raise ConfigError(
            f"`{what}` cannot be filled in: {error}.",
            fix=f"It may hold {names}; write other braces twice.",
        ) from error
