"""A team as a script for AutoGen 0.7: the script of the studio, in AutoGen's words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from pydantic import BaseModel, JsonValue

from studio.agents import AssistantAgent
from studio.code.conversion import Report
from studio.code.dialect import Writer
from studio.code.export import script_of
from studio.code.layout import Call, Expression, Items, Name, Pairs, Text
from studio.components import Component, JsonObject, find_class, is_reference
from studio.components.pointers import is_envelope
from studio.exporters.autogen_classes import AutogenClass, autogen_class, is_known_model
from studio.exporters.autogen_differences import reason_for
from studio.exporters.framework_dialect import FrameworkDialect
from studio.exporters.parts import name_of_part, place
from studio.exporters.refusals import CannotExport
from studio.models import ChatCompletionClient
from studio.teams import GraphFlow, MagenticOneGroupChat, Swarm, Team

RUN = """async def main() -> None:
    task = " ".join(sys.argv[1:]) or input("Task: ")
    await Console({builder}().run_stream(task=task), output_stats=True)


if __name__ == "__main__":
    asyncio.run(main())"""
PRINT = """if __name__ == "__main__":
    print({builder}().dump_component().model_dump_json(indent=2))"""
MAX_SAID_FIRST = 20
"""Of what is left out, at the top of a script."""
_AGENTS_ONLY = (GraphFlow, MagenticOneGroupChat, Swarm)
"""Teams that AutoGen fills with agents alone."""


def write_autogen(component: Component, report: Report) -> str:
    """The script.

    Raises:
        ConfigError: A part is not installed, or AutoGen has nothing that it could be.
    """
    return script_of(component, _AutoGen(component, report))


class _AutoGen(FrameworkDialect):
    """The words of AutoGen 0.7; what it lacks is left out, noted in the report and said in a comment."""

    framework = "AutoGen 0.7"
    run = RUN
    run_needs = (("autogen_agentchat.ui", "Console"),)
    show = PRINT
    modules = {name: f"import {name}" for name in ("asyncio", "os", "sys")}
    show_modules = ()

    def __init__(self, component: Component, report: Report) -> None:
        super().__init__(component, report)
        self._factories: dict[str, str] = {}

    # --- what there is ---

    def place_of(self, cls: type) -> tuple[str, str]:
        found = autogen_class(cls)
        return (found.module, found.name) if found else super().place_of(cls)

    def knows(self, cls: type[BaseModel]) -> bool:
        return autogen_class(cls) is not None

    def is_written(self, owner: BaseModel, name: str, value: object, where: str) -> bool:
        known = autogen_class(type(owner))
        is_own = super().is_written(owner, name, value, where)
        if known is None:
            return is_own
        if name not in known.fields and not known.takes(name):
            if is_own:
                self.drop_field(owner, name, where)
            return False
        if isinstance(value, Component) and self.is_lacking(value):
            self.drop_part(value, owner, where, is_needed=type(owner).model_fields[name].is_required())
            return False
        if name in known.required:
            return True
        theirs = known.optional.get(name)
        return is_own or (theirs is not None and theirs != value and value is not None)

    def is_lacking_class(self, cls: type[Component]) -> bool:
        return autogen_class(cls) is None

    def reason_for(self, cls: type, owner: BaseModel, field: str = "") -> str:
        return reason_for(cls, owner, field)

    def check(self, part: Component, where: str) -> None:
        """Refuse what AutoGen refuses, and note what is not in a field."""
        if isinstance(part, _AGENTS_ONLY):
            for at, participant in enumerate(part.participants):
                if isinstance(participant, Team):
                    kind = type(part).__name__
                    raise CannotExport(
                        f"AutoGen's {kind} holds agents only, and {participant.name!r} is a team.",
                        fix="Wrap the team in a Society of mind agent, or export for another target.",
                        where=f"{where}/config/participants/{at}",
                    )

    # --- how it is written ---

    def foreword(self) -> Sequence[str]:
        lacking = [each for each in self.report.findings if each.verdict == "dropped"]
        dropped = dict.fromkeys(f"* {each.what}. {each.why}" for each in lacking)
        if not dropped:
            return ()
        shown, more = [*dropped][:MAX_SAID_FIRST], len(dropped) - MAX_SAID_FIRST
        rest = [f"* and {more} more, each said where it was."] if more > 0 else []
        return (f"{self.framework} has no counterpart of these, so they are left out:", *shown, *rest)

    def needs_variable(self, part: Component) -> bool:
        return type(part).__name__ == "StructuredMessageFactory"

    def call(self, name: str, part: Component, arguments: dict[str, Expression], where: str, values: Writer) -> Call:
        known = autogen_class(type(part))
        if known is None:
            raise self.cannot(part, where)
        if isinstance(part, AssistantAgent):
            self._answer_format(part, arguments, where)
            self._tools_beside_workbenches(arguments, values)
        if isinstance(part, Team) and (types := self._answers_within(where)):
            arguments["custom_message_types"] = Items(types)
        if isinstance(part, ChatCompletionClient) and known.takes("model"):
            self._abilities(part, arguments, where, values)
        if not _is_taken(part, known, arguments):
            return self._loaded(name, part, known, where, values)
        listed = cast("Items", arguments.pop(known.many, Items(()))).items if known.many else ()
        return Call(name, listed, tuple(arguments.items()))

    def _answer_format(self, agent: AssistantAgent, arguments: dict[str, Expression], where: str) -> None:
        """AutoGen's agents take the class of their answers, which the factory has."""
        factory = arguments.pop("structured_message_factory", None)
        if agent.structured_message_factory is None or not isinstance(factory, Name):
            return
        self._factories[where] = factory.text
        arguments["output_content_type"] = Name(f"{factory.text}.ContentModel")
        if agent.structured_message_factory.format_string is not None:
            arguments["output_content_type_format"] = Text(agent.structured_message_factory.format_string)

    def _answers_within(self, where: str) -> tuple[Expression, ...]:
        """Types of messages that AutoGen's teams must be told of."""
        names = [name for place, name in self._factories.items() if place.startswith(f"{where}/")]
        return tuple(Name(f"{name}.StructuredMessage") for name in dict.fromkeys(names))

    def _tools_beside_workbenches(self, arguments: dict[str, Expression], values: Writer) -> None:
        """AutoGen's agents have either; a workbench of the tools comes to the same."""
        tools, workbenches = arguments.get("tools"), arguments.get("workbench")
        if isinstance(tools, Items) and isinstance(workbenches, Items) and tools.items and workbenches.items:
            bench = values.imports.use("autogen_core.tools", "StaticStreamWorkbench")
            arguments["workbench"] = Items((Call(bench, (arguments.pop("tools"),)), *workbenches.items))

    def _abilities(
        self, client: ChatCompletionClient, arguments: dict[str, Expression], where: str, values: Writer
    ) -> None:
        """AutoGen refuses a model that it does not know unless it is told what it can do."""
        model = str(getattr(client, "model", ""))
        if "model_info" in arguments or is_known_model(client.provider, model):
            return
        arguments["model_info"] = values.expression(dict(client.info), f"{where}/config/model_info")
        what, why = name_of_part(client), f"AutoGen does not know {model}, so what it can do is written out."
        self.report.add("approximated", place(where), what, why, fix="Correct it if the model can do something else.")
        self.comment(where, why)

    def _loaded(self, name: str, part: Component, known: AutogenClass, where: str, values: Writer) -> Call:
        """A part of which AutoGen's constructor does not take what its JSON says."""
        document = _known_to_autogen(part.dump_component())
        document["provider"] = f"{known.module}.{known.name}"
        return Call(f"{name}.load_component", (self._json(document, f"{where}/config", values),))

    def _json(self, value: JsonValue, where: str, values: Writer) -> Expression:
        if isinstance(value, str) and is_reference(value):
            return self.secret(value, where, values.imports)
        if isinstance(value, dict):
            return Pairs(tuple((Text(key), self._json(item, f"{where}/{key}", values)) for key, item in value.items()))
        if isinstance(value, list):
            return Items(tuple(self._json(item, where, values) for item in value))
        return values.expression(value, where)


def _is_taken(part: Component, known: AutogenClass, arguments: Iterable[str]) -> bool:
    """Whether AutoGen's constructor takes what must be said, in classes that AutoGen has."""
    held: dict[str, object] = {name: getattr(part, name, None) for name in arguments}
    is_known = all(
        autogen_class(type(each)) is not None
        for each in held.values()
        if isinstance(each, BaseModel) and not isinstance(each, Component) and not each.model_extra
    )
    return is_known and all(map(known.takes, held)) and not set(known.required) - held.keys()


def _known_to_autogen(document: JsonObject) -> JsonObject:
    """The component JSON without fields that AutoGen lacks; what is left out is in the report already."""
    cls = find_class(str(document["provider"]))
    known = autogen_class(cls) if cls else None
    config = cast("JsonObject", document["config"])
    if known is None or not known.fields:
        return dict(document)
    kept = {name: _nested(item) for name, item in config.items() if name in known.fields}
    return {**{key: document[key] for key in ("component_type", "component_version")}, "config": kept}


def _nested(value: JsonValue) -> JsonValue:
    if is_envelope(value):
        document = cast("JsonObject", value)
        return {"provider": document["provider"], **_known_to_autogen(document)}
    return [_nested(item) for item in value] if isinstance(value, list) else value
