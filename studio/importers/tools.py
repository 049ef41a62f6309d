"""Tools of a source: Python functions with what they need, and stand-ins for what does not come along."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.code.functions import names_read
from studio.components import JsonObject
from studio.importers.components import component, config_of
from studio.importers.findings import Location, Report
from studio.importers.python_script import Function, PythonScript, keywords

PROVIDER = "autogen_core.tools.FunctionTool"
_SOURCES = re.compile(r"(?:from|import) (?:agents|agent_framework|autogen|ag2|crewai|crewai_tools)\b")
"""Imports of what is read, which is not there when the team runs."""
_INSTALLED = ("studio", "pydantic", "typing_extensions")
"""Packages that are there wherever a team runs."""
CONTEXTS = ("RunContextWrapper", "ToolContext", "FunctionInvocationContext")
"""Classes of a first parameter that the model does not fill in."""
MAX_NEEDED = 50
"""Definitions that a function takes along."""
_TYPES: Mapping[str, str] = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
}

_SERVERS: Mapping[str, str] = {
    "MCPServerStdio": "StdioServerParams",
    "StdioServerParameters": "StdioServerParams",
    "MCPServerHTTP": "StreamableHttpServerParams",
    "MCPServerSSE": "SseServerParams",
}
"""Classes of CrewAI for servers, and what they are here."""


@dataclass
class Toolset:
    """What an agent can use."""

    tools: list[JsonObject] = field(default_factory=list[JsonObject])
    workbenches: list[JsonObject] = field(default_factory=list[JsonObject])

    def add(self, tool: JsonObject) -> None:
        """Add a tool; of two with one name the first counts."""
        names = [config_of(each).get("name") for each in self.tools]
        if config_of(tool).get("name") not in names or config_of(tool).get("name") is None:
            self.tools.append(tool)


def function_tool(
    script: PythonScript, function: Function, report: Report, owner: str, *, called: str = "", described: str = ""
) -> JsonObject:
    """The tool that a function is, or a stand-in for it; the report says which.

    Args:
        called: Its name, where that is neither the function's nor in its decorator.
        described: The same for its description.
    """
    given = _decorator(function)
    name = called or script.value_or_none(given.get("name_override"))
    shown = name if isinstance(name, str) and name else function.name
    given_text = described or script.value_or_none(given.get("description_override"))
    docstring = ast.get_docstring(function) or ""
    description = given_text if isinstance(given_text, str) else docstring.partition("\n\n")[0].strip()
    place, what = script.place(function), f"Tool `{shown}` of {owner}"
    missing = _missing(script, function)
    if missing:
        source = _stand_in_source(function, missing)
        report.add(
            "approximated",
            place,
            what,
            f"{missing} A stand-in has its name and parameters and fails when it is called.",
            fix="Write its code.",
            became=owner,
        )
        return _tool(shown, description, source)
    source, packages = _with_needed(script, function)
    if packages:
        why = f"It imports {', '.join(packages)}, which must be installed where the team runs."
        report.add("approximated", place, what, why, fix="Install it, or change the code.", became=owner)
    else:
        report.add("exact", place, what, became=owner)
    for name in ("needs_approval", "is_enabled", "failure_error_function"):
        if name in given:
            why = "The studio always asks before a call that can change something."
            report.add("dropped", place, f"`{name}` of {what}", why, became=owner)
    return _tool(shown, description, source)


def stand_in(name: str, description: str, parameters: JsonValue, why: str) -> JsonObject:
    """A tool of this name and these parameters, which fails when it is called.

    Args:
        parameters: JSON schema of an object.
        why: What did not come along, as a sentence.
    """
    required, optional = _parameters(parameters)
    function = name if name.isidentifier() and not keyword.iskeyword(name) else re.sub(r"\W+", "_", f"tool_{name}")
    head = ", ".join([*required, *optional])
    body = f"    raise NotImplementedError({why!r})\n"
    return _tool(name or "tool", description, f"def {function}({head}) -> str:\n{body}")


def _tool(name: str, description: str, source: str) -> JsonObject:
    used = [
        word
        for word in ("Annotated", "Literal")
        if re.search(rf"\b{word}\[", source) and f"import {word}" not in source
    ]
    imports: list[JsonValue] = [{"module": "typing", "imports": list[JsonValue](used)}] if used else []
    return component(PROVIDER, name=name, description=description, source_code=source, global_imports=imports)


def _decorator(function: Function) -> dict[str, ast.expr]:
    return {
        name: value
        for each in function.decorator_list
        if isinstance(each, ast.Call)
        for name, value in keywords(each).items()
    }


def _missing(script: PythonScript, function: Function) -> str:
    """What stands in the way of taking a function along, as a sentence; empty if nothing does."""
    body = [each for each in function.body if not _is_docstring(each)]
    if all(isinstance(each, ast.Pass) or _is_ellipsis(each) for each in body):
        return "The file has no code for it."
    first = next(iter(function.args.args), None)
    if first is not None and _is_context(first):
        return f"It works with `{first.arg}`, the context of a run there."
    needed: dict[str, ast.AST] = {}
    unknown = _collect(script, function, needed)
    if unknown:
        names = ", ".join(f"`{name}`" for name in sorted(unknown)[:5])
        return f"It uses {names}, which is not in the files or only there in a run."
    return "It needs too much of the script." if len(needed) > MAX_NEEDED else ""


def _collect(script: PythonScript, function: ast.AST, needed: dict[str, ast.AST]) -> set[str]:
    """What a definition needs of the script, into `needed`; the names that cannot come along."""
    unknown: set[str] = set()
    reads = names_read(_undecorated(function)) if isinstance(function, Function) else _names_in(function)
    for name in sorted(reads):
        if name in needed or len(needed) > MAX_NEEDED:
            continue
        if name in script.functions and not script.functions[name].decorator_list:
            needed[name] = script.functions[name]
            unknown |= _collect(script, script.functions[name], needed)
        elif name in script.classes:
            needed[name] = script.classes[name]
            unknown |= _collect(script, script.classes[name], needed)
        elif name in script.imports and not _SOURCES.match(script.imports[name]):
            needed[name] = ast.parse(script.imports[name]).body[0]
        elif name in script.values and _is_literal(script.values[name]):
            needed[name] = ast.Assign([ast.Name(name, ast.Store())], script.values[name], lineno=1)
        else:
            unknown.add(name)
    return unknown


def _names_in(node: ast.AST) -> set[str]:
    import builtins

    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    own = {each.id for each in names if not isinstance(each.ctx, ast.Load)}  # fields of a class among them
    own |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    return {each.id for each in names} - own - set(dir(builtins))


def _with_needed(script: PythonScript, function: Function) -> tuple[str, list[str]]:
    """The source of a function with all that it needs, and the packages that are not Python's own."""
    needed: dict[str, ast.AST] = {}
    _collect(script, function, needed)
    needed.pop(function.name, None)
    before = [each for each in needed.values() if not isinstance(each, Function)]
    after = [each for each in needed.values() if isinstance(each, Function)]
    imports = [each for each in before if isinstance(each, ast.Import | ast.ImportFrom)]
    others = [each for each in before if not isinstance(each, ast.Import | ast.ImportFrom)]
    whole = [*imports, *reversed(others), _undecorated(function), *after]
    packages = sorted(
        {
            ast.unparse(each).split()[1].partition(".")[0]
            for each in imports
            if not script.is_standard(ast.unparse(each))
            and ast.unparse(each).split()[1].partition(".")[0] not in _INSTALLED
        }
    )
    return "\n".join(f"{ast.unparse(each)}\n" for each in whole), packages


def _undecorated(function: Function) -> Function:
    kind = type(function)
    copy = kind(**{name: getattr(function, name) for name in function._fields if hasattr(function, name)})
    copy.decorator_list = []
    return ast.copy_location(copy, function)


def _stand_in_source(function: Function, why: str) -> str:
    """A function of the same name and parameters that only fails."""
    kept = [each for each in (*function.args.args, *function.args.kwonlyargs) if not _is_context(each)]
    defaults = _defaults(function)
    shown = [_shown(each, defaults.get(each.arg)) for each in kept if each.arg.isidentifier()]
    parameters = [text for text, is_optional in shown if not is_optional] + [
        text for text, is_optional in shown if is_optional
    ]
    return f"def {function.name}({', '.join(parameters)}) -> str:\n    raise NotImplementedError({why!r})\n"


def _defaults(function: Function) -> dict[str, ast.expr]:
    named = [*function.args.posonlyargs, *function.args.args]
    found = dict(
        zip(
            [each.arg for each in named[len(named) - len(function.args.defaults) :]],
            function.args.defaults,
            strict=False,
        )
    )
    pairs = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    return found | {each.arg: default for each, default in pairs if default is not None}


def _shown(argument: ast.arg, default: ast.expr | None) -> tuple[str, bool]:
    """A parameter as it is written, and whether it has a default."""
    simple = {"str", "int", "float", "bool", "list", "dict", "None", "Literal"}
    kind = argument.annotation
    is_simple = kind is not None and _names_in_annotation(kind) <= simple
    text = f"{argument.arg}: {ast.unparse(kind) if kind is not None and is_simple else 'str'}"
    if default is None:
        return text, False
    return f"{text} = {ast.unparse(default) if _is_literal(default) else 'None'}", True


def _names_in_annotation(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _parameters(schema: JsonValue) -> tuple[list[str], list[str]]:
    """Required and optional parameters of a function for a JSON schema, as they are written."""
    given = schema if isinstance(schema, dict) else {}
    properties, required = given.get("properties"), given.get("required")
    must: list[JsonValue] = required if isinstance(required, list) else []
    first: list[str] = []
    second: list[str] = []
    for name, described in (properties if isinstance(properties, dict) else {}).items():
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            continue
        text = f"{name}: {_annotation(described)}"
        if name in must:
            first.append(text)
        else:
            second.append(f"{text} | None = None")
    return first, second


def _annotation(described: JsonValue) -> str:
    given = described if isinstance(described, dict) else {}
    options = given.get("enum")
    if isinstance(options, list) and options and all(isinstance(each, str) for each in options):
        kind = f"Literal[{', '.join(repr(each) for each in options)}]"
    else:
        kind = _TYPES.get(str(given.get("type")), "str")
    given_text = given.get("description")
    return f"Annotated[{kind}, {given_text!r}]" if isinstance(given_text, str) and given_text else kind


def _is_context(argument: ast.arg) -> bool:
    return argument.annotation is not None and any(name in ast.unparse(argument.annotation) for name in CONTEXTS)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def report_stand_in(report: Report, place: Location, what: str, why: str, owner: str) -> None:
    """Say that a tool is only a stand-in."""
    shown = f"{why} A stand-in has its name and fails when it is called."
    report.add("approximated", place, what, shown, fix="Replace it by a tool that does the same.", became=owner)


def mcp_params(kind: str, given: Mapping[str, JsonValue]) -> JsonObject | None:
    """The settings of a server; None where neither its command nor its address is known."""
    command, address = given.get("command"), given.get("url")
    if isinstance(command, str) and command:
        listed = given.get("args")
        arguments: list[JsonValue] = (
            [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
        )
        params: JsonObject = {"type": "StdioServerParams", "command": command, "args": arguments}
        return {**params, **_texts("env", given.get("env"))}
    if isinstance(address, str) and re.match(r"https?://[^/?#\s]+", address):
        is_sse = _SERVERS.get(kind) == "SseServerParams" or given.get("transport") == "sse"
        params = {"type": "SseServerParams" if is_sse else "StreamableHttpServerParams", "url": address}
        return {**params, **_texts("headers", given.get("headers"))}
    return None


def _texts(name: str, value: JsonValue) -> JsonObject:
    return {name: {key: str(each) for key, each in value.items()}} if isinstance(value, dict) and value else {}
