"""Exported scripts in the frameworks that they are for: where these are installed, and what they do there."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from studio.components import Component, JsonObject, find_class, load_component
from studio.exporters import Exported, TargetKey, export_team
from studio.exporters.autogen_classes import autogen_class
from studio.services.builtin_galleries import builtin_galleries
from studio.teams import Team
from tests.exporters.samples import Sample
from tests.fakes.openai_server import OpenAIServer
from tests.importers.transcripts import ScriptedModels, Turn

HERE = Path(__file__).parent
BENCH = "autogen_core.tools.StaticStreamWorkbench"
UNBOUNDED = "autogen_core.model_context.UnboundedChatCompletionContext"
SOMEWHERE = "http://127.0.0.1:9/v1"
"""Stands in scripts that are not run."""
PACKAGES: Mapping[TargetKey, tuple[str, str]] = {
    "autogen": ("autogen_agentchat", "AUTOGEN_PYTHON"),
    "agent-framework": ("agent_framework", "AGENT_FRAMEWORK_PYTHON"),
    "agent-spec": ("pyagentspec", "AGENT_SPEC_PYTHON"),
}
"""The package of a target, and the variable that names a Python which has it."""


@cache
def python_of(target: TargetKey) -> str:
    """A Python that has the framework; empty where there is none."""
    package, variable = PACKAGES[target]
    return sys.executable if find_spec(package) else os.environ.get(variable, "")


def shipped() -> dict[str, JsonObject]:
    """Every component of AutoGen's kinds in the studio's gallery of basics, by group and label."""
    [entries] = [each.gallery.entries for each in builtin_galleries() if each.gallery.id == "team-studio"]
    return {
        f"{each.group}/{each.label}": each.component
        for each in entries
        if str(each.component["provider"]).startswith("autogen_")
    }


def digest(exported: Exported) -> str:
    """Tells whether a script is one that was run in its framework."""
    return hashlib.sha256(exported.code.encode()).hexdigest()[:16]


def sample_team(sample: Sample, url: str = SOMEWHERE) -> Component:
    """The team as it comes from its JSON."""
    return load_component(sample.team(url).dump_component())


def our_turns(sample: Sample, server: OpenAIServer) -> list[Turn]:
    """What the models of the team are asked in the studio."""
    models = ScriptedModels(sample.answers)
    server.always(models)
    team = sample_team(sample, server.url)
    assert isinstance(team, Team)
    asyncio.run(_played(team, sample.task))
    return models.turns


def their_turns(sample: Sample, target: TargetKey, server: OpenAIServer, folder: Path) -> list[Turn]:
    """What they are asked where the exported script is run as a program."""
    models = ScriptedModels(sample.answers)
    server.always(models)
    script = folder / "exported.py"
    script.write_text(export_team(sample_team(sample, server.url), target).code, encoding="utf-8")
    command = [python_of(target), str(script), sample.task]
    variables = {**os.environ, "OPENAI_API_KEY": "none"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=variables, timeout=120)
    assert done.returncode == 0, done.stderr
    return models.turns


async def _played(team: Team, task: str) -> Any:
    items = [item async for item in team.run_stream(task)]
    return items[-1]


@dataclass(frozen=True)
class Play:
    """An exported script, and what AutoGen is to do with it beside building it.

    Args:
        steps: Runs of tasks, `reset` and `save_load`, as in recorded transcripts.
        answers: What a person says when asked, one after the other.
    """

    exported: Exported
    steps: Sequence[JsonObject] = ()
    answers: Sequence[str] = ()


def in_autogen(plays: Mapping[str, Play]) -> dict[str, Any]:
    """What AutoGen builds of scripts, and what happens in the steps that are given."""
    codes = [play.exported.code for play in plays.values()]
    variables = {each for code in codes for each in re.findall(r'os\.environ\["([^"]+)"\]', code)}
    given = {
        "variables": sorted(variables | {"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}),
        "scripts": {name: [play.exported.code, [*play.steps], [*play.answers]] for name, play in plays.items()},
    }
    command = [python_of("autogen"), str(HERE / "build_in_autogen.py")]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def expected_json(component: Component, exported: Exported) -> Any:
    """Our component JSON as AutoGen would write it, without what findings say is left out."""
    document: Any = json.loads(json.dumps(component.dump_component()))
    gone = [each.place.pointer for each in exported.findings if each.verdict == "dropped"]
    for pointer in sorted(gone, key=_steps, reverse=True):
        *way, last = _steps(pointer)
        at = document
        for step in way:
            at = at[_key(at, step)]
        del at[_key(at, last)]
    return comparable(document)


def _key(holder: Any, step: str) -> int | str:
    return int(step) if isinstance(holder, list) else step


def _steps(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def comparable(value: Any) -> Any:
    """Component JSON without what says nothing: labels, versions, empty lists, values of secrets."""
    if isinstance(value, list):
        return [comparable(each) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return _without_secret(value)
    entries = cast("dict[str, Any]", value)
    kept = {name: comparable(each) for name, each in entries.items() if each not in (None, [], {})}
    if "provider" not in kept:
        return kept
    config = dict(kept.get("config", {}))
    if kept["provider"].endswith(".AssistantAgent") and config.get("tools"):  # AutoGen writes it so
        config["workbench"] = [
            {"provider": BENCH, "config": {"tools": config.pop("tools")}},
            *config.get("workbench", []),
        ]
    known = autogen_class(find_class(kept["provider"]) or Component)
    if known and known.fields:  # constructors take some things that no JSON of AutoGen keeps
        config = {name: each for name, each in config.items() if name in known.fields or not known.takes(name)}
    if config.get("model_context") == {"provider": UNBOUNDED, "config": {}}:
        del config["model_context"]
    if config.get("workbench") == [{"provider": BENCH, "config": {}}]:
        del config["workbench"]
    if "json_schema" in config and kept["provider"].endswith("StructuredMessageFactory"):
        config["json_schema"] = _without_titles(config["json_schema"])
    return {"provider": kept["provider"], "config": config}


def _without_titles(schema: Any) -> Any:
    """A JSON schema without the titles that Pydantic gives fields."""
    fields = {name: {key: each[key] for key in each if key != "title"} for name, each in schema["properties"].items()}
    return {**schema, "properties": fields}


def _without_secret(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    hidden = re.sub(r"\{?\b(env|secret):[\w.-]+\}?", "none", value)
    return "none" if hidden == "**********" else hidden


def recorded(target: TargetKey) -> dict[str, Any]:
    """What was recorded where the framework is installed."""
    file = HERE / f"{target.replace('-', '_')}_originals.json"
    return json.loads(file.read_text("utf-8")) if file.exists() else {}


def write_record(target: TargetKey, found: Mapping[str, Any]) -> None:
    """Keep what was recorded."""
    file = HERE / f"{target.replace('-', '_')}_originals.json"
    file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
