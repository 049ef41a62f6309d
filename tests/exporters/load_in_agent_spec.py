"""Loads configurations with pyagentspec and validates them by its JSON schema.

Run by the Python of an environment that has it, never imported. Takes a JSON object of names with configurations on
standard input; answers for each with the type of the component, or with what went wrong.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from jsonschema import Draft202012Validator  # pyright: ignore  # only that environment has it
from pyagentspec.component import Component  # pyright: ignore  # as above
from pyagentspec.serialization import AgentSpecDeserializer  # pyright: ignore  # as above

SCHEMA: dict[str, Any] = Component.model_json_schema()  # pyright: ignore


def loaded(text: str) -> str:
    """The type of a component. No schema of Agent Spec lets a component have the version that each must have."""
    document = json.loads(text)
    try:
        unversioned = {name: value for name, value in document.items() if name != "agentspec_version"}
        kind = {"$ref": f"#/$defs/{document['component_type']}"}
        Draft202012Validator({**SCHEMA, "anyOf": [kind]}).validate(unversioned)  # pyright: ignore
        return type(AgentSpecDeserializer().from_json(text)).__name__  # pyright: ignore
    except Exception as error:  # noqa: BLE001  what went wrong is the answer
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    print(json.dumps({name: loaded(text) for name, text in json.load(sys.stdin).items()}))
