"""Workflows and scripts in the form in which OpenAI's tools write them, and what scripted models answer in them.

They are written for these tests. `record_originals.py` runs them with the Agents SDK itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import dedent, indent

HEAD = """\
from agents import Agent, ModelSettings, TResponseInputItem, Runner, RunConfig, trace
from openai.types.shared.reasoning import Reasoning
from pydantic import BaseModel
"""
ENTRY = """
class WorkflowInput(BaseModel):
  input_as_text: str


# Main code entrypoint
async def run_workflow(workflow_input: WorkflowInput):
  with trace("{name}"):
    state = {state}
    workflow = workflow_input.model_dump()
    conversation_history: list[TResponseInputItem] = [
      {{
        "role": "user",
        "content": [
          {{
            "type": "input_text",
            "text": workflow["input_as_text"]
          }}
        ]
      }}
    ]
"""
USER = '{"role": "user", "content": [{"type": "input_text", "text": workflow["input_as_text"]}]}'


@dataclass(frozen=True)
class Said:
    """What a model answers: a text, or calls of tools by name."""

    text: str = ""
    calls: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Sample:
    """A script and a run of it.

    Args:
        task: What the user says.
        answers: By a word of the instructions, what that agent's model answers in turn.
    """

    name: str
    code: str
    task: str
    answers: Mapping[str, Sequence[str | Said]] = field(default_factory=dict[str, Sequence[str | Said]])


def agent(variable: str, instructions: str, extra: str = "") -> str:
    head = f'{variable} = Agent(\n  name="{variable.capitalize()}",\n  instructions="{instructions}",\n'
    return f'{head}  model="gpt-5",{extra}\n)\n\n'


def run(variable: str, told: str = "*conversation_history", *, is_heard: bool = True, is_parsed: bool = False) -> str:
    """The lines with which an export runs an agent."""
    result = f"{variable}_result"
    heard = (
        f"conversation_history.extend([item.to_input_item() for item in {result}_temp.new_items])\n" if is_heard else ""
    )
    text = f"{result}_temp.final_output_as(str)"
    parsed = (
        f'"output_text": {result}_temp.final_output.json(),\n  "output_parsed": {result}_temp.final_output.model_dump()'
    )
    value = parsed if is_parsed else f'"output_text": {text}'
    mark = '"__trace_source__": "agent-builder",\n    "workflow_id": "wf_1"'
    call = f"{result}_temp = await Runner.run(\n  {variable},\n  input=[\n    {told}\n  ],\n"
    return (
        f"{call}  run_config=RunConfig(trace_metadata={{\n    {mark}\n  }})\n)\n{heard}{result} = {{\n  {value}\n}}\n"
    )


def export(name: str, definitions: str, body: str, state: str = "{}") -> str:
    """A script as Agent Builder exports it."""
    return HEAD + definitions + ENTRY.format(name=name, state=state) + indent(body, "    ")


def branch(head: str, body: str) -> str:
    return f"{head}:\n{indent(body, '  ')}"


def ending(text: str) -> str:
    """An end node with a message of its own."""
    return f'end_result = {{\n  "message": "{text}"\n}}\nreturn end_result'


SORTED = """
class SortSchema(BaseModel):
  category: str


"""
ROUTER = export(
    "Kitchen desk",
    SORTED
    + agent("sort", "Sort the question.", "\n  output_type=SortSchema,\n  model_settings=ModelSettings(temperature=0)")
    + agent(
        "cook", "Answer as a cook.", '\n  model_settings=ModelSettings(store=True, reasoning=Reasoning(effort="low"))'
    )
    + agent("baker", "Answer as a baker.")
    + agent("clerk", "Say that nobody knows."),
    run("sort", USER, is_heard=False, is_parsed=True)
    + 'sort_category = sort_result["output_parsed"]["category"]\n'
    + branch('if sort_category == "cook"', run("cook") + "return cook_result")
    + "\n"
    + branch('elif sort_result["output_parsed"]["category"] == "bake"', run("baker") + "return baker_result")
    + "\n"
    + branch("else", run("clerk")),
)
CHAIN = export(
    "Two in a row",
    agent("first", "Write a draft.") + agent("second", "Improve it."),
    run("first") + run("second") + "return second_result",
)
SILENT = export(
    "Quiet first",
    agent("first", "Take notes.") + agent("second", "Answer."),
    run("first", is_heard=False) + run("second"),
)
PROMPTS = export(
    "With a message",
    agent("first", "Translate."),
    run(
        "first",
        '*conversation_history,\n    {"role": "user", "content": [{"type": "input_text", '
        '"text": f"Into {state[\'language\']}, {{please}}."}]}',
    ),
    '{\n    "language": "French"\n  }',
)
LOOP = export(
    "Three passes",
    agent("worker", "Do a part."),
    branch('while state["count"] < 3', 'state["count"] = state["count"] + 1\n' + run("worker")) + "\nreturn workflow",
    '{\n    "count": 0\n  }',
)
STATE = export(
    "Greeting",
    agent("polite", "Greet politely.") + agent("short", "Greet briefly."),
    'state["welcome"] = "Hello, " + workflow["input_as_text"]\n'
    'transform_result = {"result": state["welcome"], '
    '"long": state["limit"] > 3 and len(workflow["input_as_text"]) > 3}\n'
    + branch('if transform_result["long"]', run("polite"))
    + "\n"
    + branch("else", "")
    + "\n"
    + run("short"),
    '{\n    "limit": 5,\n    "welcome": None\n  }',
)
CONTEXT = export(
    "With variables",
    dedent('''
    class AssistantContext:
      def __init__(self, state_tone: str, workflow_input_as_text: str):
        self.state_tone = state_tone
        self.workflow_input_as_text = workflow_input_as_text
    def assistant_instructions(run_context: RunContextWrapper[AssistantContext], _agent: Agent[AssistantContext]):
      state_tone = run_context.context.state_tone
      workflow_input_as_text = run_context.context.workflow_input_as_text
      return f"""Answer in a {state_tone} tone. {{Braces}} stay. The question: {workflow_input_as_text}"""
    assistant = Agent(
      name="Assistant",
      instructions=assistant_instructions,
      model="gpt-5",
    )
    ''').replace("class AssistantContext", "from agents import RunContextWrapper\nclass AssistantContext"),
    run("assistant").replace(
        "  run_config=",
        '  context=AssistantContext(\n    state_tone=state["tone"],\n    '
        'workflow_input_as_text=workflow["input_as_text"]\n  ),\n  run_config=',
    ),
    '{\n    "tone": "kind"\n  }',
)
APPROVAL = export(
    "Returns",
    SORTED
    + agent("sort", "Sort the question.", "\n  output_type=SortSchema,")
    + agent("offer", "Offer a return.")
    + "def approval_request(message: str):\n  # TODO: Implement\n  return True\n",
    run("sort", is_parsed=True)
    + branch(
        'if sort_result["output_parsed"]["category"] == "return"',
        run("offer")
        + 'approval_message = "Is {this} all right?"\n\n'
        + branch("if approval_request(approval_message)", ending("It is on the way."))
        + "\n"
        + branch("else", ending("What else?")),
    )
    + "\n"
    + branch("else", "return sort_result"),
)
HANDOFFS = """\
from agents import Agent, Runner, handoff

cook = Agent(name="Cook", handoff_description="Knows food.", instructions="You cook.", model="gpt-4.1")
baker = Agent(name="Head Baker", instructions="You bake.", model="gpt-4.1")
desk = Agent(
    name="Desk",
    instructions="You send people to the right one.",
    model="gpt-4.1",
    handoffs=[cook, handoff(agent=baker, tool_name_override="to_the_baker", tool_description_override="For bread.")],
)
baker.handoffs.append(desk)


async def main(message: str):
    current: Agent = desk
    result = await Runner.run(current, message)
    print(result.final_output)
"""
TOOLS = '''\
import math

from agents import Agent, Runner, function_tool

LIMIT = 100


def rounded(value: float) -> int:
    return min(LIMIT, math.floor(value))


@function_tool(name_override="half_of")
def half(number: float) -> str:
    """Halve a number.

    Args:
        number: Any.
    """
    return f"half is {rounded(number / 2)}"


calculator = Agent(name="Calculator", instructions="Calculate.", model="gpt-4.1", tools=[half])


async def main(message: str):
    await Runner.run(calculator, message)
'''
AGENT_TOOLS = """\
from agents import Agent, Runner

spanish = Agent(name="Spanish", instructions="Translate to Spanish.", model="gpt-4.1")
leader = Agent(
    name="Leader",
    instructions="Have texts translated.",
    model="gpt-4.1",
    tools=[spanish.as_tool(tool_name="to_spanish", tool_description="Translate into Spanish")],
)


async def main(message: str):
    await Runner.run(leader, message)
"""
ROW = """\
from pydantic import BaseModel, Field

from agents import Agent, Runner


class Check(BaseModel):
    good: bool = Field(description="Whether it can be published.")


writer = Agent(name="Writer", instructions="Write an outline.", model="gpt-4.1")
checker = Agent(name="Checker", instructions="Check it.", model="gpt-4.1", output_type=Check)


async def main(message: str):
    outline = await Runner.run(writer, message)
    check = await Runner.run(checker, outline.final_output)
    print(check.final_output.good)
"""

SAMPLES = (
    Sample("router", ROUTER, "How do I boil rice?", {"Sort": ['{"category":"cook"}'], "cook": ["In water."]}),
    Sample("router-elif", ROUTER, "Bread?", {"Sort": ['{"category":"bake"}'], "baker": ["In an oven."]}),
    Sample("router-else", ROUTER, "Rain?", {"Sort": ['{"category":"weather"}'], "nobody": ["Nobody knows."]}),
    Sample("chain", CHAIN, "A poem.", {"draft": ["Roses."], "Improve": ["Red roses."]}),
    Sample("silent", SILENT, "Hello.", {"notes": ["Noted."], "Answer": ["Good day."]}),
    Sample("prompts", PROMPTS, "Good morning.", {"Translate": ["Bonjour."]}),
    Sample("loop", LOOP, "Begin.", {"part": ["One.", "Two.", "Three."]}),
    Sample("state", STATE, "Anna", {"politely": ["Dear Anna."], "briefly": ["Hi."]}),
    Sample("state-else", STATE, "Bo", {"briefly": ["Hi."]}),
    Sample("context", CONTEXT, "Why?", {"tone": ["Because."]}),
    Sample("handoff", HANDOFFS, "Soup?", {"right one": [Said(calls=[("transfer_to_cook", "{}")])], "cook": ["Hot."]}),
    Sample(
        "handoff-and-back",
        HANDOFFS,
        "Bread?",
        {
            "right one": [Said(calls=[("to_the_baker", "{}")]), "Closed."],
            "bake": [Said(calls=[("transfer_to_desk", "{}")])],
        },
    ),
    Sample(
        "function-tool", TOOLS, "Half of 9?", {"Calculate": [Said(calls=[("half_of", '{"number": 9}')]), "It is 4."]}
    ),
    Sample(
        "agent-as-tool",
        AGENT_TOOLS,
        "Hello in Spanish.",
        {
            "Have": [Said(calls=[("to_spanish", '{"input": "Hello", "task": "Hello"}')]), "It is hola."],
            "Spanish": ["Hola."],
        },
    ),
    Sample("structured", ROW, "Bees.", {"outline": ["Bees fly."], "Check": ['{"good":true}']}),
)
