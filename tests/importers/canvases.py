"""What the tests of importers of canvases share: reading a document, its participants, and a run of the team."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from studio.components import load_component, validate_component
from studio.importers import Imported, bundle_of, import_bundle
from studio.messages import BaseChatMessage
from studio.teams import Team

REPLAY = "autogen_ext.models.replay.ReplayChatCompletionClient"


def read(document: Any, name: str = "Desk.json") -> Imported:
    imported = import_bundle(bundle_of({name: json.dumps(document).encode()}))
    assert validate_component(imported.team).errors == ()
    return imported


def parts(imported: Imported) -> dict[str, Any]:
    """Participants by name, without the filters around agents."""
    config: Any = imported.team["config"]
    inner = {each["config"]["name"]: each["config"] for each in config["participants"]}
    return {name: each["wrapped_agent"]["config"] if "wrapped_agent" in each else each for name, each in inner.items()}


def told(imported: Imported) -> list[str]:
    return [f"{each.verdict}: {each.what}" for each in imported.findings]


async def said(imported: Imported, answers: Mapping[str, Sequence[str]], task: str = "Help!") -> list[tuple[str, str]]:
    """Who says what in a run where the models answer so."""
    document: Any = json.loads(json.dumps(imported.team))
    for each in document["config"]["participants"]:
        inner = each["config"].get("wrapped_agent", each)["config"]
        if "model_client" in inner:
            config: dict[str, Any] = {"chat_completions": list(answers.get(inner["name"], ["?"]))}
            if "structured_message_factory" in inner:
                info = {"vision": False, "function_calling": True, "json_output": True, "family": "unknown"}
                config["model_info"] = {**info, "structured_output": True}
            inner["model_client"] = {"provider": REPLAY, "config": config}
    team = load_component(document)
    assert isinstance(team, Team)
    return [
        (each.source, each.to_model_text())
        async for each in team.run_stream(task)
        if isinstance(each, BaseChatMessage) and each.source != "user"
    ]
