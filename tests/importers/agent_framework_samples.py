"""An agent and a workflow in the YAML of Agent Framework. They are written for these tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent

from tests.importers.samples import Said

CLERK = """\
kind: Prompt
name: Clerk
description: Sells bread.
instructions: Sell bread.
model:
  id: gpt-4.1-mini
  provider: OpenAI
  options: {temperature: 0.5, topP: 0.9}
  connection: {kind: ApiKey, key: sk-secret-of-the-file}
tools:
  - {kind: mcp, name: shop, url: https://shop.example/mcp, allowedTools: [find]}
  - kind: function
    name: price
    description: Tells a price.
    parameters: {properties: {item: {type: string, required: true}}}
outputSchema:
  properties:
    IsSold: {type: boolean, required: true}
    text: {kind: string, description: What is said.}
"""
WORKFLOW = """\
kind: Workflow
trigger:
  kind: OnConversationStart
  id: shop
  actions:
    - {kind: SetVariable, id: first, variable: Local.Count, value: =Local.Count + 1}
    - kind: InvokeAzureAgent
      id: ask_clerk
      agent: {name: Clerk}
      output: {responseObject: Local.Sale}
    - kind: ConditionGroup
      id: sold
      conditions:
        - condition: =Local.Sale.IsSold And Not(IsBlank(Local.Sale.text))
          actions:
            - {kind: SendActivity, activity: "Sold, {Local.Sale.text}."}
            - {kind: EndWorkflow, id: done}
        - condition: =Local.Count < 3
          actions:
            - {kind: GotoAction, actionId: first}
      elseActions:
        - {kind: SendActivity, activity: '=Concat("Tries: ", Local.Count)'}
"""


@dataclass(frozen=True)
class FrameworkSample:
    """A workflow that is run there and here.

    Args:
        agents: The YAML of each agent, by its name.
        answers: What the model of an agent says, by a text of its instructions.
    """

    name: str
    workflow: str
    agents: Mapping[str, str]
    answers: Mapping[str, Sequence[str | Said]]
    task: str = "Bread?"

    @property
    def files(self) -> Mapping[str, str]:
        return {"workflow.yaml": self.workflow} | {f"{name}.yaml": text for name, text in self.agents.items()}


def prompt(name: str, instructions: str, more: str = "") -> str:
    return f"kind: Prompt\nname: {name}\ninstructions: {instructions}\n{more}"


def flow(name: str, actions: str) -> str:
    return f"kind: Workflow\nname: {name}\ntrigger:\n  kind: OnConversationStart\n  id: {name}\n  actions:\n" + indent(
        actions, "    "
    )


COOKS = {name: prompt(name, f"You {word}.") for name, word in (("Cook", "cook"), ("Baker", "bake"))}
SORTER = prompt("Sorter", "You sort.", "outputSchema:\n  properties:\n    category: {type: string, required: true}\n")


def invoke(agent: str, more: str = "") -> str:
    return f"- {{kind: InvokeAzureAgent, id: ask_{agent.lower()}, agent: {{name: {agent}}}{more}}}\n"


SAID = {"You cook.": ["Fry it."], "You bake.": ["Bake it."]}
SORTS = {"Sorter": SORTER, **COOKS}
BY_FIELD = """\
- {kind: InvokeAzureAgent, id: sort, agent: {name: Sorter}, output: {responseObject: Local.Sorted}}
- kind: If
  id: which
  condition: =Local.Sorted.category = "cook"
  then:
    - {kind: InvokeAzureAgent, id: cook, agent: {name: Cook}}
  else:
    - {kind: InvokeAzureAgent, id: bake, agent: {name: Baker}}
"""
GROUP = """\
- {kind: InvokeAzureAgent, id: sort, agent: {name: Sorter}, output: {responseObject: Local.Sorted}}
- kind: ConditionGroup
  id: which
  conditions:
    - condition: =Local.Sorted.category = "cook" Or Local.Sorted.category = "fry"
      actions:
        - {kind: InvokeAzureAgent, id: cook, agent: {name: Cook}}
    - condition: =Local.Sorted.category = "bake"
      actions:
        - {kind: InvokeAzureAgent, id: bake, agent: {name: Baker}}
        - {kind: EndWorkflow, id: done}
  elseActions:
    - {kind: SendActivity, id: neither, activity: Neither.}
- {kind: InvokeAzureAgent, id: last, agent: {name: Cook}}
"""
COUNTED = """\
- {kind: SetVariable, id: begin, variable: Local.Count, value: 0}
- {kind: InvokeAzureAgent, id: cook, agent: {name: Cook}}
- {kind: SetVariable, id: more, variable: Local.Count, value: =Local.Count + 1}
- kind: ConditionGroup
  id: again
  conditions:
    - condition: =Local.Count < 2
      actions:
        - {kind: GotoAction, id: back, actionId: cook}
- {kind: InvokeAzureAgent, id: bake, agent: {name: Baker}}
"""
_KEPT = invoke("Cook", ", output: {messages: Local.Said}") + "- {kind: SendActivity, id: thanks, activity: Thanks.}\n"
_SORTED = '{"category": "%s"}'
FRAMEWORK_SAMPLES = (
    FrameworkSample("one", flow("one", invoke("Cook")), {"Cook": COOKS["Cook"]}, {"You cook.": ["Fry it."]}),
    FrameworkSample("chain", flow("chain", invoke("Cook") + invoke("Baker")), COOKS, SAID),
    FrameworkSample("message", flow("message", _KEPT + invoke("Baker")), COOKS, SAID),
    FrameworkSample(
        "branch", flow("branch", BY_FIELD), SORTS, {"You sort.": [_SORTED % "cook"], "You cook.": ["Fry it."]}
    ),
    FrameworkSample(
        "branch-else", flow("branch", BY_FIELD), SORTS, {"You sort.": [_SORTED % "bake"], "You bake.": ["Bake it."]}
    ),
    FrameworkSample(
        "group", flow("group", GROUP), SORTS, {"You sort.": [_SORTED % "fry"], "You cook.": ["Fry it.", "Eat it."]}
    ),
    FrameworkSample(
        "group-that-ends", flow("group", GROUP), SORTS, {"You sort.": [_SORTED % "bake"], "You bake.": ["Bake it."]}
    ),
    FrameworkSample(
        "group-else", flow("group", GROUP), SORTS, {"You sort.": [_SORTED % "eat"], "You cook.": ["Eat it."]}
    ),
    FrameworkSample(
        "loop", flow("loop", COUNTED), COOKS, {"You cook.": ["Fry it.", "Fry more."], "You bake.": ["Bake it."]}
    ),
)
