"""Calls of constructors as JSON: components become envelopes, other classes plain objects. Nothing is constructed."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass, replace
from typing import Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import to_jsonable_python
from typing_extensions import is_typeddict

from studio.agents import StructuredMessageFactory
from studio.code.expressions import SERVER_TOOLS, Expressions
from studio.code.findings import Position, Problems
from studio.code.functions import ScriptFunction
from studio.code.graph_steps import BUILDERS, GraphSteps, is_of_builder, new_builder
from studio.code.notes import noted
from studio.code.other_files import Modules
from studio.code.parsed import ParsedValue, broken, envelope, keyed, listed, not_known, plain, secret, written
from studio.code.ready_made import MEMORIES, in_fields, read_call
from studio.code.schemas import NoSchema, schema_of
from studio.code.scope import Arguments, Defined, Imported, Scope, ScriptClass
from studio.code.source import Source
from studio.code.stand_ins import LEFT_OUT, STAND_IN, stand_in, stand_in_of_another_file, text_condition
from studio.code.vocabulary import AUTOGEN, annotations_of, find_type, is_of_another_file, types_in
from studio.components import Component, SecretRef, is_reference
from studio.components.secrets import is_secret_name
from studio.conditions import AndTerminationCondition, OrTerminationCondition
from studio.models import ChatCompletionClient
from studio.models.azure_token import DEFAULT_KIND, AzureTokenProvider
from studio.tools import FunctionTool
from studio.tools.mcp import McpWorkbench

READS_ENVIRONMENT = ("os.getenv", "os.environ.get")
KEYS_ARE_NAMED = ("headers", "env")
"""How fields end whose texts may name secrets."""
ADDRESSES = ("base_url", "azure_endpoint")
"""Fields whose text may name a variable in braces."""
TOKEN_PROVIDERS = ("azure.identity.get_bearer_token_provider", "azure.identity.aio.get_bearer_token_provider")
"""Functions that give what `AzureTokenProvider` is, of the same arguments."""
CREDENTIALS = ("azure.identity.DefaultAzureCredential", "azure.identity.aio.DefaultAzureCredential")

FORMAT = "structured_message_factory"


class Calls:
    """Reads calls; those of the script's own functions are left to their files."""

    def __init__(
        self,
        source: Source,
        problems: Problems,
        modules: Modules,
        *,
        passes_over: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._passes_over = passes_over
        self._environment_values = environment or {}
        self._source = source
        self._problems = problems
        self._modules = modules
        self.expressions = Expressions(source, problems, self.read, modules, passes_over=passes_over)

    def read(self, node: ast.Call, scope: Scope) -> ParsedValue:
        """What a call makes."""
        place = self._source.place(node)
        local = self.expressions.binding(node.func, scope)
        if isinstance(local, Defined):
            return self._result(local, self.arguments(node, scope), place)
        if self._passes_over and isinstance(node.func, ast.Attribute) and is_of_builder(node, scope):
            return self._graph_step(node.func, self.arguments(node, scope), scope, place)
        dotted = self.expressions.dotted(node.func, scope)
        given = self.arguments(node, scope)
        if dotted in BUILDERS and self._passes_over and not any(given):
            return new_builder(place)
        if self._passes_over and (made := read_call(node, dotted or "", given, place)) is not None:
            return made
        if dotted in ("studio.components.env", *READS_ENVIRONMENT):
            return self._environment(given, place)
        if dotted == "studio.code.with_notes":
            return self._with_notes(given, place)
        if dotted in CREDENTIALS and not any(given):
            return plain(DEFAULT_KIND, place)
        if dotted in TOKEN_PROVIDERS:
            return self._component(AzureTokenProvider, given, scope, place)
        if isinstance(local, ScriptClass) and self._passes_over:
            return self._in_place_of(local, given, place)
        if dotted == SERVER_TOOLS:
            return self._component(McpWorkbench, given, scope, place)
        if self._passes_over and dotted and find_type(dotted) is None and is_of_another_file(dotted):
            return ParsedValue(place, outside=dotted)
        cls = self.expressions.type_called(node.func, scope)
        return broken(place) if cls is None else self._constructed(cls, given, scope, place)

    def _result(self, function: Defined, given: Arguments, place: Position) -> ParsedValue:
        """What a function of the script or of another file returns."""
        if function.home.name == self._source.name:
            return function.home.run(function.node, given, place)
        with self._problems.tried() as wrong:
            made = function.home.run(function.node, given, place)
        if not wrong:
            return made
        name = function.node.name
        why = f"`{name}` of {function.home.name} is not read: line {wrong[0].place.line}: {wrong[0].message}"
        return not_known(name, why, place)

    def _in_place_of(self, local: ScriptClass, given: Arguments, place: Position) -> ParsedValue:
        """A part that stands in for an object of a class of the script."""
        found = stand_in(local, given, local.scope, place)
        if found is None:
            name = local.node.name
            fix = "Replace it by a component. Classes of agents and of termination conditions have stand-ins."
            return self._refuse("own_class", f"`{name}` is a class of the script, which is not executed.", fix, place)
        made, does = found
        message = f"The class `{local.node.name}` is not executed. {does}"
        self._problems.warn(STAND_IN, message, "Replace it by a component that does the same.", place)
        return made

    def _graph_step(self, method: ast.Attribute, given: Arguments, scope: Scope, place: Position) -> ParsedValue:
        builder = self.expressions.made(method.value, scope)
        if not isinstance(builder.graph_steps, GraphSteps):
            return broken(place)
        made = builder.graph_steps.step(builder, method.attr, given, place)
        if isinstance(made, ParsedValue):
            return made
        return self._refuse("graph_step", made, "Write the step as `DiGraphBuilder` has it.", place)

    def _constructed(self, cls: type[object], given: Arguments, scope: Scope, place: Position) -> ParsedValue:
        if cls is SecretRef:
            return self._secret(given, place)
        if issubclass(cls, FunctionTool):
            given = self._with_source(given, scope, place)
        if issubclass(cls, Component):
            return self._component(cls, given, scope, place)
        if issubclass(cls, BaseModel) or is_dataclass(cls) or is_typeddict(cls):
            return self._plain_object(cls, given, place)
        return self._refuse("not_constructor", f"`{cls.__name__}` cannot be called.", "Write its value.", place)

    def _refuse(self, code: str, message: str, fix: str, place: Position) -> ParsedValue:
        return self.expressions.refuse(code, message, fix, place)

    def arguments(self, node: ast.Call, scope: Scope) -> Arguments:
        """What a call gives, by position and by name."""
        named: dict[str, ParsedValue] = {}
        for keyword in node.keywords:
            if self._passes_over and (made := self._replaced(keyword, node, scope)) is not None:
                named |= made
                continue
            made = self.expressions.made(keyword.value, scope)
            if keyword.arg is None:
                self._refuse("not_literal", "`**` is not supported here.", "Write the arguments out.", made.at)
            else:
                named[keyword.arg] = made
        return [self.expressions.made(item, scope) for item in node.args], named

    def _replaced(self, keyword: ast.keyword, node: ast.Call, scope: Scope) -> dict[str, ParsedValue] | None:
        """What an argument becomes that is a function or a class; None for any other."""
        name, value, place = keyword.arg or "", keyword.value, self._source.place(keyword.value)
        if name == "condition" and (text := text_condition(value)) is not None:
            return {name: plain(text, place)}
        if isinstance(self.expressions.binding(node.func, scope), Defined):
            return None
        if name in LEFT_OUT:
            code, does, fix = LEFT_OUT[name]
            for each in ast.walk(value):
                if isinstance(each, ast.Name):
                    scope.find(each.id)
            if not (isinstance(value, ast.Constant) and value.value is None):
                self._problems.warn(code, f"`{name}` is not kept: {does}.", fix, place)
            return {}
        if name == "output_content_type" and isinstance(value, ast.Name):
            found = scope.find(value.id)
            return {FORMAT: self._format(found, node, scope, place)} if isinstance(found, ScriptClass) else None
        return {} if name == "output_content_type_format" else None

    def _format(self, model: ScriptClass, node: ast.Call, scope: Scope, place: Position) -> ParsedValue:
        """The format of answers that a Pydantic model of the script means."""
        try:
            schema = schema_of(model.node, model.scope)
        except NoSchema as error:
            message = f"The schema of `{model.node.name}` cannot be told: {error} is not read."
            return self._refuse("no_schema", message, "Use plain types, models and literals in its fields.", place)
        config = {"json_schema": written(schema, place), "content_model_name": plain(model.node.name, place)}
        for keyword in node.keywords:
            if keyword.arg == "output_content_type_format":
                config["format_string"] = self.expressions.made(keyword.value, scope)
        return envelope(StructuredMessageFactory, config, place)

    # --- components and other classes ---

    def _component(self, cls: type[Component], given: Arguments, scope: Scope, place: Position) -> ParsedValue:
        if not cls.provider:
            message = f"`{cls.__name__}` is only a kind of component."
            return self._refuse("abstract", message, "Choose a component of this kind.", place)
        values, named = in_fields(given) if cls in MEMORIES and self._passes_over else given
        names: Sequence[str] = cls.positional or tuple(cls.model_fields)
        if issubclass(cls, AndTerminationCondition | OrTerminationCondition) and values:
            values, names = [listed(values, place)], ["conditions"]
        if issubclass(cls, AzureTokenProvider) and len(values) > 1 and values[1].entries is None:
            values = [values[0], listed(values[1:], values[1].at)]
        config = self._bound(cls, names, (values, named))
        if (tools := config.get("tools")) is not None and tools.cls is McpWorkbench and "workbench" not in config:
            config["workbench"] = config.pop("tools")  # an agent has all tools of such a server by its workbench
        for name, made in config.items():
            config[name] = self._with_tools(self._fitting(cls, name, made), name, scope)
        for name in cls.absent_in_json.keys() & cls.model_fields.keys() - config.keys():
            # In JSON a missing field means something else than in a constructor.
            default: object = cls.model_fields[name].get_default(call_default_factory=True)
            config[name] = written(to_jsonable_python(default), place)
        return envelope(cls, config, place)

    def _plain_object(self, cls: type[object], given: Arguments, place: Position) -> ParsedValue:
        bound = self._bound(cls, tuple(annotations_of(cls)) if is_dataclass(cls) else (), given)
        entries = {name: self._fitting(cls, name, made) for name, made in bound.items()}
        if issubclass(cls, BaseModel):
            for name, field in cls.model_fields.items():  # by which JSON tells it from its like
                if name not in entries and get_origin(field.annotation) is Literal and not field.is_required():
                    entries[name] = plain(get_args(field.annotation)[0], place)
                if name in entries and field.alias and cls.model_config.get("serialize_by_alias"):
                    entries[field.alias] = entries.pop(name)
        return replace(keyed(entries, place), secret_at=None)

    def _bound(self, cls: type[object], names: Sequence[str], given: Arguments) -> dict[str, ParsedValue]:
        """The arguments by name; a finding for each that the class does not take."""
        values, named = given
        if len(values) > len(names):
            message = f"`{cls.__name__}` takes at most {len(names)} arguments by position, not {len(values)}."
            self._refuse("unknown_argument", message, "Name the others.", values[len(names)].at)
        bound = dict(zip(names, values, strict=False))
        known = annotations_of(cls)
        is_open = is_typeddict(cls) or (issubclass(cls, BaseModel) and cls.model_config.get("extra") == "allow")
        for name, made in named.items():
            if name in bound:
                self._refuse("twice", f"`{name}` is given by position and by name.", "Remove one.", made.at)
            if name not in known and not is_open:
                self._unknown(cls, name, list(known), made.at)
            bound[name] = made
        for name in bound.keys() - known.keys() if not is_open else ():
            if name not in named:
                self._unknown(cls, name, list(known), bound[name].at)
        return {name: made for name, made in bound.items() if name in known or is_open}

    def _unknown(self, cls: type[object], name: str, known: Sequence[str], place: Position) -> None:
        close = difflib.get_close_matches(name, known, n=1)
        if self._passes_over and issubclass(cls, ChatCompletionClient):
            hint = f"Did you mean `{close[0]}`?" if close else ""
            message = f"`{cls.__name__}` has no field `{name[:100]}`, so it is not kept; AutoGen ignores it, too."
            self._problems.warn("not_kept", message, hint, place)
            return
        fix = f"Did you mean `{close[0]}`?" if close else f"It has {', '.join(f'`{each}`' for each in known)}."
        self._refuse("unknown_argument", f"`{cls.__name__}` has no field `{name[:100]}`.", fix[:600], place)

    def _fitting(self, cls: type[object], name: str, made: ParsedValue) -> ParsedValue:
        """An argument; refused if it names a secret that its field would not look up."""
        annotation = annotations_of(cls).get(name)
        made = self._with_stand_ins(made, [*types_in(annotation)], is_list=_is_list(annotation))
        if made.secret_at is None or name.endswith(KEYS_ARE_NAMED):
            return made
        if SecretRef in types_in(annotations_of(cls).get(name)):
            return made
        if name in ADDRESSES and made.entries is None:
            return plain(f"{{{made.value}}}", made.at)
        variable = str(made.value).removeprefix("env:") if made.entries is None else ""
        if variable and self._passes_over and str in types_in(annotations_of(cls).get(name)):
            return self._of_environment(name, variable, made.secret_at)
        if variable and str(made.value).startswith("env:"):
            message = f"`{name}` is read from the environment variable {variable!r}, whose value is not known here."
            fix = f'Write the value itself, or a default: `os.getenv("{variable}", "…")`.'
        else:
            message, fix = f"`{name}` takes no secret: the reference would not be resolved.", "Write the value itself."
        self._refuse("no_secret", message, fix, made.secret_at)
        return made

    def _with_stand_ins(self, made: ParsedValue, kinds: Sequence[type], *, is_list: bool = False) -> ParsedValue:
        """The argument with a stand-in for each part of it that is not known."""
        if made.cls is None and isinstance(made.entries, Sequence) and any(each.outside for each in made.entries):
            return listed([self._with_stand_ins(each, kinds) for each in made.entries], made.at)
        if not made.outside or (part := stand_in_of_another_file(made.outside, kinds, made.at)) is None:
            return made
        module, _, name = made.outside.rpartition(".")
        why = made.why or f"`{name}` is of {module!r}, another file, which is not read."
        message = f"{why} A part of that name stands in for it."
        self._problems.warn(STAND_IN, message, "Replace it by a component or a value.", made.at)
        return listed([part], made.at) if is_list else part

    def _of_environment(self, name: str, variable: str, place: Position) -> ParsedValue:
        """A text of an environment variable: its value where that is given and no secret, else the variable's name."""
        value = self._environment_values.get(variable)
        if value and not is_secret_name(variable):
            message = f"`{name}` is what the environment variable {variable!r} holds now."
            self._problems.warn("default_taken", message, "", place)
            return plain(value, place)
        message = f"`{name}` is read from the environment variable {variable!r}, whose value is not known here."
        fix = f'Write the value itself, or a default: `os.getenv("{variable}", "…")`. The name stands in for it.'
        self._problems.warn(STAND_IN, message, fix, place)
        return plain(variable, place)

    # --- functions ---

    def _with_tools(self, made: ParsedValue, field: str, scope: Scope) -> ParsedValue:
        """Functions among the tools of an agent are tools, as in AgentChat."""
        if field != "tools" or not isinstance(made.entries, Sequence):
            return made
        return listed([self._as_tool(item, scope) for item in made.entries], made.at)

    def _as_tool(self, made: ParsedValue, scope: Scope) -> ParsedValue:
        if made.function is None:
            return made
        described = ([made, plain(made.function.docstring, made.at)], dict[str, ParsedValue]())
        return self._constructed(FunctionTool, described, scope, made.at)

    def _with_source(self, given: Arguments, scope: Scope, place: Position) -> Arguments:
        """The arguments of a function tool as its config has them."""
        values, named = given
        names = [name for name in FunctionTool.positional if name not in named]
        named = {**dict(zip(names, values, strict=False)), **named}
        made = named.pop("func", None)
        if made is None:
            return [], named
        if made.function is None:
            if not made.is_broken:
                self._refuse("not_function", "A tool needs a function.", "Define it with `def` above.", made.at)
            return [], {"source_code": plain("", made.at), "description": plain("", made.at), "name": made}
        function = made.function
        around = self._modules.names_of.get(id(function), scope)
        with self._problems.tried() as wrong:
            imports = self._imports_of(function, around, made.at)
        for each in wrong if not self._passes_over else ():
            self._problems.add(each)
        if "global_imports" not in named and imports is not None and not wrong:
            named["global_imports"] = imports
        if (name := named.get("name")) is None or (name.value is None and not name.is_broken):
            named["name"] = plain(function.name, made.at)
        source = function.source
        if wrong and self._passes_over:
            source = f"def {function.name}() -> str:\n    raise NotImplementedError({function.name!r})\n"
            message = f"{wrong[0].message} A tool of that name stands in for it."
            self._problems.warn(STAND_IN, message, wrong[0].fix, made.at)
        named["source_code"] = plain(source, made.at)
        named["has_cancellation_support"] = plain(value=function.wants_token and not wrong, at=place)
        return [], named

    def _imports_of(self, function: ScriptFunction, scope: Scope, place: Position) -> ParsedValue | None:
        """What the script imports for a function; what it takes from the script otherwise is refused."""
        found: list[ParsedValue] = []
        for name in sorted(function.reads):
            binding = scope.find(name)
            if isinstance(binding, Imported) and not binding.dotted.startswith(("studio.", "__future__.", *AUTOGEN)):
                found.append(written(binding.as_json, place))
            elif isinstance(binding, ParsedValue | Defined):
                message = f"The tool `{function.name}` uses `{name}`, which is defined outside of it."
                fix = "A tool runs in a separate process. Move the definition into the function."
                self._refuse("not_self_contained", message, fix, place)
        return listed(found, place) if found else None

    # --- secrets and notes ---

    def _environment(self, given: Arguments, place: Position) -> ParsedValue:
        values, named = given
        values = [*values, *named.values()]
        name = values[0].value if values else None
        is_alone = len(values) == 1 or (len(values) == 2 and not values[1].value and values[1].entries is None)
        if isinstance(name, str) and is_alone and is_reference(f"env:{name}"):
            return secret(f"env:{name}", place)
        if isinstance(name, str) and len(values) == 2 and isinstance(default := values[1].value, str) and default:
            message = f"The environment variable {name!r} is not read: its default is taken."
            self._problems.warn("default_taken", message, "Write `env(...)` for a secret, or the value itself.", place)
            return plain(default, place)
        message = "An environment variable needs one name."
        return self._refuse("not_literal", message, 'Write `env("NAME")`.', place)

    def _secret(self, given: Arguments, place: Position) -> ParsedValue:
        values = [*given[0], *given[1].values()]
        reference = values[0].value if len(values) == 1 else None
        if isinstance(reference, str) and is_reference(reference):
            return secret(reference, place)
        return self._refuse(
            "not_literal", "This is not a secret reference.", 'Write `SecretRef("secret:name")`.', place
        )

    def _with_notes(self, given: Arguments, place: Position) -> ParsedValue:
        values = [*given[0], *given[1].values()]
        if len(values) != 2 or not all(isinstance(value.entries, Mapping) for value in values):
            if any(value.is_broken for value in values):
                return broken(place)
            message = "`with_notes` takes a component and an object of notes."
            return self._refuse("not_literal", message, "Write it as an exported script does.", place)
        component, notes = values
        return noted(component, notes, self._problems)


def _is_list(annotation: object) -> bool:
    """Whether a field holds several values."""
    origin = get_origin(annotation)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Sequence):
        return True
    return any(_is_list(each) for each in get_args(annotation))
