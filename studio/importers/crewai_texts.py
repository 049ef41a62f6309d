"""Texts that CrewAI puts around agents and tasks: models read them as they are. Those of release 1.15."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.expressions import escaped

MANAGER = {
    "role": "Crew Manager",
    "goal": "Manage the team to complete the task in the best way possible.",
    "backstory": (
        "You are a seasoned manager with a knack for getting the best out of your team.\nYou are also known for your "
        "ability to delegate work to the right people, and to ask the right questions to get the best out of your "
        "team.\nEven though you don't perform tasks by yourself, you have a lot of experience in the field, which "
        "allows you to properly evaluate the work of your team members."
    ),
}
"""The manager of a hierarchical crew that names none."""
COWORKER_OUTPUT = "Your best answer to your coworker asking you this, accounting for the context shared."
DIVIDER = "\n\n----------\n\n"
MARKDOWN = (
    "\nYour final answer MUST be formatted in Markdown syntax.\nFollow these guidelines:\n- Use # for headers\n"
    "- Use ** for bold text\n- Use * for italic text\n- Use - or * for bullet points\n- Use `code` for inline code\n"
    "- Use ```language for code blocks"
)
FEEDBACK = (
    "User feedback: {feedback}\nInstructions: Use this feedback to enhance the next output iteration.\n"
    "Note: Do not respond or add commentary."
)
_FORMAT = (
    "\nFormat your final answer according to the following OpenAPI schema: {schema}\n\nIMPORTANT: Preserve the "
    "original content exactly as-is. Do NOT rewrite, paraphrase, or modify the meaning of the content. Only structure "
    "it to match the schema format.\n\nDo not include the OpenAPI schema in the final output. Ensure the final output "
    "does not include any code block markers like ```json or ```python."
)
_COMPLETE = "\n\nProvide your complete response:"
"""What an agent without tools reads last."""
_VARIABLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_\-]*)\}")


def instructions(role: str, backstory: str, goal: str) -> str:
    """What an agent is told first."""
    return f"You are {role}. {backstory}\nYour personal goal is: {goal}".rstrip()


def variables_in(text: str) -> list[str]:
    """The `{variables}` of a text, under the names that they have here."""
    return list(dict.fromkeys(name.replace("-", "_") for name in _VARIABLE.findall(text)))


def template(text: str) -> str:
    """A text with places for its variables alone; other braces are literal."""
    pieces = _VARIABLE.split(text)
    return "".join(f"{{{piece.replace('-', '_')}}}" if at % 2 else escaped(piece) for at, piece in enumerate(pieces))


def prompt(
    description: str,
    expected_output: str,
    *,
    context: Sequence[str] = (),
    schema: JsonObject | None = None,
    is_markdown: bool = False,
    has_tools: bool = False,
) -> str:
    """What an agent is told of a task, as a template.

    Args:
        description: A template, as is `expected_output`.
        context: Variables with the results that it reads.
    """
    text = (
        f"\nCurrent Task: {description}\n\nThis is the expected criteria for your final answer: {expected_output}\n"
        "you MUST return the actual complete content as the final answer, not a summary."
    )
    text += MARKDOWN if is_markdown else ""
    if schema is not None:
        text += escaped(_FORMAT.replace("{schema}", json.dumps(_closed(schema), indent=2)))
    if context:
        results = DIVIDER.join(f"{{{name}}}" for name in context)
        text += f"\n\nThis is the context you're working with:\n{results}"
    return text if has_tools else f"{text}{_COMPLETE}"


def question(text: str, *, has_tools: bool = False) -> str:
    """What an agent outside of a crew is told, as a template."""
    return f"\nCurrent Task: {text}{'' if has_tools else _COMPLETE}"


def _closed(schema: JsonValue) -> JsonValue:
    """A schema whose objects have no other fields, as CrewAI shows it to models."""
    if isinstance(schema, list):
        return [_closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner: JsonObject = {name: _closed(each) for name, each in schema.items()}
    return {**inner, "additionalProperties": False} if isinstance(schema.get("properties"), dict) else inner
