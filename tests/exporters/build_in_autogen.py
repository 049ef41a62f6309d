"""Builds exported scripts with AutoGen itself. Run by the Python of an environment that has AutoGen, never imported.

Takes a JSON object of names with scripts, steps and answers of a person on standard input. Answers for each with what
AutoGen dumps of the script's component and, where there are steps, with what happens in each: a run of a task, `reset`,
or `save_load`, which builds the team once more and gives it the state. Or it answers with what went wrong.
"""

from __future__ import annotations

import asyncio
import builtins
import inspect
import json
import linecache
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, cast


def module_of(name: str, code: str) -> ModuleType:
    """The script as a module, not run as a program; its functions can be asked for their source."""
    module = ModuleType(name)
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    sys.modules[name] = module
    exec(compile(code, name, "exec", dont_inherit=True), module.__dict__)
    return module


def answered(work: Callable[[], Any]) -> Any:
    """What the work gives, or the error."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 -- whatever a script raises is the answer
        return {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()[-1500:]}


def built(module: ModuleType) -> Any:
    """What the script's builder gives."""
    functions = {key: value for key, value in vars(module).items() if inspect.isfunction(value)}
    return next(value for key, value in functions.items() if key.startswith("build_"))()


def dumped(module: ModuleType) -> Any:
    """The component JSON of what the script builds."""
    return json.loads(built(module).dump_component().model_dump_json())


async def played(module: ModuleType, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What happens in each step, in the form of the transcripts that AutoGen recorded."""
    subject, found = built(module), list[dict[str, Any]]()
    for step in steps:
        if step.get("op") == "reset":
            await (subject.reset() if hasattr(subject, "reset") else subject.on_reset(None))
            found.append({"op": "reset"})
        elif step.get("op") == "save_load":
            state = await subject.save_state()
            subject = built(module)
            await subject.load_state(state)
            found.append({"op": "save_load", "state": json.loads(json.dumps(state, default=str))})
        else:
            found.append(await ran(subject, step.get("task")))
    return found


async def ran(subject: Any, task: Any) -> dict[str, Any]:
    """The items of a run, and its error."""
    factory: Any = import_module("autogen_agentchat.messages").MessageFactory()
    create = factory.create
    given = [create(each) for each in cast("list[Any]", task)] if isinstance(task, list) else task
    given = create(task) if isinstance(task, dict) else given
    events: list[Any] = []
    try:
        async for item in subject.run_stream(task=given):
            events.append(form_of(item))
    except Exception as error:  # noqa: BLE001 -- whatever a run raises is the answer
        return {"events": events, "error": {"type": type(error).__name__, "message": str(error)}}
    return {"events": events}


def form_of(item: Any) -> dict[str, Any]:
    """One item of a run, as `tests/conformance/transcript.py` writes ours."""
    if not hasattr(item, "stop_reason"):
        return json.loads(item.model_dump_json())
    return {
        "__TaskResult__": True,
        "stop_reason": item.stop_reason,
        "n_messages": len(item.messages),
        "message_types": [each.type for each in item.messages],
        "sources": [each.source for each in item.messages],
    }


def main() -> None:
    """Answer for every script."""
    warnings.simplefilter("ignore")
    given = json.load(sys.stdin)
    os.environ.update(dict.fromkeys(given["variables"], "none"))
    found: dict[str, Any] = {}
    for number, (name, (code, steps, answers)) in enumerate(given["scripts"].items()):
        module = answered(lambda code=code, number=number: module_of(f"exported_{number}", code))
        if isinstance(module, dict):
            found[name] = {"built": module}
            continue
        found[name] = {"built": answered(lambda module=module: dumped(module))}
        builtins.input = lambda _="", answers=answers: answers.pop(0)
        if steps:
            found[name]["played"] = answered(lambda module=module, steps=steps: asyncio.run(played(module, steps)))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
