"""What takes the place of what a script has and a component's JSON cannot hold: each with a finding of its own.

`stand_in` is the code where the component does something else than the script until a person replaces the part.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from studio.agents import UserProxyAgent
from studio.code.findings import Position
from studio.code.parsed import ParsedValue, envelope, plain
from studio.code.scope import Imported, Scope, ScriptClass
from studio.components import Component
from studio.conditions import ExternalTermination
from studio.executors import DockerCommandLineCodeExecutor
from studio.models import ChatCompletionClient, OpenAIChatCompletionClient
from studio.tools import FunctionTool

STAND_IN = "stand_in"
LEFT_OUT: Mapping[str, tuple[str, str, str]] = {
    "input_func": ("not_kept", "the studio asks people on its pages", ""),
    "approval_func": (STAND_IN, "the studio asks people by its rules for approvals", "Set the rules of the team."),
    "selector_func": (STAND_IN, "the model selects each speaker", "Write a selector prompt, or use a graph."),
    "candidate_func": (STAND_IN, "all participants are candidates", "Write a selector prompt, or use a graph."),
    "custom_message_types": ("not_kept", "the studio knows the messages of the team", ""),
    "runtime": ("not_kept", "the studio has a runtime of its own", ""),
}
"""Arguments of components that are functions and classes: what happens without them, and what to do."""
_KINDS: Mapping[str, type[Component]] = {
    "autogen_agentchat.agents.BaseChatAgent": UserProxyAgent,
    "autogen_agentchat.base.ChatAgent": UserProxyAgent,
    "autogen_agentchat.base.TerminationCondition": ExternalTermination,
}
_DOES: Mapping[type[Component], str] = {
    UserProxyAgent: "A person answers in its place.",
    ExternalTermination: "A person stops the team in its place.",
}


def stand_in(
    found: ScriptClass, given: tuple[Sequence[ParsedValue], Mapping[str, ParsedValue]], scope: Scope, at: Position
) -> tuple[ParsedValue, str] | None:
    """The part in place of an object of a class of the script, and what it does; None where there is none."""
    kind = next((_KINDS[base] for base in _bases(found.node, scope) if base in _KINDS), None)
    if kind is None:
        return None
    if kind is not UserProxyAgent:
        return envelope(kind, {}, at), _DOES[kind]
    values, named = given
    name = named.get("name") or next((each for each in values if _is_name(each)), None)
    described = named.get("description")
    text = described.value if described is not None and isinstance(described.value, str) else ""
    own = str(name.value) if name is not None and _is_name(name) else _own_name(found.node)
    about = text or f"Stands in for the class {found.node.name}."
    return envelope(kind, {"name": plain(own, at), "description": plain(about, at)}, at), _DOES[kind]


def stand_in_of_another_file(dotted: str, kinds: Sequence[type], at: Position) -> ParsedValue | None:
    """A part with the name of what another file has, of the kind that is expected; None where there is none."""
    name = re.sub(r"\W", "_", dotted.rpartition(".")[2])[:60]
    described = plain(f"Stands in for {dotted}.", at)
    for kind in kinds:
        if issubclass(ChatCompletionClient, kind) and issubclass(kind, Component):
            return envelope(OpenAIChatCompletionClient, {"model": plain(name, at)}, at)
        if issubclass(UserProxyAgent, kind) and issubclass(kind, Component):
            return envelope(UserProxyAgent, {"name": plain(name, at), "description": described}, at)
        if issubclass(ExternalTermination, kind) and issubclass(kind, Component):
            return envelope(ExternalTermination, {}, at)
        if issubclass(FunctionTool, kind) and issubclass(kind, Component):
            code = f"def {name}() -> str:\n    raise NotImplementedError({dotted!r})\n"
            config = {"source_code": plain(code, at), "name": plain(name, at), "description": described}
            return envelope(FunctionTool, {**config, "has_cancellation_support": plain(value=False, at=at)}, at)
        if issubclass(DockerCommandLineCodeExecutor, kind) and issubclass(kind, Component):
            return envelope(DockerCommandLineCodeExecutor, {}, at)
        if kind is str:
            return plain(name, at)
    return None


def _bases(node: ast.ClassDef, scope: Scope, depth: int = 0) -> Iterator[str]:
    """Full names of the classes that a class inherits, through those of the script."""
    for base in node.bases if depth < 10 else ():
        inner = base.value if isinstance(base, ast.Subscript) else base
        found = scope.find(inner.id) if isinstance(inner, ast.Name) else None
        if isinstance(found, Imported):
            yield found.dotted
        elif isinstance(found, ScriptClass):
            yield from _bases(found.node, found.scope, depth + 1)


def _own_name(node: ast.ClassDef) -> str:
    """The name that a class gives its agents, or one made of its own."""
    for each in ast.walk(node):
        match each:
            case ast.Call(func=ast.Attribute(attr="__init__"), args=[ast.Constant(value=str(name)), *_]) if (
                name.isidentifier()
            ):
                return name
            case ast.Call(func=ast.Attribute(attr="__init__"), keywords=keywords):
                for keyword in keywords:
                    match keyword:
                        case ast.keyword(arg="name", value=ast.Constant(value=str(name))) if name.isidentifier():
                            return name
                        case _:
                            pass
            case _:
                pass
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", node.name).lower()


def _is_name(made: ParsedValue) -> bool:
    return isinstance(made.value, str) and made.value.isidentifier()


def text_condition(node: ast.expr) -> str | None:
    """The text of `lambda message: "TEXT" in message.to_model_text()`, which a graph has as a condition."""
    match node:
        case ast.Lambda(
            args=ast.arguments(args=[ast.arg(arg=name)]),
            body=ast.Compare(left=ast.Constant(value=str(text)), ops=[ast.In()], comparators=[said]),
        ) if text and _says(said, name):
            return text
        case _:
            return None


def _says(node: ast.expr, name: str) -> bool:
    """Whether this is the text of the message of that name."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=own), attr="to_model_text"), args=[], keywords=[]):
            return own == name
        case _:
            return False
