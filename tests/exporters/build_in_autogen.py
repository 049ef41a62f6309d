"""Builds exported scripts with AutoGen itself. Run by the Python of an environment that has AutoGen, never imported.

Takes a JSON object of names with scripts and tasks on standard input; answers for each with what AutoGen dumps of the
script's component and, where there is a task, with what its run says; or with what went wrong.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import linecache
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any


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


def said(module: ModuleType, task: str) -> Any:
    """What a run of the script's team says, and why it stops."""
    result = asyncio.run(built(module).run(task=task))
    messages = [[type(each).__name__, each.source, each.to_text()] for each in result.messages]
    return {"messages": messages, "stop_reason": result.stop_reason}


def main() -> None:
    """Answer for every script."""
    warnings.simplefilter("ignore")
    given = json.load(sys.stdin)
    os.environ.update(dict.fromkeys(given["variables"], "none"))
    found: dict[str, Any] = {}
    for number, (name, (code, task)) in enumerate(given["scripts"].items()):
        module = answered(lambda code=code, number=number: module_of(f"exported_{number}", code))
        if isinstance(module, dict):
            found[name] = {"built": module}
            continue
        found[name] = {"built": answered(lambda module=module: dumped(module))}
        if task:
            found[name]["said"] = answered(lambda module=module, task=task: said(module, task))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
