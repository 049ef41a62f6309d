"""When a team of Agent Framework ends: its function over the messages, read for what it compares."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from studio.components import JsonObject
from studio.importers.components import component
from studio.importers.framework_script import FrameworkScript

MAX_MESSAGES = 100_000


@dataclass(frozen=True)
class Ending:
    """The condition that a function is.

    Args:
        condition: A component; None where it is not read.
        why: What differs, as sentences; empty where nothing does.
    """

    condition: JsonObject | None
    why: str = ""


def ending_of(framework: FrameworkScript, node: ast.expr) -> Ending:
    """The condition that a lambda or a function is, which is read and not called."""
    resolved = framework.resolved(node)
    body = resolved.body if isinstance(resolved, ast.Lambda) else framework.returned(framework.function_of(resolved))
    return _read(framework, body) if body is not None else Ending(None)


def _read(framework: FrameworkScript, node: ast.expr) -> Ending:
    match node:
        case ast.BoolOp(op=ast.Or(), values=values):
            parts = [_read(framework, each) for each in values]
            conditions = [each.condition for each in parts if each.condition is not None]
            if len(conditions) < len(parts):
                return Ending(None)
            return Ending(either(conditions), " ".join(dict.fromkeys(each.why for each in parts if each.why)))
        case ast.BoolOp(op=ast.And(), values=values):
            parts = [_read(framework, each) for each in values if not _is_guard(each)]
            return parts[0] if len(parts) == 1 else Ending(None)
        case ast.Call(func=ast.Name(id="bool"), args=[inner]):
            return _read(framework, inner)
        case ast.Call(func=ast.Name(id="any"), args=[ast.GeneratorExp(elt=inner)]):
            return _read(framework, inner)
        case ast.Compare(left=left, ops=[ast.In()], comparators=[where]):
            return _mention(framework, left, where)
        case ast.Compare(left=left, ops=[ast.GtE() | ast.Gt() | ast.Eq() as how], comparators=[right]):
            number = framework.number(right)
            return _count(left, number + isinstance(how, ast.Gt)) if number is not None else Ending(None)
        case _:
            return Ending(None)


def _is_guard(node: ast.expr) -> bool:
    """Whether it only asks whether there is a message at all."""
    match node:
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return True
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len")),
            ops=[ast.Gt() | ast.GtE() | ast.NotEq()],
            comparators=[ast.Constant(value=0 | 1)],
        ):
            return True
        case ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
        case _:
            return False


def _mention(framework: FrameworkScript, left: ast.expr, where: ast.expr) -> Ending:
    value = framework.text(left)
    names = {each.attr for each in ast.walk(where) if isinstance(each, ast.Attribute)}
    if not value or "text" not in names:
        return Ending(None)
    made = component("autogen_agentchat.conditions.TextMentionTermination", text=value)
    is_folded = bool(names & {"lower", "upper", "casefold"})
    return Ending(made, "Upper and lower case count here." if is_folded else "")


def _count(left: ast.expr, number: int) -> Ending:
    """A number of messages: of all, or of those that agents said."""
    if number > MAX_MESSAGES:
        return Ending(None)
    match left:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name()]):
            return Ending(_messages(number))
        case ast.Call(func=ast.Name(id="sum" | "len"), args=[ast.GeneratorExp() | ast.ListComp() as counted]):
            tests = [each for part in counted.generators for each in part.ifs]
            if len(tests) == 1 and _is_answer(tests[0]):
                return Ending(_messages(number + 1), "The task is counted as one more message.")
            return Ending(None)
        case _:
            return Ending(None)


def _is_answer(node: ast.expr) -> bool:
    """Whether it asks that an agent said a message, and nothing else."""
    return isinstance(node, ast.Compare) and ast.unparse(node).endswith(".role == 'assistant'")


def _messages(number: int) -> JsonObject:
    return component("autogen_agentchat.conditions.MaxMessageTermination", max_messages=number)


def either(conditions: list[JsonObject]) -> JsonObject:
    """Met where one of these is."""
    if len(conditions) == 1:
        return conditions[0]
    return component("autogen_agentchat.base.OrTerminationCondition", conditions=[*conditions])
