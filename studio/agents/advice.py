"""What agents tell their authors: what their models cannot do, and which of their tools are called alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from studio.agents.handoff import Handoff
from studio.components import Advice
from studio.errors import Finding, Fix
from studio.models import ChatCompletionClient
from studio.tools import BaseTool, StaticWorkbench, Workbench
from studio.tools.overrides import shown

MODEL_WITHOUT_TOOLS = Advice(
    "model_without_tools", "An agent has tools, but its model does not support function calling."
)
MODEL_WITHOUT_VISION = Advice(
    "model_without_vision", "An agent works with images, but its model does not support vision."
)
MODEL_WITHOUT_SCHEMA = Advice(
    "model_without_schema", "An agent requires structured output, but its model does not support it."
)
SAME_TOOL_NAME = Advice("same_tool_name", "Two tools of an agent have the same name; the model gets only the first.")
SAME_HANDOFF = Advice("same_handoff", "An agent has two handoffs to the same target.")

MODEL = "/config/model_client"


def lacks(client: ChatCompletionClient, ability: str) -> bool:
    """Whether a model is known not to be able to do something; `ability` as in `ModelInfo`."""
    return not client.is_opaque and not client.info.get(ability)


def on_model(client: ChatCompletionClient, *, calls_tools: bool, follows_schema: bool) -> Iterator[Finding]:
    """What a model is asked for and cannot do."""
    fix = "Choose another model, or change its “Model capabilities”."
    if calls_tools and lacks(client, "function_calling"):
        yield MODEL_WITHOUT_TOOLS("This agent has tools, but its model does not support function calling.", fix, MODEL)
    if follows_schema and lacks(client, "structured_output"):
        yield MODEL_WITHOUT_SCHEMA(
            "This agent requires structured output, but its model does not support it.", fix, MODEL
        )


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
                message = f"The tool `{name}` has the same name as {taken[name]}; only one of them can be called."
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
                f"This agent has two handoffs to `{handoff.target}`; the model may confuse them.",
                "Keep one of them, or describe when to use each.",
                f"/config/handoffs/{index}",
                [Fix(f"Remove this handoff to {handoff.target}", "/config/handoffs", left)],
            )
        seen.add(handoff.target)
