"""Builds exported scripts with AutoGen itself. Run by the Python of an environment that has AutoGen, never imported.

Takes a JSON object of names with scripts and documents on standard input; answers for each with what AutoGen dumps of
the script's component and of the document once it has loaded it, or with what went wrong.
"""

from __future__ import annotations

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

import autogen_core


class Keys(dict[str, str]):
    """Gives each environment variable a value."""

    def __missing__(self, name: str) -> str:
        return "none"


def module_of(name: str, code: str) -> ModuleType:
    """The script as a module, not run as a program; its functions can be asked for their source."""
    module = ModuleType(name)
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    sys.modules[name] = module
    exec(compile(code, name, "exec", dont_inherit=True), module.__dict__)
    return module


def dumped(make: Callable[[], Any]) -> Any:
    """The component JSON of what is made, or the error."""
    try:
        return json.loads(make().dump_component().model_dump_json())
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()[-1500:]}


def built(name: str, code: str) -> Any:
    """What the script's builder gives."""
    module = module_of(name, code)
    builder = next(value for key, value in vars(module).items() if key.startswith("build_") and inspect.isfunction(value))
    return builder()


def main() -> None:
    """Answer for every script."""
    warnings.simplefilter("ignore")
    given = json.load(sys.stdin)
    os.environ.update(dict.fromkeys(given.pop("variables"), "none"))
    found: dict[str, Any] = {}
    for name, (code, document) in given.items():
        found[name] = {
            "built": dumped(lambda name=name, code=code: built(f"exported_{len(found)}", code)),
            "loaded": dumped(lambda document=document: autogen_core.ComponentLoader.load_component(document)),
        }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
