"""Apps of Dify without a workflow: one agent, chat or text generator."""

from __future__ import annotations

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.importers import canvas_texts
from studio.importers.canvas_state import StateReading
from studio.importers.canvas_texts import Path
from studio.importers.components import ASSISTANT, config_of
from studio.importers.dify_document import Found, items_at, text_at
from studio.importers.dify_models import dify_client
from studio.importers.dify_texts import INPUT_PLACES
from studio.importers.dify_tools import add_tools
from studio.importers.expressions import INPUT, Unsupported
from studio.importers.findings import NO_SETTING
from studio.importers.parts import Part
from studio.importers.tools import Toolset, stand_in
from studio.importers.workflow import START, Edge, Node

_READ = frozenset(
    [
        "model",
        "pre_prompt",
        "prompt_type",
        "chat_prompt_config",
        "completion_prompt_config",
        "agent_mode",
        "user_input_form",
        "dataset_configs",
        "dataset_query_variable",
        "file_upload",
        "retriever_resource",
    ]
)
_SEARCH: JsonObject = {"properties": {"query": {"type": "string"}}, "required": ["query"]}


def read_app(found: Found, reading: StateReading) -> None:
    """Add the agent of an app to the workflow.

    Raises:
        InvalidDocument: It has no settings of a model.
    """
    settings = found.document.get("model_config")
    if settings is None or settings.entries is None:
        raise InvalidDocument("The app has no workflow and no `model_config`.", fix="Export it again from Dify.")
    name = reading.flow.add(Node(found.title, settings.place, {"provider": ASSISTANT, "config": {}}, hears="all"))
    reading.flow.edges.append(Edge(START, name))
    _form(settings, reading, is_text=found.mode == "completion")
    before = len(reading.report.findings)
    system = _prompt(settings, reading, name, is_text=found.mode == "completion")
    tools = Toolset()
    _tools(settings, tools, reading, name)
    model = settings.get("model")
    client = dify_client(model.plain() if model is not None else None, reading.report, (model or settings).place, name)
    reading.fill(name, system, client, tools, None)
    rounds = settings.get("agent_mode", "max_iteration")
    most = rounds.number(1, 1_000) if rounds is not None else None
    if most is not None and (tools.tools or tools.workbenches):
        part = reading.flow.nodes[name].part
        assert part is not None, "an agent is a participant"
        config_of(part)["max_tool_iterations"] = most
    for key, each in settings.entries_or_none():
        enabled = each.get("enabled")
        is_on = bool(each.items or each.text) or (enabled is not None and enabled.value is True)
        if key not in _READ and is_on:
            reading.report.add("dropped", each.place, f"Setting `{key[:80]}`", NO_SETTING)
    is_same = all(each.verdict in ("exact", "asked") for each in reading.report.findings[before:])
    why = "" if is_same else "See its parts."
    reading.report.add("exact" if is_same else "approximated", settings.place, f"App “{found.title}”", why, became=name)


def _form(settings: Part, reading: StateReading, *, is_text: bool) -> None:
    """The fields of the form: the first text of a text generator is the message, others are context variables."""
    for each in items_at(settings, "user_input_form"):
        for kind, given in each.entries_or_none():
            name = text_at(given, "variable")
            if not name or name in reading.variables:
                continue
            what = f"Field `{name[:80]}` of the form"
            if is_text and INPUT not in reading.variables.values() and kind in ("text-input", "paragraph"):
                reading.variables[name] = INPUT
                why = "The message of a run takes the place of the form."
                reading.report.add("approximated", given.place, what, why)
                continue
            default = given.get("default")
            value = default.plain() if default is not None else ""
            reading.variable(name, value if value is not None else "")
            why = "A team has no form, so it is a context variable."
            fix = "Set the context variable of the team."
            reading.report.add("asked", given.place, what, why, fix=fix)


def _prompt(settings: Part, reading: StateReading, name: str, *, is_text: bool) -> str:
    """The instructions; those of a text generator are what its agent hears."""
    pieces = [settings.get("pre_prompt")]
    if text_at(settings, "prompt_type") == "advanced":
        pieces = [
            settings.get("completion_prompt_config", "prompt"),
            *items_at(settings, "chat_prompt_config", "prompt"),
        ]
    system: list[str] = []
    node = reading.flow.nodes[name]
    for each in pieces:
        given = each.text or text_at(each, "text") if each is not None else ""
        if each is None or not given.strip():
            continue
        said = _text(given, reading, each, name)
        if is_text or text_at(each, "role") in ("user", "assistant"):
            node.prompts = [*node.prompts, said]
        else:
            system.append(said)
    if is_text and node.prompts:
        node.hears = "nothing"
    return "\n\n".join(system)


def _text(given: str, reading: StateReading, part: Part, owner: str) -> str:
    def resolve(name: str) -> Path | str:
        if name == "query":
            return Path(reading.variables.get(name, INPUT))
        if name not in reading.variables:
            raise Unsupported("the form has no such field")
        return Path(reading.variables[name])

    def missed(name: str, why: str) -> None:
        what = f"`{{{{{name}}}}}` in a text of {owner}"
        reading.report.add("asked", part.place, what, f"Its value is not known: {why}.", fix="Write it.", became=owner)

    return canvas_texts.template(given, INPUT_PLACES, resolve, missed)


def _tools(settings: Part, found: Toolset, reading: StateReading, owner: str) -> None:
    tools = settings.get("agent_mode", "tools")
    enabled = settings.get("agent_mode", "enabled")
    if tools is not None and (enabled is None or enabled.value is not False):
        listed: list[JsonValue] = [each.plain() for each in tools.items or () if each.get("dataset") is None]
        add_tools(listed, found, reading.report, tools.place, owner)
    sets = [each.get("dataset") for each in tools.items or ()] if tools is not None else []
    sets += [each.get("dataset") for each in items_at(settings, "dataset_configs", "datasets", "datasets")]
    for each in sets:
        is_off = each is None or ((on := each.get("enabled")) is not None and on.value is False)
        if each is None or is_off:
            continue
        why = "The documents of this knowledge stay at Dify."
        found.add(stand_in("search_knowledge", "Searches documents.", _SEARCH, why))
        fix = "Replace the stand-in by a memory or a tool that searches them."
        reading.report.add("asked", each.place, f"Knowledge of {owner}", why, fix=fix, became=owner)
