"""Agents and workflows in the YAML of Microsoft Agent Framework."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from studio.errors import InvalidDocument
from studio.importers.bundle import Bundle
from studio.importers.parts import MAX_LENGTH, Budget, Part, json_part, yaml_part

_KIND = re.compile(
    r"""^[ \t{]*["']?kind["']?[ \t]*:[ \t]*["']?(?:Prompt|Workflow)["']?[ \t]*,?[ \t\r]*$""", re.MULTILINE
)
_ACTIONS = re.compile(r"^actions[ \t]*:", re.MULTILINE)
_ACTION = re.compile(
    r"^[ \t]*-[ \t]+\{?[ \t]*kind[ \t]*:[ \t]*(?:SetValue|SetVariable|SendActivity|InvokeAzureAgent|InvokeFunctionTool|"
    r"InvokeMcpTool|HttpRequestAction|Question|ConditionGroup|If|Foreach)\b",
    re.MULTILINE,
)


@dataclass
class FrameworkFiles:
    """The documents of a bundle.

    Args:
        agents: Those of the kind `Prompt`, by their names; the first of each name.
        workflows: In the order of the files.
    """

    bundle: Bundle
    agents: dict[str, Part] = field(default_factory=dict[str, Part])
    workflows: list[Part] = field(default_factory=list[Part])

    def __post_init__(self) -> None:
        budget = Budget()
        for name, text in self.bundle.named(".yaml", ".yml", ".json"):
            if not is_framework_text(text):
                continue
            root = (json_part if name.lower().endswith(".json") else yaml_part)(name, text, budget)
            if text_of(root, "kind") == "Prompt":
                self.agents.setdefault(text_of(root, "name") or "agent", root)
            elif actions_of(root) is not None:
                self.workflows.append(root)

    def require_any(self) -> None:
        """Refuse files that hold neither.

        Raises:
            InvalidDocument: There is neither an agent nor a workflow.
        """
        if not self.agents and not self.workflows:
            raise InvalidDocument(
                "The files hold neither an agent nor a workflow of Agent Framework.",
                fix="Choose a file with `kind: Prompt`, or one with `actions`.",
            )


def is_agent_framework(bundle: Bundle) -> bool:
    """Whether a bundle has a document of Agent Framework."""
    texts = (text for _, text in bundle.named(".yaml", ".yml", ".json") if len(text) <= MAX_LENGTH)
    return any(is_framework_text(text) for text in texts)


def is_framework_text(text: str) -> bool:
    """Whether a text looks like an agent or a workflow of Agent Framework."""
    return _KIND.search(text) is not None or (_ACTIONS.search(text) is not None and _ACTION.search(text) is not None)


def actions_of(root: Part) -> Part | None:
    """The actions of a workflow; None where it is none."""
    found = root.get("trigger", "actions") or root.get("actions")
    return found if found is not None and found.items is not None else None


def text_of(part: Part, *names: str) -> str:
    found = part.get(*names)
    return found.text if found is not None else ""


def items_of(part: Part, *names: str) -> Iterator[Part]:
    """The objects of a list of a part."""
    found = part.get(*names)
    yield from (each for each in (found.all_of() if found is not None else ()) if each.entries is not None)
