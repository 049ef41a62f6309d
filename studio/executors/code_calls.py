"""Code that is about to be run, as those see it who may refuse it, change it, or edit what it printed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.effects import ToolCall
from studio.messages import CodeBlock

CODE = "code"
"""The name by which rules and breakpoints for tools know code that no tool runs."""
SEVERAL_LANGUAGES = "This code is in several languages but was edited as one. It was not run."


class Caller(NamedTuple):
    """Who runs code: the tool, and the agent that uses it or runs code by itself."""

    tool: str = CODE
    agent: str = ""


_caller: ContextVar[Caller] = ContextVar("studio_code_caller", default=Caller())  # noqa: B039  it cannot be changed


def code_caller() -> Caller:
    """Who runs code here."""
    return _caller.get()


@contextmanager
def running_code_for(agent: str, tool: str = CODE) -> Generator[None]:
    """Tell for whom the code inside the block is run."""
    token = _caller.set(Caller(tool, agent))
    try:
        yield
    finally:
        _caller.reset(token)


def tool_call_for(blocks: Sequence[CodeBlock], run: Callable[[Sequence[CodeBlock]], Awaitable[JsonValue]]) -> ToolCall:
    """What a person, a rule or a breakpoint is shown: all the code, and its languages.

    Rules look at the whole, so that nothing gets past them in a second block.
    """
    caller = _caller.get()
    shown: JsonObject = {
        "language": ", ".join(dict.fromkeys(block.language for block in blocks)),
        "code": "\n\n".join(block.code for block in blocks),
    }

    async def run_changed(arguments: JsonObject) -> JsonValue:
        if arguments == shown:
            return await run(blocks)
        language = str(arguments.get("language") or shown["language"])
        if "," in language:
            return answer(SEVERAL_LANGUAGES, True)
        return await run([CodeBlock(code=str(arguments.get("code", "")), language=language)])

    return ToolCall(caller.tool, shown, caller.agent, run_changed, answer, _printed)


def answer(text: str, is_error: bool) -> JsonObject:
    """A result that the model reads as this text."""
    return {"exit_code": int(is_error), "output": text}


def _printed(result: JsonValue) -> tuple[str, bool]:
    found = cast("JsonObject", result)
    return str(found.get("output", "")), bool(found.get("exit_code"))
