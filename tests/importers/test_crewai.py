"""Crews and flows of CrewAI in Python, YAML and JSON."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.components import validate_component
from studio.errors import InvalidDocument, StudioError, TooLarge
from studio.importers import Imported, UnknownSource, bundle_of, import_bundle, name_for
from studio.importers.crewai_texts import MANAGER, prompt, template
from studio.importers.importing import import_foreign
from studio.importers.parts import MAX_LENGTH, Budget, json_part, yaml_part
from tests.cli.conftest import Studio
from tests.cli.conftest import studio as studio
from tests.importers.crewai_samples import (
    AGENTS_YAML,
    CONTEXT,
    CREW_SAMPLES,
    DELEGATING,
    FLOW,
    HEAD,
    HIERARCHICAL,
    HUMAN,
    JSON_CREW,
    JSON_RESEARCHER,
    JSON_WRITER,
    MAIN,
    PROJECT,
    SEQUENTIAL,
    STRUCTURED,
    TASKS_YAML,
    TOOLS,
)

AGENT = 'one = Agent(role="One", goal="Go", backstory="B.", llm="gpt-4.1"{})\n'
CREW = 'crew = Crew(agents=[one], tasks=[Task(description="Do.", expected_output="It", agent=one{})]{})\n'
FROM = "from crewai import Agent, Crew, Task\n"


def read(given: str | Mapping[str, str], name: str = "crew.py") -> Imported:
    files = {name: given} if isinstance(given, str) else given
    return import_bundle(bundle_of({each: text.encode() for each, text in files.items()}))


def one(agent: str = "", task: str = "", crew: str = "", before: str = "") -> Imported:
    """A crew of one agent and one task with these further settings."""
    return read(FROM + before + AGENT.format(agent) + CREW.format(task, crew))


def parts(imported: Imported) -> dict[str, Any]:
    """Participants by name, without the filters around agents."""
    found: dict[str, Any] = {}
    config: Any = imported.team["config"]
    for each in config["participants"]:
        inner = each["config"].get("wrapped_agent")
        found[each["config"]["name"]] = inner["config"] if inner else each["config"]
    return found


def told(imported: Imported) -> list[str]:
    return [f"{each.verdict}: {each.what}" for each in imported.findings]


def places(imported: Imported) -> dict[str, str]:
    return {each.what: str(each.place) for each in imported.findings}


# --- what it finds ---


@pytest.mark.parametrize("sample", CREW_SAMPLES, ids=lambda sample: sample.name)
def test_samples_are_of_crewai_and_make_valid_teams_each_time_the_same(sample: Any):
    imported = read(sample.files)
    assert imported.source == "crewai"
    assert validate_component(imported.team).errors == ()
    assert read(sample.files).as_json() == imported.as_json()


def test_a_crew_is_found_in_each_of_its_forms():
    assert read({"agents.yaml": AGENTS_YAML, "tasks.yaml": TASKS_YAML}).source == "crewai"
    assert read(FLOW, "desk.yml").source == "crewai"
    assert read("import crewai\na = crewai.Agent(role='R', goal='G', backstory='B')").source == "crewai"
    # The module of a crew is often called like the package of the Agents SDK.
    both = "from agents import Helpers\n" + SEQUENTIAL
    assert read(both).source == "crewai"


@pytest.mark.parametrize(
    "given",
    [
        {"notes.yaml": "role: x\ngoal: y\n"},
        {"a.yaml": "a:\n  role: R\n"},
        {"a.json": '{"agents": [], "tasks": []}'},
        {"a.py": "import crewai_like\nAgent()"},
    ],
)
def test_other_files_are_not_taken_for_crews(given: Mapping[str, str]):
    with pytest.raises(UnknownSource):
        read(given)


def test_files_without_agents_are_refused_with_what_to_do():
    with pytest.raises(InvalidDocument, match="tasks of CrewAI and no agents") as refused:
        read(TASKS_YAML, "tasks.yaml")
    assert "agents.yaml" in refused.value.fix
    with pytest.raises(InvalidDocument, match="no agent of CrewAI"):
        read("from crewai import Task\n")
    with pytest.raises(InvalidDocument, match="names agents that are not in the files"):
        read(JSON_CREW, "crew.jsonc")


# --- tasks ---


def test_a_task_is_a_step_that_only_its_agent_hears():
    imported = read(SEQUENTIAL)
    config: Any = imported.team["config"]
    assert [each["config"]["name"] for each in config["participants"]] == [
        "inputs",
        "research_prompt",
        "researcher",
        "write_prompt",
        "writer",
    ]
    assert config["max_turns"] == 5
    assert config["participants"][4]["config"]["filter"] == {"per_source": [{"source": "write_prompt"}]}
    assert config["participants"][4]["label"] == "Writer"
    assert parts(imported)["researcher"]["keep_as"] == "researcher"
    assert "{researcher}" in parts(imported)["write_prompt"]["message"]
    assert places(imported)["Task `write`"] == "crew.py:8:9"


def test_context_is_the_results_that_a_task_names():
    found = parts(read(CONTEXT))
    assert "{researcher}\n\n----------\n\n{writer}" in found["check_prompt"]["message"]
    assert "context" not in found["alone_prompt"]["message"]
    assert "working with:\n{researcher}\n\nProvide" in found["last_prompt"]["message"]
    assert "{{}} is no text" in found["check_prompt"]["message"]
    assert "formatted in Markdown" in found["check_prompt"]["message"]


def test_context_of_later_or_unknown_tasks_is_reported():
    text = SEQUENTIAL.replace("agent=researcher)", "agent=researcher, context=[write, other])")
    assert "dropped: Context of the task `research`" in told(read(text))
    assert "asked: Context of the task `research`" in told(read(text))


def test_an_agent_with_two_tasks_is_a_participant_for_each():
    found = parts(read(SEQUENTIAL.replace("agent=writer", "agent=researcher")))
    assert found["researcher_2"]["system_message"] == found["researcher"]["system_message"]


def test_a_person_reviews_an_answer_until_it_is_good():
    imported = read(HUMAN)
    config: Any = imported.team["config"]
    edges = {name: node["edges"] for name, node in config["graph"]["nodes"].items()}
    assert edges["researcher_reviewed"] == [
        {
            "target": "researcher_revise",
            "context_condition": "researcher_feedback not in ['', 'Looks good']",
        },
        {"target": "write_prompt", "otherwise": True},
    ]
    assert "approximated: `human_input` of the task `research`" in told(imported)


def test_formats_are_schemas_and_those_that_cannot_be_read_are_reported():
    factory = parts(read(STRUCTURED))["researcher"]["structured_message_factory"]["config"]
    assert (factory["content_model_name"], sorted(factory["json_schema"]["properties"])) == (
        "Facts",
        ["facts", "is_sure"],
    )
    lost = one(task=", output_json=Elsewhere")
    assert "structured_message_factory" not in parts(lost)["one"]
    assert "approximated: Format of the answers of one" in told(lost)


def test_a_guardrail_in_words_is_checked_by_a_model_and_one_in_code_is_dropped():
    rail = parts(one(task=', guardrail="Name a source."'))["one"]["output_guardrails"][0]["config"]
    assert (rail["rule"], rail["action"]) == ("The text does not meet this requirement: Name a source.", "stop")
    lost = one(task=", guardrail=check", before="def check(output):\n    return True, output\n")
    assert "dropped: Guardrail of the task `task`" in told(lost)


@pytest.mark.parametrize(
    ("setting", "finding"),
    [
        (", async_execution=True", "approximated: `async_execution` of the task `task`"),
        (', output_file="a.md"', "dropped: `output_file` of the task `task`"),
        (", callback=print", "dropped: `callback` of the task `task`"),
        (", brand_new=1", "dropped: `brand_new` of the task `task`"),
        (", async_execution=False", ""),
    ],
)
def test_settings_of_tasks_are_reported(setting: str, finding: str):
    assert finding in [*told(one(task=setting)), ""]
    assert (finding == "") == ("exact: Task `task`" in told(one(task=setting)))


# --- agents ---


def test_an_agent_has_the_instructions_of_crewai():
    imported = read({"crew.py": PROJECT, "agents.yaml": AGENTS_YAML, "tasks.yaml": TASKS_YAML})
    researcher = parts(imported)["researcher"]
    assert researcher["system_message"] == (
        "You are {topic} researcher\n. You read a lot. You forget nothing.\n\n"
        "Your personal goal is: Find what is new about {topic}"
    )
    assert researcher["system_message_holds_variables"] is True
    assert researcher["model_client"]["config"] == {"model": "gpt-4.1"}
    assert imported.team["label"] == "NewsCrew"
    assert places(imported)["Input `topic`"] == "crew.py:32:24"


def test_a_configuration_that_is_not_there_is_asked_for():
    imported = read(PROJECT)
    assert "asked: Configuration of researcher" in told(imported)
    assert "asked: Configuration of the task `research_task`" in told(imported)


def test_configurations_are_found_beside_the_class_that_names_them():
    other = AGENTS_YAML.replace("You read a lot.", "You read nothing.")
    folders = {"b/crew.py": PROJECT, "a/agents.yaml": other, "b/agents.yaml": AGENTS_YAML, "b/tasks.yaml": TASKS_YAML}
    assert "You read a lot." in parts(read(folders))["researcher"]["system_message"]


@pytest.mark.parametrize(
    ("setting", "finding"),
    [
        (", memory=True", "dropped: `memory` of one"),
        (", step_callback=print", "dropped: `step_callback` of one"),
        (", max_rpm=5", "dropped: `max_rpm` of one"),
        (", brand_new=1", "dropped: `brand_new` of one"),
        (", verbose=True, memory=False", ""),
    ],
)
def test_settings_of_agents_are_reported(setting: str, finding: str):
    assert finding in [*told(one(agent=setting)), ""]
    assert (finding == "") == ("exact: Agent “One”" in told(one(agent=setting)))


@pytest.mark.parametrize("setting", ["memory", "planning", "cache", "max_rpm", "brand_new"])
def test_settings_of_crews_are_reported(setting: str):
    assert f"dropped: `{setting}` of the crew" in told(one(crew=f", {setting}=5"))


def test_models_are_read_from_their_names_and_classes():
    text = FROM + "from crewai import LLM\nimport os\n" + AGENT + CREW
    given = 'LLM(model="anthropic/claude-x", max_tokens=5, api_key="secret-secret-secret")'
    imported = read(text.replace('"gpt-4.1"{}', given).format("", ""))
    client = parts(imported)["one"]["model_client"]
    assert (client["provider"].rpartition(".")[2], client["config"]) == (
        "AnthropicChatCompletionClient",
        {"model": "claude-x", "max_tokens": 5},
    )
    assert "approximated: Key of one" in told(imported)
    local = read(text.replace('"gpt-4.1"{}', 'ChatOllama(model="llama3")').format("", ""))
    assert parts(local)["one"]["model_client"]["config"]["model"] == "llama3"
    unknown = read(text.replace('"gpt-4.1"{}', 'os.environ["MODEL"]').format("", ""))
    assert "asked: Model of one" in told(unknown)


def test_knowledge_is_read_before_each_answer():
    head = "from crewai.knowledge.source.string_knowledge_source import StringKnowledgeSource\n"
    sources = 'StringKnowledgeSource(content="Bread is old."), TextFileKnowledgeSource(file_paths=["a.txt"])'
    given = f", knowledge_sources=[{sources}]"
    text = FROM + head + AGENT.format(given) + CREW.format("", "")
    memory = parts(read({"crew.py": text, "knowledge/a.txt": "Flour."}))["one"]["memory"][0]["config"]
    assert [each["content"] for each in memory["memory_contents"]] == ["Bread is old.", "Flour."]
    assert "dropped: Knowledge `TextFileKnowledgeSource` of one" in told(read(text))
    shared = one(crew=', knowledge_sources=[StringKnowledgeSource(content="All know it.")]')
    assert parts(shared)["one"]["memory"][0]["config"]["memory_contents"][0]["content"] == "All know it."


# --- tools ---


def test_functions_and_classes_are_tools_with_their_code():
    tools = {each["config"]["name"]: each["config"] for each in parts(read(TOOLS))["calculator"]["tools"]}
    assert list(tools) == ["half_of", "root_of"]
    assert "LIMIT = 100" in tools["half_of"]["source_code"]
    assert "def root_of(number: Annotated[float, 'The number.'])" in tools["root_of"]["source_code"]
    assert parts(read(TOOLS))["calculator"]["max_tool_iterations"] == 5


def test_a_class_that_needs_itself_is_a_stand_in():
    text = TOOLS.replace("math.sqrt(number)", "self.root(number)")
    imported = read(text)
    assert "approximated: Tool `root_of` of calculator" in told(imported)
    source = parts(imported)["calculator"]["tools"][1]["config"]["source_code"]
    assert "NotImplementedError" in source
    assert "`self`" in source


def test_tools_of_packages_are_stand_ins_under_the_names_that_models_read():
    imported = one(agent=", tools=[SerperDevTool(), elsewhere]", before="from crewai_tools import SerperDevTool\n")
    assert [each["config"]["name"] for each in parts(imported)["one"]["tools"]] == [
        "search_the_internet_with_serper",
        "elsewhere",
    ]
    assert "approximated: Tool `search_the_internet_with_serper` of one" in told(imported)
    ours = parts(one(agent=", tools=[CodeInterpreterTool()]"))["one"]["tools"][0]
    assert ours["provider"].endswith("PythonCodeExecutionTool")


def test_tools_of_a_task_take_the_place_of_those_of_its_agent():
    imported = one(agent=", tools=[SerperDevTool()]", task=", tools=[FileReadTool()]")
    assert [each["config"]["name"] for each in parts(imported)["one"]["tools"]] == ["read_a_files_content"]
    assert "Provide your complete response" not in parts(imported)["task_prompt"]["message"]


@pytest.mark.parametrize(
    ("setting", "params"),
    [
        (
            ', mcps=["https://example.com/mcp#one"]',
            {"type": "StreamableHttpServerParams", "url": "https://example.com/mcp"},
        ),
        (
            ', mcps=[MCPServerStdio(command="uvx", args=["a"])]',
            {"type": "StdioServerParams", "command": "uvx", "args": ["a"]},
        ),
        (
            ', tools=MCPServerAdapter({"url": "https://example.com/sse", "transport": "sse"})',
            {"type": "SseServerParams", "url": "https://example.com/sse"},
        ),
    ],
)
def test_mcp_servers_are_workbenches(setting: str, params: dict[str, object]):
    imported = one(agent=setting)
    assert parts(imported)["one"]["workbench"][0]["config"]["server_params"] == params
    assert "asked: MCP server of one" in told(one(agent=", mcps=[elsewhere]"))


# --- delegation ---


def test_a_manager_has_the_agents_as_tools_that_remember_nothing():
    imported = read(HIERARCHICAL)
    manager = parts(imported)["crew_manager"]
    assert MANAGER["goal"] in manager["system_message"]
    nested = manager["tools"][0]["config"]["agent"]
    assert (nested["provider"], nested["config"]["name"]) == ("studio.teams.NestedChatAgent", "researcher")
    assert nested["config"]["chats"][0]["message"].startswith("\nCurrent Task: {message}\n")
    assert "approximated: Hierarchical process" in told(imported)


def test_an_agent_that_may_delegate_has_the_others_as_tools():
    found = parts(read(DELEGATING))
    assert [each["config"]["agent"]["config"]["name"] for each in found["writer"]["tools"]] == ["researcher"]
    assert "tools" not in parts(read(SEQUENTIAL))["writer"]


# --- inputs ---


def test_one_input_takes_the_message_and_several_are_variables():
    config: Any = read(SEQUENTIAL).team["config"]
    assert parts(read(SEQUENTIAL))["inputs"]["assignments"] == [{"name": "topic", "expression": "message"}]
    assert config["context_variables"] == {"topic": "", "researcher": None}
    project = read({"crew.py": PROJECT, "agents.yaml": AGENTS_YAML, "tasks.yaml": TASKS_YAML})
    assert project.team["config"]["context_variables"] == {  # pyright: ignore[reportArgumentType, reportCallIssue, reportIndexIssue, reportOptionalSubscript]
        "topic": "bread",
        "audience": "bakers",
        "researcher": None,
    }
    assert "exact: Input `topic`" in told(project)


def test_an_input_that_only_a_run_knows_is_asked_for_and_one_without_use_is_dropped():
    text = HEAD.replace("{topic}.", "{topic} of {day-time}.") + "crew = Crew(agents=[researcher], tasks=[research])\n"
    imported = read(text + 'crew.kickoff(inputs={"topic": "bread", "day-time": now(), "other": 1})\n')
    assert [each for each in told(imported) if "Input" in each] == [
        "asked: Input `day_time`",
        "exact: Input `topic`",
        "dropped: Input `other`",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{topic} and {a-b}", "{topic} and {a_b}"),
        ("{{topic}}", "{{{topic}}}"),
        ('{"a": 1} {0} {x.y} {', '{{"a": 1}} {{0}} {{x.y}} {{'),
    ],
)
def test_only_variables_have_places(text: str, expected: str):
    assert template(text) == expected


def test_names_of_results_avoid_those_of_inputs():
    found = parts(read(SEQUENTIAL.replace("{topic}", "{researcher}")))
    assert found["researcher_2"]["keep_as"] == "researcher_2"


# --- several crews, scripts and projects ---


def test_the_crew_that_begins_first_is_the_team():
    second = SEQUENTIAL.replace("crew =", "other =").replace("crew.kickoff", "other.kickoff").replace("main", "run")
    lines = second.replace(HEAD, "").replace("tasks=[research, write]", "tasks=[write]")
    imported = read(SEQUENTIAL.replace(MAIN, "") + lines)
    assert "research_prompt" not in parts(imported)
    assert "asked: Crew `crew`" in told(imported)
    assert "dropped: Agent “Researcher”" in told(imported)


def test_agents_and_tasks_that_functions_make_are_found():
    text = """\
from textwrap import dedent
from crewai import Agent, Crew, Task


class Agents:
    def guide(self):
        return Agent(role="Guide", goal=dedent("    Know a city"), backstory="B.", llm="gpt-4.1")


class Tasks:
    def plan(self, agent, city):
        return Task(description=dedent(f\"\"\"
            Plan {city} for {self.days()} days.\"\"\"), agent=agent, expected_output="A plan")


guide = Agents().guide()
plan = Tasks().plan(guide, "Rome")
crew = Crew(agents=[guide], tasks=[plan])
"""
    found = parts(read(text))
    assert found["guide"]["system_message"].startswith("You are Guide. B.\nYour personal goal is: Know a city")
    assert "Plan Rome for {self_days} days." in found["plan_prompt"]["message"]


def test_a_flow_in_python_is_not_read_and_its_crews_are():
    flow = "from crewai.flow.flow import Flow, start\nclass Desk(Flow):\n    @start()\n    def go(self): ...\n"
    assert "dropped: Flow `Desk`" in told(read(flow + SEQUENTIAL))


def test_agents_without_tasks_answer_one_after_the_other():
    imported = read(AGENTS_YAML, "agents.yaml")
    assert list(parts(imported)) == ["researcher", "writer"]
    assert "asked: Tasks" in told(imported)


def test_tasks_without_an_agent_are_asked_about():
    imported = read({"agents.yaml": AGENTS_YAML, "tasks.yaml": TASKS_YAML.replace("  agent: writer\n", "")})
    assert "asked: Agent of the task `writing_task`" in told(imported)
    assert list(parts(imported)) == ["research_task_prompt", "researcher", "writing_task_prompt", "writer"]


def test_json_with_comments_is_read_with_its_agents():
    files = {"crew.jsonc": JSON_CREW, "agents/researcher.jsonc": JSON_RESEARCHER, "agents/writer.jsonc": JSON_WRITER}
    imported = read(files)
    assert places(imported)["Task `write`"] == "crew.jsonc/tasks/1"
    assert parts(imported)["writer"]["model_client"]["config"] == {"model": "gpt-4.1"}


def test_a_project_in_a_zip_file_is_read():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in (("crew.py", PROJECT), ("agents.yaml", AGENTS_YAML), ("tasks.yaml", TASKS_YAML)):
            archive.writestr(f"news/{name}", text)
    imported = import_foreign("news.zip", packed.getvalue())
    assert imported is not None
    assert imported.source == "crewai"


# --- flows ---


def test_a_flow_is_a_graph_whose_router_chooses_by_its_answer():
    imported = read(FLOW, "flow.yaml")
    config: Any = imported.team["config"]
    edges = {name: node["edges"] for name, node in config["graph"]["nodes"].items()}
    assert [(each["target"], each["context_condition"]) for each in edges["decide"]] == [
        ("write_long_prompt", "decide == 'long'"),
        ("write_short_prompt", "decide == 'short'"),
    ]
    assert "How is this: {researcher}?" in parts(imported)["decide_prompt"]["message"]
    assert config["context_variables"]["topic"] == "bread"
    assert places(imported)["Method `decide`"] == "flow.yaml:27:5"


def test_a_method_can_wait_for_all_or_for_one():
    text = (
        "schema: crewai.flow/v1\nmethods:\n"
        "  a: {start: true, do: {call: expression, expr: state.x}}\n"
        "  b: {start: true, do: {call: expression, expr: state.y + 1}}\n"
        "  c: {listen: {and: [a, b]}, do: {call: expression, expr: outputs.a}}\n"
    )
    config: Any = read(text, "f.yaml").team["config"]
    assert config["graph"]["nodes"]["a"]["edges"] == [{"target": "c"}]
    either: Any = read(text.replace("and:", "or:"), "f.yaml").team["config"]
    assert either["graph"]["nodes"]["a"]["edges"] == [{"target": "c", "activation_condition": "any"}]
    assert parts(read(text, "f.yaml"))["b"]["assignments"] == [{"name": "b_output", "expression": "y + 1"}]


@pytest.mark.parametrize(
    "call", ["script, code: 'x'", "tool, ref: 'a:B'", "code, ref: 'a:b'", "each, in: state.x", "x"]
)
def test_methods_that_run_code_are_left_out(call: str):
    text = f"schema: crewai.flow/v1\nmethods:\n  a: {{start: true, do: {{call: {call}}}}}\n"
    assert "dropped: Method `a`" in told(read(text + FLOW.partition("methods:\n")[2], "f.yaml"))


def test_a_flow_with_places_of_a_template_is_refused_with_the_place():
    with pytest.raises(InvalidDocument, match=r"line 2, column 8"):
        read("schema: crewai.flow/v1\nname: {{flow_name}}\nmethods: {}\n", "flow.yaml")


# --- YAML within bounds ---


def test_yaml_has_places_aliases_and_merges():
    part = yaml_part("a.yaml", "a: &a {x: 1, y: 2026-01-01}\nb: {<<: *a, x: no}\nc: *a\nd: 1_000\n", Budget())
    assert part.plain() == {
        "a": {"x": 1, "y": "2026-01-01"},
        "b": {"x": False, "y": "2026-01-01"},
        "c": {"x": 1, "y": "2026-01-01"},
        "d": 1000,
    }
    inner = part.get("b", "x")
    assert inner is not None
    assert str(inner.place) == "a.yaml:2:16"


@pytest.mark.parametrize(
    "text",
    [
        'a: !!python/object/apply:os.system ["true"]',
        "a: !local x",
        "a: &a [*a]",
        "a: &a\n  <<: *a",
        "a: " + "[" * 1_000,
        "".join(" " * at + "k:\n" for at in range(100)),
        "a: &a 1\nb: [" + "*a," * 1_001 + "]",
        "x0: &x0 [a]\n" + "".join(f"x{at}: &x{at} [{','.join([f'*x{at - 1}'] * 9)}]\n" for at in range(1, 9)),
        "a: [" + "1," * 30_000 + "]",
        "a: " + "x" * MAX_LENGTH,
        "[a]: b",
        "a: [",
    ],
)
def test_yaml_that_harms_is_refused(text: str):
    with pytest.raises(StudioError) as refused:
        yaml_part("a.yaml", text, Budget())
    assert isinstance(refused.value, InvalidDocument | TooLarge)
    assert refused.value.fix


def test_the_bounds_are_those_of_all_files_together():
    files = {f"{at}/agents.yaml": AGENTS_YAML + "# " + "x" * 100_000 for at in range(4)}
    with pytest.raises(TooLarge, match="300 kB"):
        read(files)


def test_comments_and_commas_of_json_are_no_part_of_texts():
    part = json_part("a.json", '{"a": "// no, ]", /* x */ "b": [1, 2,], // y\n}', Budget())
    assert part.plain() == {"a": "// no, ]", "b": [1, 2]}


@pytest.mark.parametrize("number", [300, 5_000])
def test_crews_beyond_the_bound_are_refused(number: int):
    tasks = "".join(f't{at} = Task(description="D", agent=researcher)\n' for at in range(number))
    listed = ", ".join(f"t{at}" for at in range(number))
    with pytest.raises(TooLarge):
        read(f"{HEAD}{tasks}crew = Crew(agents=[researcher], tasks=[{listed}])\n")


def test_functions_that_lead_to_themselves_end():
    text = "def f(a):\n    return f(f(a))\nx = y\ny = x\n"
    crew = "crew = Crew(agents=[f(x), y], tasks=[f(1), x])\none = Agent(role=f(2), goal=x)\n"
    with pytest.raises(StudioError):
        read(FROM + text + crew)


def test_prompts_have_schemas_with_literal_braces():
    assert '{{\n  "properties": {{}},\n  "additionalProperties": false\n}}' in prompt(
        "D", "E", schema={"properties": {}}
    )


# --- pages and commands ---


def test_pasted_yaml_has_a_name_that_tells_its_form():
    assert name_for(AGENTS_YAML) == "pasted.yaml"
    assert name_for(SEQUENTIAL) == "pasted.py"
    assert name_for('{"provider": "x"}') == "pasted.json"
    assert import_foreign("flow.yaml", FLOW.encode()) is not None
    assert import_foreign("team.yaml", f"provider: x\nconfig:\n  text: |\n    {AGENTS_YAML!r}\n".encode()) is None
    with pytest.raises(InvalidDocument, match="names agents"):
        import_foreign("crew.jsonc", JSON_CREW.encode())


def test_the_command_reads_a_folder(studio: Studio, tmp_path: Path):
    for name, text in (("crew.py", PROJECT), ("agents.yaml", AGENTS_YAML), ("tasks.yaml", TASKS_YAML)):
        (tmp_path / name).write_text(text)
    outcome = studio("import", tmp_path, "--as", "crewai", "--out", tmp_path / "team.json")
    assert outcome.code == 0, outcome.err
    assert "output_file" in outcome.out + outcome.err
    assert studio("check", tmp_path / "team.json").code == 0
