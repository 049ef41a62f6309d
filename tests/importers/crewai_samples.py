"""Crews in the forms that CrewAI has for them, and what scripted models answer in them.

They are written for these tests. `record_crewai.py` runs them with CrewAI itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.importers.samples import Said


@dataclass(frozen=True)
class CrewSample:
    """A project, and the answers of its models.

    Args:
        files: The project; its crew.py has `main(inputs)`.
        inputs: What the crew is given there; the team has them as context variables.
        task: What the run of the team begins with.
        answers: For each agent, found by a word of its instructions, what its model says in turn.
        ours: The same for the team, where it calls other tools.
        feedback: What a person answers there, in turn.
        said: What a person answers here, in turn.
    """

    name: str
    files: Mapping[str, str]
    answers: Mapping[str, Sequence[str | Said]]
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    task: str = "Begin."
    ours: Mapping[str, Sequence[str | Said]] = field(default_factory=dict[str, Sequence[str | Said]])
    feedback: Sequence[str] = ()
    said: Sequence[str] = ()

    @property
    def code(self) -> str:
        return self.files["crew.py"]


HEAD = """\
from crewai import Agent, Crew, Process, Task

researcher = Agent(
    role="Researcher", goal="Find facts about {topic}", backstory="You read a lot.", llm="gpt-4.1"
)
writer = Agent(role="Writer", goal="Write well", backstory="You write short texts.", llm="gpt-4.1")
research = Task(description="Research {topic}.", expected_output="Three facts", agent=researcher)
write = Task(description="Write about {topic}.", expected_output="A text", agent=writer)
"""
MAIN = """

def main(inputs):
    crew.kickoff(inputs=inputs)
"""
SEQUENTIAL = f"""{HEAD}
crew = Crew(agents=[researcher, writer], tasks=[research, write], process=Process.sequential)
{MAIN}"""
CONTEXT = f"""{HEAD}
check = Task(
    description="Check the text: {{}} is no text.",
    expected_output='{{"is_right": true}}',
    agent=researcher,
    context=[research, write],
    markdown=True,
)
alone = Task(description="Say goodbye.", expected_output="One word", agent=writer, context=[])
last = Task(description="Sum up.", expected_output="One sentence", agent=writer, context=[research])
crew = Crew(agents=[researcher, writer], tasks=[research, write, check, alone, last])
{MAIN}"""
TOOLS = """\
import math
from typing import Type

from crewai import Agent, Crew, Task
from crewai.tools import BaseTool, tool
from pydantic import BaseModel, Field

LIMIT = 100


@tool("half of")
def half(number: float) -> str:
    \"\"\"Halve a number.\"\"\"
    return f"half is {min(LIMIT, number / 2)}"


class RootInput(BaseModel):
    number: float = Field(..., description="The number.")


class RootTool(BaseTool):
    name: str = "root_of"
    description: str = "The root of a number."
    args_schema: Type[BaseModel] = RootInput

    def _run(self, number: float) -> str:
        return f"root is {math.sqrt(number)}"


calculator = Agent(
    role="Calculator", goal="Calculate", backstory="You count.", llm="gpt-4.1", tools=[half, RootTool()], max_iter=5
)
crew = Crew(
    agents=[calculator],
    tasks=[Task(description="Halve 16 and take the root.", expected_output="A number", agent=calculator)],
)


def main(inputs):
    crew.kickoff()
"""
AGENTS_YAML = """\
researcher:
  role: >
    {topic} researcher
  goal: >
    Find what is new about {topic}
  backstory: >
    You read a lot.
    You forget nothing.
  llm: openai/gpt-4.1
writer:
  role: Writer
  goal: Write for {audience}
  backstory: You write short texts.
  llm: gpt-4.1
"""
TASKS_YAML = """\
research_task:
  description: >
    Research {topic}.
    Be exact.
  expected_output: >
    Three facts
  agent: researcher

writing_task:
  description: Write about {topic} for {audience}.
  expected_output: A text
  agent: writer
  context:
    - research_task
"""
PROJECT = """\
from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, crew, task


@CrewBase
class NewsCrew:
    agents_config = "agents.yaml"
    tasks_config = "tasks.yaml"

    @agent
    def researcher(self) -> Agent:
        return Agent(config=self.agents_config["researcher"], verbose=True)

    @agent
    def writer(self) -> Agent:
        return Agent(config=self.agents_config["writer"])

    @task
    def research_task(self) -> Task:
        return Task(config=self.tasks_config["research_task"])

    @task
    def writing_task(self) -> Task:
        return Task(config=self.tasks_config["writing_task"], output_file="news.md")

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential, verbose=True)


def run():
    inputs = {"topic": "bread", "audience": "bakers"}
    NewsCrew().crew().kickoff(inputs=inputs)


def main(inputs):
    NewsCrew().crew().kickoff(inputs=inputs)
"""
STRUCTURED = """\
from crewai import Agent, Crew, Task
from pydantic import BaseModel


class Facts(BaseModel):
    facts: list[str]
    is_sure: bool


researcher = Agent(role="Researcher", goal="Find facts", backstory="You read a lot.", llm="gpt-4.1")
writer = Agent(role="Writer", goal="Write well", backstory="You write short texts.", llm="gpt-4.1")
research = Task(description="Research bread.", expected_output="Facts", agent=researcher, output_pydantic=Facts)
write = Task(description="Write it down.", expected_output="A text", agent=writer)
crew = Crew(agents=[researcher, writer], tasks=[research, write])


def main(inputs):
    crew.kickoff()
"""
HIERARCHICAL = """\
from crewai import Agent, Crew, Process, Task

researcher = Agent(role="Researcher", goal="Find facts", backstory="You read a lot.", llm="gpt-4.1")
writer = Agent(role="Writer", goal="Write well", backstory="You write short texts.", llm="gpt-4.1")
plan = Task(description="Write about bread.", expected_output="A text")
crew = Crew(
    agents=[researcher, writer], tasks=[plan], process=Process.hierarchical, manager_llm="gpt-4.1"
)


def main(inputs):
    crew.kickoff()
"""
MANAGED = HIERARCHICAL.replace('manager_llm="gpt-4.1"', "manager_agent=boss").replace(
    "plan =", 'boss = Agent(role="Boss", goal="Lead", backstory="You lead.", llm="gpt-4.1")\nplan ='
)
DELEGATING = (
    HIERARCHICAL.replace('expected_output="A text")', 'expected_output="A text", agent=writer)')
    .replace(', process=Process.hierarchical, manager_llm="gpt-4.1"', "")
    .replace(
        'backstory="You write short texts.", llm="gpt-4.1"',
        'backstory="You write short texts.", llm="gpt-4.1", allow_delegation=True',
    )
)
ASSIGNED = HIERARCHICAL.replace('expected_output="A text")', 'expected_output="A text", agent=researcher)')
HUMAN = SEQUENTIAL.replace(
    'expected_output="Three facts", agent', 'expected_output="Three facts", human_input=True, agent'
)
JSON_CREW = """\
// A crew in JSON has comments.
{
  "name": "news",
  "agents": ["researcher", "writer"],
  "tasks": [
    {"name": "research", "description": "Research {topic}.", "expected_output": "Three facts", "agent": "researcher"},
    {
      "name": "write",
      "description": "Write about {topic}.",
      "expected_output": "A text",
      "agent": "writer",
      "context": ["research"], // and commas at ends
    },
  ],
  "process": "sequential",
  "inputs": {"topic": "bread"},
}
"""
JSON_RESEARCHER = """\
{"role": "Researcher", "goal": "Find facts about {topic}", "backstory": "You read a lot.", "llm": "gpt-4.1"}
"""
JSON_WRITER = """\
{
  "role": "Writer", "goal": "Write well", "backstory": "You write short texts.",
  "settings": {"llm": "gpt-4.1", "verbose": false}, /* folded in */
}
"""
JSON_MAIN = """\
from crewai.project.crew_loader import load_crew


def main(inputs):
    crew, defaults = load_crew("crew.jsonc")
    crew.kickoff(inputs=inputs or defaults)
"""
FLOW = """\
schema: crewai.flow/v1
name: Desk
state:
  type: dict
  default:
    topic: bread
methods:
  research:
    start: true
    do:
      call: crew
      with:
        agents:
          researcher:
            role: Researcher
            goal: Find facts about {topic}
            backstory: You read a lot.
            llm: gpt-4.1
        tasks:
          - name: find
            description: Research {topic}.
            expected_output: Three facts
            agent: researcher
      inputs:
        topic: "${state.topic}"
  decide:
    listen: research
    router: true
    emit: [long, short]
    do:
      call: agent
      with:
        role: Router
        goal: Answer with long or short
        backstory: You decide.
        llm: gpt-4.1
        input: "How is this: ${outputs.research.raw}?"
  write_long:
    listen: long
    do:
      call: agent
      with:
        role: Writer
        goal: Write
        backstory: You write long texts.
        llm: gpt-4.1
        input: "${outputs.research.raw}"
  write_short:
    listen: short
    do:
      call: agent
      with: {role: Writer, goal: Write, backstory: You write short texts., llm: gpt-4.1, input: "${state.topic}"}
"""
FLOW_MAIN = """\
from crewai.flow.flow import Flow


def main(inputs):
    Flow.from_declaration(path="flow.yaml").kickoff()
"""
RESEARCH: Mapping[str, Sequence[str | Said]] = {"You read a lot": ["F1, F2"], "short texts": ["A text."]}
TOPIC = {"topic": "bread"}


def delegated(name: str, arguments: dict[str, str]) -> Said:
    return Said("", [(name, json.dumps(arguments))])


COWORK = {"task": "Find facts on bread.", "context": "We write about bread.", "coworker": "Researcher"}
TASK = {"task": "Find facts on bread."}
CREW_SAMPLES: Sequence[CrewSample] = (
    CrewSample("sequential", {"crew.py": SEQUENTIAL}, RESEARCH, TOPIC, task="bread"),
    CrewSample(
        "context",
        {"crew.py": CONTEXT},
        {"You read a lot": ["F1, F2", '{"is_right": true}'], "short texts": ["A text.", "Bye", "Bread."]},
        TOPIC,
        task="bread",
    ),
    CrewSample(
        "tools",
        {"crew.py": TOOLS},
        {"You count": [Said("", [("half_of", '{"number": 16}')]), Said("", [("root_of", '{"number": 8}')]), "2.8"]},
    ),
    CrewSample(
        "project",
        {"crew.py": PROJECT, "agents.yaml": AGENTS_YAML, "tasks.yaml": TASKS_YAML},
        RESEARCH,
        {"topic": "bread", "audience": "bakers"},
    ),
    CrewSample(
        "structured",
        {"crew.py": STRUCTURED},
        {"You read a lot": ['{"facts":["F1","F2"],"is_sure":true}'] * 3, "short texts": ["A text."]},
    ),
    CrewSample(
        "hierarchical",
        {"crew.py": HIERARCHICAL},
        {
            "Crew Manager": [delegated("delegate_work_to_coworker", COWORK), "A text."],
            "You read a lot": ["F1, F2"],
        },
        ours={"Crew Manager": [delegated("researcher", TASK), "A text."], "You read a lot": ["F1, F2"]},
    ),
    CrewSample(
        "assigned",
        {"crew.py": ASSIGNED},
        {"Crew Manager": [delegated("delegate_work_to_coworker", COWORK), "A text."], "You read a lot": ["F1, F2"]},
        ours={"Crew Manager": [delegated("researcher", TASK), "A text."], "You read a lot": ["F1, F2"]},
    ),
    CrewSample(
        "managed",
        {"crew.py": MANAGED},
        {"You lead": [delegated("delegate_work_to_coworker", COWORK), "A text."], "You read a lot": ["F1, F2"]},
        ours={"You lead": [delegated("researcher", TASK), "A text."], "You read a lot": ["F1, F2"]},
    ),
    CrewSample(
        "delegating",
        {"crew.py": DELEGATING},
        {
            "short texts": [
                delegated(
                    "ask_question_to_coworker",
                    {"question": "What of bread?", "context": "Bread.", "coworker": "Researcher"},
                ),
                "A text.",
            ],
            "You read a lot": ["F1, F2"],
        },
        ours={
            "short texts": [delegated("researcher", {"task": "What of bread?"}), "A text."],
            "You read a lot": ["F1, F2"],
        },
    ),
    CrewSample(
        "human",
        {"crew.py": HUMAN},
        {"You read a lot": ["F1, F2", "F1"], "short texts": ["A text."]},
        TOPIC,
        task="bread",
        feedback=["One fact only.", ""],
        said=["One fact only.", "Looks good"],
    ),
    CrewSample(
        "json",
        {
            "crew.py": JSON_MAIN,
            "crew.jsonc": JSON_CREW,
            "agents/researcher.jsonc": JSON_RESEARCHER,
            "agents/writer.jsonc": JSON_WRITER,
        },
        RESEARCH,
        task="bread",
    ),
    CrewSample(
        "flow",
        {"crew.py": FLOW_MAIN, "flow.yaml": FLOW},
        {"You read a lot": ["F1, F2"], "You decide": ["short"], "short texts": ["A text."]},
    ),
)
