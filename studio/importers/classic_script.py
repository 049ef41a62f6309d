"""A script of AutoGen 0.2 or AG2: its agents, in the order of the script, and what names them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from studio.errors import TooLarge
from studio.importers.findings import Location
from studio.importers.python_script import Function, PythonScript, called, keywords, short
from studio.importers.workflow import MAX_NODES

PACKAGES = ("autogen", "ag2")
ASSISTANT, CONVERSABLE, USER, SOCIETY = "AssistantAgent", "ConversableAgent", "UserProxyAgent", "SocietyOfMindAgent"
KNOWN = (ASSISTANT, CONVERSABLE, USER, SOCIETY, "SwarmAgent", "RetrieveUserProxyAgent", "GPTAssistantAgent")
MAX_HOPS = 10
"""Names that stand for names, and classes that extend classes."""
_POSITIONAL: Mapping[str, tuple[str, ...]] = {
    ASSISTANT: ("name", "system_message", "llm_config", "is_termination_msg"),
    CONVERSABLE: ("name", "system_message", "is_termination_msg", "max_consecutive_auto_reply", "human_input_mode"),
    USER: ("name", "is_termination_msg", "max_consecutive_auto_reply", "human_input_mode"),
    SOCIETY: ("name", "chat_manager"),
}
Kind = Literal["AssistantAgent", "ConversableAgent", "UserProxyAgent", "SocietyOfMindAgent"]


@dataclass(frozen=True, eq=False)
class ClassicAgent:
    """An agent that a script makes.

    Args:
        variable: Its name in the script; empty where it has none.
        written: Its class as the script names it.
        given: Its arguments by name.
    """

    variable: str
    call: ast.Call
    kind: Kind
    written: str
    given: Mapping[str, ast.expr]


@dataclass
class _Targets:
    """Variables that calls are assigned to, and what loops go through."""

    by_call: dict[int, str] = field(default_factory=dict[int, str])
    attributes: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    loops: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    configs: dict[int, ast.expr] = field(default_factory=dict[int, ast.expr])
    """`with llm_config:` by the calls below it."""


class ClassicScript:
    """The agents of a script and what its expressions name."""

    def __init__(self, script: PythonScript) -> None:
        """Find the agents.

        Raises:
            TooLarge: There are more than `MAX_NODES`.
        """
        self.script = script
        self.nodes = [node for tree in script.trees for node in _in_order(tree)]
        self._calls: dict[str, list[tuple[int, ast.Call]]] = {}
        for at, node in enumerate(self.nodes):
            if isinstance(node, ast.Call):
                self._calls.setdefault(called(node), []).append((at, node))
        self._targets = _Targets()
        for node in self.nodes:
            self._note(node)
        self.agents = [agent for node in self.nodes if (agent := self._agent(node)) is not None]
        if len(self.agents) > MAX_NODES:
            raise TooLarge(f"The files define more than {MAX_NODES} agents.", fix="Import a part of them.")
        self._by_call = {id(agent.call): agent for agent in self.agents}
        self._by_variable: dict[str, ClassicAgent] = {}
        for agent in self.agents:
            self._by_variable.setdefault(agent.variable, agent)

    def _note(self, node: ast.AST) -> None:
        targets = self._targets
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                targets.by_call[id(value)] = name
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=value):
                targets.by_call[id(value)] = name
                targets.attributes.setdefault(name, value)
            case ast.For(target=ast.Name(id=name), iter=items):
                targets.loops.setdefault(name, items)
            case ast.With(items=[ast.withitem(context_expr=config), *_], body=body) if self._is_config(config):
                for each in body:
                    targets.configs |= {id(inner): config for inner in ast.walk(each) if isinstance(inner, ast.Call)}
            case _:
                pass

    def _is_config(self, node: ast.expr) -> bool:
        return called(self.script.resolved(node)) == "LLMConfig"

    def _agent(self, node: ast.AST) -> ClassicAgent | None:
        written = called(node)
        if not isinstance(node, ast.Call) or not written:
            return None
        base = self._base(written)
        if base not in KNOWN and not (base.endswith("Agent") and self._is_from_source(node, base)):
            return None
        kind = _kind(base)
        given = dict(zip(_POSITIONAL[kind], node.args, strict=False)) | self.arguments(node)
        if id(node) in self._targets.configs:
            given.setdefault("llm_config", self._targets.configs[id(node)])
        return ClassicAgent(self._targets.by_call.get(id(node), ""), node, kind, written, given)

    def _base(self, name: str) -> str:
        """The class of the packages that a class extends; classes of the script are not executed."""
        for _ in range(MAX_HOPS):
            found = self.script.classes.get(name)
            if found is None or not found.bases:
                break
            name = short(found.bases[0]).rpartition(".")[2]
        return name

    def _is_from_source(self, call: ast.Call, base: str) -> bool:
        root: ast.expr = call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        names = [base, root.id] if isinstance(root, ast.Name) else [base]
        found = (self.script.imports.get(name, "") for name in names)
        return any(re.match(r"(?:from|import) (?:autogen|ag2)\b", statement) for statement in found)

    # --- what expressions are ---

    def arguments(self, call: ast.Call) -> dict[str, ast.expr]:
        """The named arguments of a call, also those of a dictionary that stands after `**`."""
        found: dict[str, ast.expr] = {}
        for each in call.keywords:
            if each.arg is None:
                found |= self.entries(each.value)
        return found | keywords(call)

    def resolved(self, node: ast.expr) -> ast.expr:
        """What a name or an attribute of `self` stands for."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            node = self._targets.attributes.get(node.attr, node)
        return self.script.resolved(node)

    def entries(self, node: ast.expr | None) -> dict[str, ast.expr]:
        """The entries of a dictionary with texts as keys; those after `**` are taken in."""
        found: dict[str, ast.expr] = {}
        resolved = self.resolved(node) if node is not None else None
        if isinstance(resolved, ast.Dict):
            for key, value in zip(resolved.keys, resolved.values, strict=True):
                if key is None and value is not resolved:
                    inner = self.resolved(value)
                    found |= keywords(inner) if isinstance(inner, ast.Call) else _plain_entries(inner)
                elif isinstance(key, ast.Constant) and isinstance(key.value, str):
                    found[key.value] = value
        return found

    def items(self, node: ast.expr | None) -> list[ast.expr] | None:
        """The items of a list that is written out, also as a sum of lists; None where it is not."""
        found: list[ast.expr] = []
        todo = [node]
        seen: set[int] = set()  # a list that holds itself, or one that doubles at each step, is read once
        while todo:
            each = todo.pop()
            resolved = self.resolved(each.value if isinstance(each, ast.Starred) else each) if each else None
            is_whole = each is node or isinstance(each, ast.Starred) or id(each) in seen
            match resolved:
                case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items) if is_whole:
                    if id(resolved) in seen:
                        return None
                    seen.add(id(resolved))
                    todo += reversed(items)
                case ast.BinOp(left=left, op=ast.Add(), right=right) if is_whole and id(resolved) not in seen:
                    seen |= {id(resolved), id(left), id(right)}
                    todo += [right, left]
                case _ if each is not None and not is_whole:
                    found.append(each)
                case _:
                    return None
        return found

    def agent_of(self, node: ast.expr | None) -> ClassicAgent | None:
        """The agent that an expression names, if it does."""
        for _ in range(MAX_HOPS):
            if isinstance(node, ast.Call):
                return self._by_call.get(id(node))
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                return self._by_variable.get(node.attr)
            if not isinstance(node, ast.Name):
                return None
            if node.id in self._by_variable:
                return self._by_variable[node.id]
            node = self.script.values.get(node.id)
        return None

    def agents_of(self, node: ast.expr | None) -> list[ClassicAgent]:
        """The agents that an expression names: one, those of a list, or those that a loop goes through."""
        found = self.agent_of(node)
        if found is not None:
            return [found]
        if isinstance(node, ast.Name) and node.id in self._targets.loops:
            node = self._targets.loops[node.id]
        return [agent for item in self.items(node) or () if (agent := self.agent_of(item)) is not None]

    def agent_named(self, label: str) -> ClassicAgent | None:
        return next((agent for agent in self.agents if label in (self.label(agent), agent.variable)), None)

    def call_of(self, node: ast.expr | None, *names: str) -> ast.Call | None:
        """The call of one of these names that an expression stands for; a subclass counts as its base."""
        resolved = self.resolved(node) if node is not None else None
        is_one = isinstance(resolved, ast.Call) and self._base(called(resolved)) in names
        return resolved if isinstance(resolved, ast.Call) and is_one else None

    def function_of(self, node: ast.expr | None) -> Function | None:
        """The function of the script that an expression names."""
        for _ in range(MAX_HOPS):
            if not isinstance(node, ast.Name):
                return None
            if node.id in self.script.functions:
                return self.script.functions[node.id]
            node = self.script.values.get(node.id)
        return None

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """Calls of functions and methods of these names, in the order of the script."""
        found = [each for name in dict.fromkeys(names) for each in self._calls.get(name, ())]
        return (call for _, call in sorted(found, key=lambda each: each[0]))

    def label(self, agent: ClassicAgent) -> str:
        """The agent's name as people read it."""
        name = self.script.value_or_none(agent.given.get("name"))
        return name if isinstance(name, str) and name.strip() else agent.variable or agent.written

    def place(self, agent: ClassicAgent) -> Location:
        return self.script.place(agent.call)

    def text_or_none(self, node: ast.expr | None) -> str | None:
        value = self.script.value_or_none(node)
        return value if isinstance(value, str) else None

    def number_or_none(self, node: ast.expr | None) -> int | None:
        """A whole number that is not negative and not beyond all sense."""
        value = self.script.value_or_none(node)
        return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10_000 else None


def receiver(call: ast.Call) -> ast.expr | None:
    """What a method is called on."""
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def is_off(node: ast.expr | None) -> bool:
    """Whether a setting is absent, None or False."""
    return node is None or (isinstance(node, ast.Constant) and (node.value is None or node.value is False))


def _plain_entries(node: ast.expr) -> dict[str, ast.expr]:
    if not isinstance(node, ast.Dict):
        return {}
    pairs = zip(node.keys, node.values, strict=True)
    return {key.value: value for key, value in pairs if isinstance(key, ast.Constant) and isinstance(key.value, str)}


def _kind(base: str) -> Kind:
    if base == SOCIETY:
        return "SocietyOfMindAgent"
    if "UserProxy" in base:
        return "UserProxyAgent"
    return "AssistantAgent" if base.endswith("AssistantAgent") else "ConversableAgent"


def _in_order(tree: ast.Module) -> list[ast.AST]:
    """Everything of a module, in the order in which it stands there."""
    found = list(ast.walk(tree))
    return sorted(found, key=lambda each: (getattr(each, "lineno", 0), getattr(each, "col_offset", 0)))
