"""What agents tell their authors: what their models cannot do, and which of their tools are called alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from studio.agents.handoff import Handoff
from studio.components import Advice
from studio.errors import Finding, Fix
from studio.models import ChatCompletionClient
from studio.tools import BaseTool, StaticWorkbench, Workbench
from studio.tools.overrides import shown

MODEL_WITHOUT_TOOLS = Advice("model_without_tools", "An agent has tools, and its model does not call any.")
MODEL_WITHOUT_VISION = Advice("model_without_vision", "An agent looks at pictures, and its model does not read any.")
MODEL_WITHOUT_SCHEMA = Advice(
    "model_without_schema", "An agent's answers must follow a schema, and its model does not promise that."
)
SAME_TOOL_NAME = Advice("same_tool_name", "Two tools of an agent have one name; the model only ever gets the first.")
SAME_HANDOFF = Advice("same_handoff", "An agent hands over to the same name in two ways.")

MODEL = "/config/model_client"


def lacks(client: ChatCompletionClient, ability: str) -> bool:
    """Whether a model is known not to be able to do something; `ability` as in `ModelInfo`."""
    return not client.is_opaque and not client.info.get(ability)


def on_model(client: ChatCompletionClient, *, calls_tools: bool, follows_schema: bool) -> Iterator[Finding]:
    """What a model is asked for and cannot do."""
    fix = "Choose another model, or say in its abilities that it does."
    if calls_tools and lacks(client, "function_calling"):
        yield MODEL_WITHOUT_TOOLS("The model does not call tools, and this agent has some.", fix, MODEL)
    if follows_schema and lacks(client, "structured_output"):
        yield MODEL_WITHOUT_SCHEMA("The model cannot answer by a schema, which this agent demands.", fix, MODEL)


def on_tools(
    tools: Sequence[BaseTool], workbenches: Sequence[Workbench], handoffs: Sequence[Handoff]
) -> Iterator[Finding]:
    """Which tools the model cannot tell apart; of those with one name in `tools` loading tells, as an error."""
    taken = {tool.schema["name"]: "a tool of this agent" for tool in tools if not tool.is_opaque}
    taken.update({handoff.name: f"the handoff to {handoff.target}" for handoff in handoffs})
    for place, workbench in enumerate(workbenches):
        if workbench.is_opaque or not isinstance(workbench, StaticWorkbench):
            continue
        for index, tool in enumerate(workbench.tools):
            if tool.is_opaque:
                continue
            name = shown(tool.schema, workbench.tool_overrides)["name"]
            if name in taken:
                message = f"The tool `{name}` has the same name as {taken[name]}; only one of them is ever called."
                where = f"/config/workbench/{place}/config/tools/{index}"
                yield SAME_TOOL_NAME(message, "Rename one of them.", where)
            taken.setdefault(name, "a tool of a workbench before it" if place else "another tool of this workbench")


def on_handoffs(handoffs: Sequence[Handoff]) -> Iterator[Finding]:
    """To whom an agent hands over twice."""
    seen: set[str] = set()
    for index, handoff in enumerate(handoffs):
        if handoff.target in seen:
            left = [each.model_dump(mode="json") for place, each in enumerate(handoffs) if place != index]
            yield SAME_HANDOFF(
                f"This agent can hand over to `{handoff.target}` in two ways, which the model may mix up.",
                "Keep one of them, or say in their descriptions when each is right.",
                f"/config/handoffs/{index}",
                [Fix(f"Remove this handoff to {handoff.target}", "/config/handoffs", left)],
            )
        seen.add(handoff.target)
