"""Which tool calls of a run go on by themselves, which are refused, and which a person is asked about."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, JsonValue

from studio.components.patterns import MAX_STEPS_AT_ONCE, checked, compiled
from studio.effects import canonical_json

RuleVerdict = Literal["ask", "allow", "deny"]
MAX_CHARACTERS = 20_000
"""Of an argument or a message that is compared with a pattern."""
MAX_RULES = 200
MAX_MARKS = 50_000
MAX_PATTERNS = 50
"""Of all rules or breakpoints together: they share the steps that are taken at once."""


ToolName = Annotated[str, Field(min_length=1, max_length=200)]
"""`*` and `?` stand for any text and any character."""


STORED: Final = {"is_stored": True}
"""The context in which rules and breakpoints are read that were kept before: what only newer studios refuse in them
stays in force as something that cannot be told, rather than to be dropped or to take pages down."""


def check_pattern(pattern: str, context: object) -> None:
    """Refuse what is no pattern, unless it was kept before."""
    if context != STORED:
        checked(pattern)


def check_count(count: int, context: object) -> None:
    """Refuse so many patterns that each of them could look at little, unless they were kept before."""
    if count > MAX_PATTERNS and context != STORED:
        raise ValueError(f"There are {count} regular expressions; up to {MAX_PATTERNS} are allowed together.")


class ArgumentTest(BaseModel):
    """Something that an argument of a call must be. An argument inside others is named `outer.inner`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    argument: Annotated[str, Field(min_length=1, max_length=200)]
    test: Literal["equals", "starts_with", "inside", "matches"] = "equals"
    """`inside`: a path in this folder, after `..` is worked out. `matches`: all of it fits the regular expression."""
    value: Annotated[str, Field(max_length=2_000)]

    def model_post_init(self, context: object) -> None:
        if self.test == "matches":
            check_pattern(self.value, context)

    def matches(self, arguments: Mapping[str, JsonValue], max_steps: int = MAX_STEPS_AT_ONCE) -> bool | None:
        """Whether the arguments are so; None when it cannot be told."""
        found = _found(arguments, self.argument)
        if found is None:
            return False
        text = found if isinstance(found, str) else canonical_json(found)
        match self.test:
            case "equals":
                return text == self.value
            case "starts_with":
                return text.startswith(self.value)
            case "inside":
                return _is_inside(text, self.value)
            case "matches":
                return _fits(self.value, text, max_steps)


class ToolRule(BaseModel):
    """What happens with the calls of a tool whose arguments pass all tests."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: ToolName
    when: Annotated[tuple[ArgumentTest, ...], FailFast(), Field(max_length=20)] = ()
    verdict: RuleVerdict = "ask"
    reason: Annotated[str, Field(max_length=2_000)] = ""
    """What the agent reads when the call is refused."""
    exactly: bool = False
    """Whether it is about calls that name no other arguments than its tests do."""

    @property
    def pattern_count(self) -> int:
        return sum(test.test == "matches" for test in self.when)

    def applies(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue],
        max_steps: int = MAX_STEPS_AT_ONCE,
        named: Collection[str] | None = None,
    ) -> bool:
        """Whether the call is one of these. Where that cannot be told, all but a permission applies.

        Args:
            tool: Its name.
            arguments: What is tested.
            max_steps: How much a pattern may look at.
            named: The arguments that the model named, when others were added since.
        """
        if not fnmatchcase(tool, self.tool):
            return False
        if self.exactly and not {test.argument for test in self.when}.issuperset(arguments if named is None else named):
            return False
        found = [test.matches(arguments, max_steps) for test in self.when]
        return False not in found and (None not in found or self.verdict != "allow")


class ToolPolicy(BaseModel):
    """The rules of a team, in order: the first that applies decides."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rules: Annotated[tuple[ToolRule, ...], FailFast(), Field(max_length=MAX_RULES)] = ()
    otherwise: RuleVerdict = "allow"
    timeout_s: Annotated[float | None, Field(ge=0, le=31_536_000)] = None
    """How long a person has; None waits forever."""
    on_timeout: Literal["allow", "deny"] = "deny"
    repeatable: Annotated[tuple[ToolName, ...], Field(max_length=MAX_RULES)] = ()
    """Tools that may run again when nobody knows whether they ran, as after the server was killed."""
    known: Annotated[tuple[str, ...] | None, Field(max_length=MAX_MARKS)] = None
    """The tools that the team had when an approver last decided about them; see `team_tools`. What another name, source
    or server makes of them is asked about. None for rules that were set before this was kept."""

    def model_post_init(self, context: object) -> None:
        check_count(self._pattern_count, context)

    @property
    def _pattern_count(self) -> int:
        return sum(rule.pattern_count for rule in self.rules)

    def may_repeat(self, tool: str) -> bool:
        """Whether a call that was broken off is made again without asking."""
        return any(fnmatchcase(tool, name) for name in self.repeatable)

    @property
    def is_idle(self) -> bool:
        """Whether every call goes on by itself."""
        return self.otherwise == "allow" and all(rule.verdict == "allow" for rule in self.rules)

    def always_allows(self, tool: str) -> bool:
        """Whether all calls of a tool go on by themselves, whatever their arguments."""
        for rule in self.rules:
            if fnmatchcase(tool, rule.tool):
                if rule.verdict != "allow":
                    return False
                if not rule.when and not rule.exactly:
                    return True
        return self.otherwise == "allow"

    def decision(
        self, tool: str, arguments: Mapping[str, JsonValue], named: Collection[str] | None = None
    ) -> tuple[RuleVerdict, str]:
        """What happens with a call, and the reason that the rule gives; see `ToolRule.applies`."""
        max_steps = MAX_STEPS_AT_ONCE // max(1, self._pattern_count)
        for rule in self.rules:
            if rule.applies(tool, arguments, max_steps, named):
                return rule.verdict, rule.reason
        return self.otherwise, ""


def _fits(value: str, text: str, max_steps: int) -> bool | None:
    try:
        pattern = compiled(value, dot_all=True)  # a line break in an argument must not lead past a rule
    except ValueError:
        return None
    is_short = len(text) <= MAX_CHARACTERS and pattern.steps(text) <= max_steps
    return pattern.fits(text) if is_short else None


def _found(arguments: Mapping[str, JsonValue], name: str) -> JsonValue:
    """The argument of that name; None when there is none."""
    if name in arguments:
        return arguments[name]
    outer, _, inner = name.partition(".")
    within = arguments.get(outer)
    return _found(within, inner) if inner and isinstance(within, dict) else None


def _is_inside(path: str, folder: str) -> bool | None:
    """By the text alone; where links in the file system lead cannot be seen from it.

    Returns:
        None of a path with a null character: some programs end it there, others refuse it.
    """
    if "\0" in path:
        return None
    place, home = (posixpath.normpath(text.replace("\\", "/")) for text in (path, folder))
    if home == ".":
        return not place.startswith(("/", ".."))
    return place == home or place.startswith(home.rstrip("/") + "/")
