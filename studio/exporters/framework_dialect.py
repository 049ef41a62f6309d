"""What scripts for other frameworks share: secrets from the environment, and a word on all that is left out."""

from __future__ import annotations

from collections import defaultdict
from typing import ClassVar, cast

from pydantic import BaseModel

from studio.code.conversion import Report
from studio.code.dialect import Dialect
from studio.code.layout import Expression, Name, Text, quoted
from studio.code.names import Imports
from studio.components import Component, is_reference, walk
from studio.components.secrets import placeholders_in, variable_of
from studio.conditions import AndTerminationCondition, OrTerminationCondition
from studio.exporters.parts import name_of_part, owner_of, place
from studio.exporters.refusals import CannotExport

_HOLD_SECRETS = frozenset(("headers", "default_headers", "env", "args", "url", "base_url", "host", "azure_endpoint"))
"""Fields whose texts may name secrets in braces."""


class FrameworkDialect(Dialect):
    """The words of another framework; what it lacks is left out, noted in the report and said in a comment."""

    framework: ClassVar[str] = ""
    """As sentences name it."""
    any_import = True  # a framework imports what a tool needs as soon as it makes it
    keeps_notes = False

    def __init__(self, component: Component, report: Report) -> None:
        self.report = report
        self.parts = dict(walk(component))
        self._comments: defaultdict[str, list[str]] = defaultdict(list)
        for where, part in self.parts.items():
            self.check(part, where)
            if part.label != type(part).__name__ and part.label != getattr(part, "name", None):
                self.comment(where, f"Label: {part.label}")

    # --- each framework says ---

    def check(self, part: Component, where: str) -> None:
        """Refuse what the framework refuses, and note what is not in a field."""

    def is_lacking_class(self, cls: type[Component]) -> bool:
        """Whether the framework has nothing that a part of this class could be."""
        raise NotImplementedError

    def reason_for(self, cls: type, owner: BaseModel, field: str = "") -> str:
        """Why something is left out: a field of the owner, or a part of a class that the framework lacks."""
        raise NotImplementedError

    # --- what there is ---

    def is_lacking(self, part: Component) -> bool:
        """Whether the framework has nothing that a part could be; of joined conditions, of all of them."""
        if isinstance(part, AndTerminationCondition | OrTerminationCondition):
            return all(map(self.is_lacking, part.conditions))
        return self.is_lacking_class(type(part))

    def has(self, value: object, where: str) -> bool:
        if not isinstance(value, Component) or not self.is_lacking(value):
            return True
        is_participant = where.rpartition("/config/")[2].startswith("participants/")
        self.drop_part(value, self.parts[owner_of(where)], where, is_needed=is_participant)
        return False

    def cannot(self, part: Component, where: str) -> CannotExport:
        """Why there is no script of a team with this part."""
        return CannotExport(
            f"{self.framework} has no {type(part).__name__}, so it cannot have {name_of_part(part)}.",
            fix="Replace it, or export for another target.",
            where=where,
        )

    def drop_part(self, part: Component, owner: BaseModel, where: str, *, is_needed: bool = False) -> None:
        """Leave a part out.

        Raises:
            CannotExport: Its owner is nothing without it.
        """
        if is_needed:
            raise self.cannot(part, where)
        self.drop(where, owner_of(where), name_of_part(part), self.reason_for(type(part), owner))

    def drop_field(self, owner: BaseModel, name: str, where: str) -> None:
        """Leave a field out."""
        at = where.removesuffix(f"/{name}")
        at = at.removesuffix("/config") if isinstance(owner, Component) else at
        self.drop(where, at, f"{name_of_part(owner)}: {name}", self.reason_for(type(owner), owner, name))

    def drop(self, where: str, owner: str, what: str, why: str) -> None:
        """Note that something is left out, and say it above the arguments of its owner."""
        self.report.add("dropped", place(where), what, why)
        self.comment(owner, f"Left out: {what}. {why}")

    # --- how it is written ---

    def secret(self, reference: str, where: str, imports: Imports) -> Expression:
        imports.modules.add("os")
        scheme, _, name = reference.partition(":")
        if scheme == "env":
            return Name(f"os.environ[{quoted(name)}]")
        variable = variable_of(name).removeprefix("STUDIO_SECRET_")
        why = "The studio's store is not there; the script reads an environment variable instead."
        self.report.add("asked", place(where), f"Secret {name}", why, fix=f"Set {variable}.", became=variable)
        return Name(f"os.environ[{quoted(variable)}]")

    def text(self, value: str, where: str, imports: Imports) -> Expression:
        if _HOLD_SECRETS.isdisjoint(where.split("/")):
            return Text(value)
        if is_reference(value):
            return self.secret(value, where, imports)
        pieces: list[str] = []
        rest = value
        for reference in placeholders_in(value):
            before, _, rest = rest.partition(f"{{{reference}}}")
            secret = cast("Name", self.secret(reference, where, imports))
            pieces += [*([quoted(before)] if before else []), secret.text]
        pieces += [quoted(rest)] if rest and pieces else []
        return Name(" + ".join(pieces)) if pieces else Text(value)

    def comment(self, where: str, text: str) -> None:
        """Say something above the arguments of a call."""
        self._comments[where].append(text)

    def comments(self, where: str) -> tuple[str, ...]:
        return tuple(self._comments.pop(where, ()))
