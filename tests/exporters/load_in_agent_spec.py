"""Loads configurations with pyagentspec. Run by the Python of an environment that has it, never imported.

Takes a JSON object of names with configurations on standard input; answers for each with the type of the component, or
with what went wrong.
"""

from __future__ import annotations

import json
import sys

from pyagentspec.serialization import AgentSpecDeserializer  # pyright: ignore  # only that environment has it


def loaded(text: str) -> str:
    try:
        return type(AgentSpecDeserializer().from_json(text)).__name__  # pyright: ignore
    except Exception as error:  # noqa: BLE001  what went wrong is the answer
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    print(json.dumps({name: loaded(text) for name, text in json.load(sys.stdin).items()}))
