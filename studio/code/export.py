"""A component as a Python script that a person would write, and that builds an equal component."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from studio.code.dialect import Dialect
from studio.code.functions import FunctionSource, read_function
from studio.code.layout import INDENT, LINE_LENGTH, Call, Expression, Name, laid_out, one_line
from studio.code.names import Imports, Names, snake_case
from studio.code.notes import Notes, notes_of
from studio.code.values import Values
from studio.components import Component, walk
from studio.components.python_text import bounded_together
from studio.effects import canonical_json
from studio.errors import ConfigError
from studio.tools import FunctionTool

SHORT_CALL = 60
"""Characters up to which a component is written where it is used; longer ones get a variable."""

_STATELESS = frozenset(("model", "tool"))
"""Component types whose instances remember nothing of a run, so that equal ones may be one variable."""
_BUILDERS = {"team": "build_team", "agent": "build_agent"}
OURS = Dialect()


def export_python(component: Component) -> str:
    """Write a component as a script.

    The script's `build_team()` (`build_agent()`, `build_component()`) gives a component whose JSON is the same; run
    as a program, it runs the team.

    Raises:
        ConfigError: A part is opaque, so that nobody knows its class, or a value cannot be written down.
    """
    return script_of(component, OURS)


def script_of(component: Component, dialect: Dialect) -> str:
    """Write a component as a script in these words.

    Raises:
        ConfigError: A part is opaque, so that nobody knows its class, or a value cannot be written down.
    """
    for where, part in walk(component):
        if part.is_opaque:
            raise ConfigError(
                f"{part.label!r} is not installed, so it cannot be written as Python.",
                fix="Remove it, or replace it with a component from the palette.",
                where=where,
            )
    with bounded_together():
        return _Script(component, dialect).text()


class _Script:
    """One script in the making: statements are added as parts are written, parts before what holds them."""

    def __init__(self, component: Component, dialect: Dialect) -> None:
        self._component = component
        self._dialect = dialect
        self._builder = _BUILDERS.get(component.component_type, "build_component")
        self._names = Names(self._builder, "main", "task", "NOTES", "annotations", *dialect.modules, *dialect.names)
        self._imports = Imports(self._names, dialect.place_of)
        self._values = Values(self._imports, self._write, self._assign, dialect)
        self._parents = [component]
        self._statements: list[tuple[str, Expression]] = []
        self._inner_builders: list[str] = []
        self._functions: dict[str, FunctionSource] = {}
        self._bound = dict(dialect.modules)
        self._shared: dict[str, Name] = {}
        self._uses = Counter(_key(part) for _, part in walk(component) if _is_stateless(part))
        different = {_key(part) if _is_stateless(part) else where: _slot_in(where) for where, part in walk(component)}
        self._same_slot = Counter(different.values())
        for package, name in dialect.imported:
            self._imports.keep(package, name)
        for _, part in walk(component):
            self._imports.reserve(type(part))

    # --- parts ---

    def _write(self, part: Component, where: str, slot: str) -> Expression:
        key = _key(part) if _is_stateless(part) else ""
        if key in self._shared:
            return self._shared[key]
        if part.component_type == "team" and self._dialect.builds_inner_teams:
            return self._inner_builder(part, where, slot)
        call = self._call(part, where)
        if self._is_inline(part, call, self._uses[key]):
            return call
        variable = self._assign(self._variable_name(part, slot, is_shared=self._uses[key] > 1), call)
        if key:
            self._shared[key] = variable
        return variable

    def _assign(self, name: str, value: Expression) -> Name:
        variable = Name(self._names.claim(name))
        self._statements.append((variable.text, value))
        return variable

    def _inner_builder(self, team: Component, where: str, slot: str) -> Name:
        """A function that makes a team; what stands around it is not seen from there."""
        builder = Name(self._names.claim(f"build_{self._variable_name(team, slot)}"))
        around = self._statements, self._shared
        self._statements, self._shared = [], {}
        self._inner_builders.append(self._builder_block(builder.text, team, self._call(team, where), has_notes=False))
        self._statements, self._shared = around
        return builder

    def _call(self, part: Component, where: str) -> Call:
        self._parents.append(part)
        arguments = self._values.arguments(part, f"{where}/config")
        self._parents.pop()
        name = self._imports.name_of(type(part))
        if isinstance(part, FunctionTool) and (function := self._define(part)):
            call = self._dialect.function_tool(name, function, arguments)
        else:
            call = self._dialect.call(name, part, arguments, where, self._values)
        return replace(call, comments=self._dialect.comments(where))

    def _is_inline(self, part: Component, call: Call, uses: int) -> bool:
        """Whether a part is written where it is used, instead of getting a variable."""
        kind = part.component_type
        if self._dialect.needs_variable(part):
            return False
        if uses > 1 or kind in _STATELESS or kind in _BUILDERS:
            return False
        return kind == self._parents[-1].component_type or len(one_line(call)) <= SHORT_CALL

    def _variable_name(self, part: Component, slot: str, *, is_shared: bool = False) -> str:
        """A part's own name; else its slot's, after its owner where several have such a slot; else its class's."""
        kind = type(part).__name__
        own = str(getattr(part, "name", None) or "")
        name = snake_case(own or kind)
        if part.component_type == "tool":
            return name if name.endswith("tool") else f"{name}_tool"
        if part.component_type in _BUILDERS:
            return name if own != kind else part.component_type
        if not slot or slot.endswith("s"):
            return snake_case(kind)
        owner = str(getattr(self._parents[-1], "name", None) or "")
        is_one_of_several = self._same_slot[slot] > 1 and not is_shared and self._parents[-1] is not self._component
        return f"{snake_case(owner)}_{slot}" if is_one_of_several and owner else slot

    def _define(self, tool: FunctionTool) -> FunctionSource | None:
        """Put a tool's function into the script; None where it must stay text."""
        config = tool.dump_component()["config"]
        assert isinstance(config, dict)
        imports = config.get("global_imports", [])
        function = read_function(tool.source_code, imports, any_import=self._dialect.any_import)
        if function is None or function.wants_token != tool.has_cancellation_support:
            return None
        if function.name in self._functions:
            return function if self._functions[function.name] == function else None
        binds = dict(function.bindings)
        is_bound_otherwise = any(self._bound.get(name, statement) != statement for name, statement in binds.items())
        new_names = [function.name, *(name for name in binds if name not in self._bound)]
        is_taken = len({*new_names}) < len(new_names) or not all(map(self._names.is_free, new_names))
        if is_bound_otherwise or is_taken:
            return None
        for name in new_names:
            self._names.claim(name)
        self._bound.update(binds)
        self._functions[function.name] = function
        return function

    # --- the script ---

    def text(self) -> str:
        """The whole script."""
        is_runnable = self._component.component_type in _BUILDERS
        root = self._call(self._component, "")
        notes = notes_of(self._component) if self._dialect.keeps_notes else {}
        builder = self._builder_block(self._builder, self._component, root, has_notes=bool(notes))
        blocks = [*self._dialect.blocks(), *self._inner_builders, builder]
        blocks += [self._notes_block(notes)] if notes else []
        if is_runnable:
            for package, name in self._dialect.run_needs:
                self._imports.use(package, name)
        blocks.append((self._dialect.run if is_runnable else self._dialect.show).format(builder=self._builder))
        functions = [function.source.rstrip("\n") for function in self._functions.values()]
        return "\n\n\n".join([self._head(is_runnable=is_runnable), *functions, *blocks]) + "\n"

    def _builder_block(self, builder: str, part: Component, root: Call, *, has_notes: bool) -> str:
        lines = [f"def {builder}() -> {self._dialect.made(root.function, part, self._imports)}:"]
        lines += [
            INDENT + laid_out(value, indent=INDENT, before=f"{variable} = ") for variable, value in self._statements
        ]
        if has_notes:
            name = self._names.claim(self._variable_name(self._component, ""))
            lines.append(INDENT + laid_out(root, indent=INDENT, before=f"{name} = "))
            lines.append(f"{INDENT}return {self._imports.use('studio.code', 'with_notes')}({name}, NOTES)")
        else:
            lines.append(INDENT + laid_out(root, indent=INDENT, before="return "))
        return "\n".join(lines)

    def _notes_block(self, notes: dict[str, Notes]) -> str:
        kind = self._imports.use("studio.code", "Notes")
        value = laid_out(self._values.expression(notes, ""), before=f"NOTES: dict[str, {kind}] = ")
        return f"{NOTES_COMMENT}\n{value}"

    def _head(self, *, is_runnable: bool) -> str:
        modules = self._dialect.run_modules if is_runnable else self._dialect.show_modules
        ours = {self._dialect.modules[module] for module in {*modules, *self._imports.modules}}
        theirs = {statement for name, statement in self._bound.items() if name not in self._dialect.modules}
        # Without this, a tool's annotations would be evaluated where the script only wants to name them.
        future = ["from __future__ import annotations", ""] if self._functions else []
        standard = _joined_imports(ours | theirs)
        standard = [*standard, ""] if standard else []
        first = _docstring(self._component, self._dialect.foreword())
        return "\n".join([first, "", *future, *standard, *self._imports.lines()])


NOTES_COMMENT = "# Labels and notes of the parts, by place: shown on the canvas, without effect on a run."


def _key(part: Component) -> str:
    return canonical_json(part.dump_component())


def _slot_in(where: str) -> str:
    """The field that a JSON pointer leads to, whatever the place in its list."""
    return next((step for step in reversed(where.split("/")) if not step.isdigit()), "")


def _is_stateless(part: Component) -> bool:
    return all(inner.component_type in _STATELESS for _, inner in walk(part))


def _docstring(component: Component, foreword: Sequence[str]) -> str:
    """The label, and what is to be said first; nothing in it can end the string."""
    has_label = component.label != type(component).__name__
    name = component.label if has_label else str(getattr(component, "name", None) or component.label)
    title = f"{_plain(name)}, exported from Team Studio."
    paragraphs = [textwrap.fill(_plain(each), LINE_LENGTH, subsequent_indent="  ") for each in foreword]
    said = "\n".join([title, "", *paragraphs, ""] if paragraphs else [title])
    return '"""' + said.replace("\\", "\\\\").replace('"', "'") + '"""'


def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _joined_imports(statements: set[str]) -> list[str]:
    """Import statements in order, those from one module as one."""
    plain = sorted(statement for statement in statements if statement.startswith("import "))
    chosen = sorted(statement for statement in statements if not statement.startswith("import "))
    lines = list(plain)
    for head, group in groupby(chosen, key=lambda statement: statement.partition(" import ")[0]):
        lines.append(f"{head} import {', '.join(statement.partition(' import ')[2] for statement in group)}")
    return lines
