"""Model clients of AutoGen 0.2 and AG2: `llm_config` as a dictionary or an `LLMConfig`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.classic_script import MAX_HOPS, ClassicScript, is_off
from studio.importers.components import config_of, structured
from studio.importers.findings import Location, Report
from studio.importers.models import DEFAULT_MODEL, OPENAI, SETTINGS, client, served
from studio.importers.names import word
from studio.importers.python_script import called, keywords, short

_FROM_OUTSIDE = ("config_list_from_", "from_json", "filter_config", "config_list_openai", "config_list_gpt")
_SERVICES: Mapping[str, str] = {"google": "gemini", "together": "together_ai"}
"""Types of API that have another name as the prefix of a model."""
_ENTRY = ("model", "api_key", "base_url", "api_type", "api_version", "tags")
_ELSEWHERE = ("config_list", "functions", "tools", "response_format", "timeout")
"""Settings that are read in another place."""


@dataclass
class _Config:
    """An `llm_config`.

    Args:
        fields: Settings beside the list of models.
        entries: The list of models; empty where it is not in the files.
        source: What the models come from, where that is outside of the files.
        hint: A model that the script asks for there.
    """

    fields: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    entries: list[dict[str, ast.expr]] = field(default_factory=list[dict[str, ast.expr]])
    source: str = ""
    hint: str | None = None


class ModelReader:
    """Makes the clients of a script."""

    def __init__(self, classic: ClassicScript, report: Report) -> None:
        self.classic = classic
        self.script = classic.script
        self.report = report
        self._reported: set[str] = set()

    def is_given(self, node: ast.expr | None) -> bool:
        """Whether a setting names a model."""
        return node is not None and not is_off(self.classic.resolved(node))

    def fields(self, node: ast.expr | None) -> dict[str, ast.expr]:
        """Settings of an `llm_config` beside its models."""
        return self._config(node).fields

    def client(self, node: ast.expr | None, place: Location, owner: str) -> JsonObject:
        """The client of an `llm_config`; the report is told what does not come along."""
        config = self._config(node)
        first = config.entries[0] if config.entries else {}
        given = {**config.fields, **first}
        values = {name: self.script.value_or_none(value) for name, value in given.items() if name in SETTINGS}
        entry = {name: self.script.value_or_none(first.get(name)) for name in _ENTRY}
        model = entry["model"] if isinstance(entry["model"], str) and entry["model"] else None
        if model is not None and model.startswith("env:"):
            model = None
        if model is None and (config.source or config.hint):
            model = config.hint or DEFAULT_MODEL
            source = config.source or "What the script asks for"
            why = f"{source} is not in the files, so the model is {model}."
            self.report.add("asked", place, f"Model of {owner}", why, fix="Choose the model and its key.", became=owner)
        made = client(_with_service(model, entry), values, self.report, place, owner)
        served(made, entry, self.report, place, owner)
        self._key(made, first, place, owner)
        answers = given.get("response_format")
        if made["provider"] == OPENAI and isinstance(format_of := self.script.value_or_none(answers), dict):
            config_of(made)["response_format"] = format_of
        seconds = self.script.value_or_none(given.get("timeout"))
        if made["provider"] == OPENAI and isinstance(seconds, int | float) and seconds > 0:
            config_of(made)["timeout"] = seconds
        self._left_out(node, config, place, owner)
        return made

    def answer_format(self, node: ast.expr | None, owner: str) -> JsonObject | None:
        """The form of the answers of an agent with this `llm_config`."""
        config = self._config(node)
        first = config.entries[0] if config.entries else {}
        written = first.get("response_format") or config.fields.get("response_format")
        if written is None or isinstance(self.script.value_or_none(written), dict):
            return None
        schema = self.script.schema(written.id) if isinstance(written, ast.Name) else None
        if schema is None:
            why = f"The schema of `{short(written)}` cannot be read, so the answer is text."
            place, what = self.script.place(written), f"Format of the answers of {owner}"
            self.report.add("approximated", place, what, why, fix="Describe the fields.", became=owner)
            return None
        return structured(schema, word(written.id) if isinstance(written, ast.Name) else "")

    def _key(self, made: JsonObject, first: Mapping[str, ast.expr], place: Location, owner: str) -> None:
        value = self.script.value_or_none(first.get("api_key"))
        if isinstance(value, str) and value.startswith("env:") and made["provider"] == OPENAI:
            if value != "env:OPENAI_API_KEY":
                config_of(made).setdefault("api_key", value)
        elif isinstance(value, str) and value and f"key of {owner}" not in self._reported:
            self._reported.add(f"key of {owner}")
            why = "The file contains a key in plain text, or a place for one. It is not imported."
            fix = "Set the environment variable of the service."
            self.report.add("approximated", place, f"Key of {owner}", why, fix=fix, became=owner)

    def _left_out(self, node: ast.expr | None, config: _Config, place: Location, owner: str) -> None:
        """Say once for each `llm_config` what of it is not used."""
        at = self.classic.resolved(node) if node is not None else None
        if f"{id(at)}" in self._reported:
            return
        self._reported.add(f"{id(at)}")
        names = [*config.fields, *(config.entries[0] if config.entries else ())]
        others = [name for name in dict.fromkeys(names) if name not in (*SETTINGS, *_ENTRY, *_ELSEWHERE)]
        if others:
            listed = ", ".join(f"`{name}`" for name in others)
            why = "Team Studio has no such settings. A cache can keep answers."
            self.report.add("dropped", place, f"Model settings {listed} of {owner}", why, became=owner)
        if len(config.entries) > 1:
            why = f"Only the first of {len(config.entries)} models is used. The others stood in for it when it failed."
            self.report.add("dropped", place, f"Further models of {owner}", why, became=owner)

    # --- reading ---

    def _config(self, node: ast.expr | None) -> _Config:
        config = _Config()
        for _ in range(MAX_HOPS):
            resolved = self.classic.resolved(node) if node is not None else None
            match resolved:
                case ast.Dict():
                    self._add_settings(config, self.classic.entries(resolved))
                    return config
                case ast.Call() if called(resolved) == "LLMConfig":
                    for each in resolved.args:
                        inner = self.classic.entries(each)
                        config.entries += [inner] if inner else []
                    self._add_settings(config, keywords(resolved))
                    return config
                case ast.Call(func=ast.Attribute(value=inner, attr="copy"), args=[]):
                    node = inner
                case ast.Call(args=[inner, *_]) if called(resolved) in ("copy", "deepcopy", "dict"):
                    self._add_settings(config, keywords(resolved))
                    node = inner
                case ast.Call():
                    self._from_outside(config, resolved)
                    return config
                case None:
                    return config
                case other:
                    config.source = f"`{short(other)}`"
                    return config
        return config

    def _add_settings(self, config: _Config, given: Mapping[str, ast.expr]) -> None:
        """Add settings; those of one model are an entry where there is no list."""
        listed = given.get("config_list")
        if listed is not None:
            self._list(config, listed)
        elif "model" in given:
            names = (*_ENTRY, "response_format")
            config.entries.append({name: given[name] for name in given if name in names})
            given = {name: value for name, value in given.items() if name not in names}
        for name, value in given.items():
            if name != "config_list":
                config.fields.setdefault(name, value)

    def _list(self, config: _Config, node: ast.expr) -> None:
        resolved = self.classic.resolved(node)
        for _ in range(MAX_HOPS):  # a part of a list
            if not isinstance(resolved, ast.Subscript):
                break
            resolved = self.classic.resolved(resolved.value)
        items = self.classic.items(resolved)
        if items is not None:
            found = [
                keywords(value)
                if isinstance(value := self.classic.resolved(each), ast.Call)
                else self.classic.entries(value)
                for each in items
            ]
            config.entries += [each for each in found if each]
        elif isinstance(resolved, ast.Call):
            self._from_outside(config, resolved)
        else:
            config.source = f"`{short(resolved)}`"

    def _from_outside(self, config: _Config, call: ast.Call) -> None:
        """Note what a call reads from files and the environment, and which model it asks for."""
        found = [call, *(self.classic.resolved(each) for each in call.args)]
        asking = [each for each in found if isinstance(each, ast.Call) and called(each).startswith(_FROM_OUTSIDE)]
        read = asking[-1] if asking else call
        first = read.args[0] if read.args else keywords(read).get("env_or_file")
        name = self.script.value_or_none(first)
        config.source = f"`{name}`" if isinstance(name, str) and name else f"What `{short(read.func)}` reads"
        wanted = keywords(read).get("filter_dict") or keywords(read).get("model_list")
        models = self.classic.entries(wanted).get("model", wanted) if wanted is not None else None
        for each in self.classic.items(models) or ():
            model = self.script.value_or_none(each)
            if isinstance(model, str) and model:
                config.hint = model
                return


def _with_service(model: str | None, entry: Mapping[str, JsonValue]) -> str | None:
    """The model with the prefix of its service."""
    kind = entry.get("api_type")
    if model is None or not isinstance(kind, str) or kind in ("", "openai", "open_ai") or kind.startswith("azure"):
        return model
    return model if "/" in model else f"{_SERVICES.get(kind, kind)}/{model}"
