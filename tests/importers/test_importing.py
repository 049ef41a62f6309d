"""What becomes of files of other tools, by the command and by what it reports."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from studio import effects
from studio.code import InvalidPython
from studio.components import JsonObject, envelopes, load_component
from studio.effects import HumanAnswer, HumanQuestion
from studio.errors import InvalidDocument, StudioError, TooLarge
from studio.importers import Imported, UnknownSource, bundle_of, import_bundle
from studio.messages import TaskResult
from studio.teams import Team
from tests.cli.conftest import Studio
from tests.cli.conftest import studio as studio
from tests.importers.samples import AGENT_TOOLS, APPROVAL, HANDOFFS, ROUTER, SAMPLES, TOOLS
from tests.importers.workflows import DESK, agent, case, cel, node, workflow
from tests.web.documents import replay_model

CORPUS = os.environ.get("STUDIO_IMPORT_CORPUS", "")
"""A folder with one folder of files for each source, each with a MANIFEST.json that groups them."""


def read(text: str | JsonObject, name: str = "") -> Imported:
    content = text if isinstance(text, str) else json.dumps(text)
    return import_bundle(bundle_of({name or ("a.py" if isinstance(text, str) else "a.json"): content.encode()}))


def participants(imported: Imported) -> dict[str, Any]:
    config: Any = imported.team["config"]
    return {
        each["config"]["name"]: each["config"].get("wrapped_agent", each)["config"] for each in config["participants"]
    }


def told(imported: Imported) -> list[str]:
    return [f"{each.verdict}: {each.what}" for each in imported.findings]


def test_a_workflow_becomes_a_graph_with_everything_in_its_place():
    imported = read(DESK)
    found = participants(imported)
    graph: Any = imported.team["config"]
    assert imported.source == "agent-builder-json"
    assert list(found) == [
        "Sort",
        "Cook",
        "approval_prompt",
        "approval",
        "Count",
        "Bake_prompt",
        "Bake",
    ]
    edges = graph["graph"]["nodes"]["Sort"]["edges"]
    assert [(each["target"], each.get("context_condition"), each.get("otherwise")) for each in edges] == [
        ("Cook", "Sort.category == 'cook'", None),
        ("approval_prompt", None, True),
    ]
    assert found["Sort"]["keep_as"] == "Sort"
    assert found["Count"]["assignments"] == [{"name": "n", "expression": "n + 1"}]
    assert found["Bake"]["system_message"] == "Bake {what}."
    assert found["approval_prompt"]["message"] == "Shall we bake?"
    assert graph["context_variables"] == {"n": 0, "what": "bread", "Sort": None}
    assert imported.team["label"] == "Desk"
    assert [each for each in told(imported) if "Lonely" in each] == ["dropped: Node “Lonely”"]


def test_an_agent_hears_what_it_heard_there_and_no_question_of_an_approval():
    graph: Any = read(DESK).team["config"]
    filters = {each["config"]["name"]: each["config"].get("filter") for each in graph["participants"]}
    assert filters["Bake"]["per_source"] == [{"source": "user"}, {"source": "Sort"}, {"source": "Bake_prompt"}]
    assert filters["Cook"] is None


def test_each_node_is_told_once_with_its_place_and_what_it_became():
    findings = [each for each in read(DESK).findings if each.what.startswith("Agent ")]
    assert [(each.place.pointer, each.became) for each in findings] == [
        ("/nodes/1", "/config/participants/0"),
        ("/nodes/3", "/config/participants/1"),
        ("/nodes/5", "/config/participants/6"),
    ]


def test_a_loop_goes_back_and_ends_with_its_condition_and_a_limit():
    body: JsonObject = {"nodes": [agent("work", "Work.")], "edges": [], "start_node_id": "work"}
    loop = node("again", "While", condition={"expression": "state.n < 3", "format": "cel"}, body=body)
    imported = read(workflow([loop], [("start", "out", "again")], {"n": 0}))
    config: Any = imported.team["config"]
    nodes = config["graph"]["nodes"]
    assert [each["target"] for each in nodes["loop"]["edges"]] == ["Work", "end"]
    assert [each["target"] for each in nodes["Work"]["edges"]] == ["loop"]
    assert config["max_turns"] == 100


def test_an_end_says_what_is_not_the_answer_before_it_already():
    own = node("end", "End", expr=cel('{"message": "Thank you, " + workflow.input_as_text}'))
    same = node("same", "End", expr=cel('{"output_text": input.output_text}'))
    imported = read(workflow([agent("a", "A."), own], [("start", "out", "a"), ("a", "on_result", "end")]))
    found = participants(imported)
    assert list(found) == ["start", "A", "end"]
    assert found["end"]["assignments"] == [
        {"name": "output", "expression": "{'message': 'Thank you, ' + input_as_text}"}
    ]
    silent = read(workflow([agent("a", "A."), same], [("start", "out", "a"), ("a", "on_result", "same")]))
    assert list(participants(silent)) == ["A"]


def test_guardrails_check_the_input_of_the_agent_that_follows():
    guard = node(
        "guard", "Guardrails", guardrails=[{"type": "jailbreak", "config": {}}, {"type": "hallucination", "config": {}}]
    )
    imported = read(
        workflow([guard, agent("answer", "Answer.")], [("start", "out", "guard"), ("guard", "on_pass", "answer")])
    )
    (rail,) = participants(imported)["Answer"]["input_guardrails"]
    assert (rail["provider"], rail["config"]["action"]) == ("studio.agents.ModelGuardrail", "stop")
    assert "dropped: Guardrail “hallucination”" in told(imported)


def test_a_condition_that_cannot_be_read_is_said_aloud_and_its_branch_is_taken():
    which = node("which", "IfElse", cases=[case("case-0", "now() > timestamp(1)")])
    imported = read(
        workflow(
            [which, agent("a", "A."), agent("b", "B.")],
            [("start", "out", "which"), ("which", "case-0", "a"), ("which", "fallback", "b")],
        )
    )
    graph: Any = imported.team["config"]
    assert [each.get("context_condition") for each in graph["graph"]["nodes"]["if_else"]["edges"]] == ["true", None]
    assert "dropped: Condition of “Which”" in told(imported)


def test_a_tool_without_code_is_a_stand_in_that_the_model_still_sees():
    tool: JsonObject = {
        "name": "get_weather",
        "description": "The weather.",
        "parameters": {
            "type": "object",
            "properties": {
                "place": {"type": "string", "description": "A city"},
                "unit": {"type": "string", "enum": ["c", "f"]},
                "class": {"type": "string"},
            },
            "required": ["place"],
        },
    }
    imported = read(workflow([agent("sky", "Look.", tools=[tool])], [("start", "out", "sky")]))
    (found,) = participants(imported)["Sky"]["tools"]
    assert "place: Annotated[str, 'A city'], unit: Literal['c', 'f'] | None = None" in found["config"]["source_code"]
    assert "approximated: Tool `get_weather` of Sky" in told(imported)


def test_what_openai_runs_stays_with_an_agent_of_openai():
    tools: list[Any] = [{"type": "web_search", "search_context_size": "low"}]
    imported = read(workflow([agent("search", "Search.", tools=tools)], [("start", "out", "search")]))
    config: Any = imported.team["config"]
    assert config["participants"][0]["provider"] == "autogen_ext.agents.openai.OpenAIAgent"
    assert participants(imported)["Search"]["tools"] == [{"type": "web_search_preview", "search_context_size": "low"}]


def test_handoffs_become_a_swarm_with_the_words_that_models_read_there():
    imported = read(HANDOFFS)
    found = participants(imported)
    assert imported.team["provider"] == "autogen_agentchat.teams.Swarm"
    assert [(each["target"], each["name"], each["description"]) for each in found["Desk"]["handoffs"]] == [
        ("Cook", "transfer_to_cook", "Handoff to the Cook agent to handle the request. Knows food."),
        ("Head_Baker", "to_the_baker", "For bread."),
    ]
    assert [each["target"] for each in found["Head_Baker"]["handoffs"]] == ["Desk"]


def test_a_function_takes_along_what_it_needs_and_leaves_its_decorator():
    (tool,) = participants(read(TOOLS))["Calculator"]["tools"]
    source = tool["config"]["source_code"]
    assert (tool["config"]["name"], tool["config"]["description"]) == ("half_of", "Halve a number.")
    assert "import math" in source
    assert "LIMIT = 100" in source
    assert "def rounded" in source
    assert "function_tool" not in source


def test_a_function_that_needs_the_context_of_a_run_is_a_stand_in():
    code = TOOLS.replace("def half(number: float)", "def half(ctx: RunContextWrapper[int], number: float)")
    imported = read(code)
    (tool,) = participants(imported)["Calculator"]["tools"]
    assert tool["config"]["source_code"].startswith("def half(number: float) -> str:\n    raise NotImplementedError(")
    assert "approximated: Tool `half_of` of Calculator" in told(imported)


def test_an_agent_as_a_tool_has_its_words_and_does_not_speak_itself():
    imported = read(AGENT_TOOLS)
    (tool,) = participants(imported)["Leader"]["tools"]
    inner = tool["config"]["agent"]["config"]
    assert (inner["name"], inner["description"]) == ("to_spanish", "Translate into Spanish")
    assert list(participants(imported)) == ["Leader"]


@pytest.mark.parametrize(
    ("written", "provider", "fields"),
    [
        ('model="claude-sonnet-4-5"', "Anthropic", {"model": "claude-sonnet-4-5"}),
        ('model=LitellmModel(model="groq/llama-3.3-70b")', "OpenAI", {"api_key": "env:GROQ_API_KEY"}),
        (
            'model="gpt-4.1", model_settings=ModelSettings(temperature=0.5, tool_choice="required")',
            "OpenAI",
            {"temperature": 0.5},
        ),
        ("", "OpenAI", {"model": "gpt-4.1"}),
    ],
)
def test_a_model_keeps_its_service_and_settings(written: str, provider: str, fields: JsonObject):
    code = f'from agents import Agent\na = Agent(name="A", instructions="Be.", {written})\n'
    client = participants(read(code))["A"]["model_client"]
    assert client["provider"].endswith(f".{provider}ChatCompletionClient")
    assert client["config"] | fields == client["config"]


def test_a_key_in_the_open_becomes_the_name_of_a_variable():
    key = "sk-proj-" + "a1B2" * 8
    config = '{"server_url": "https://example.com/mcp", "headers": {"Authorization": "Bearer KEY"}}'.replace("KEY", key)
    tool = f"HostedMCPTool(tool_config={config})"
    code = f'from agents import Agent, HostedMCPTool\na = Agent(name="A", model="gpt-4.1", tools=[{tool}])\n'
    imported = read(code)
    assert key not in json.dumps(imported.as_json())
    assert any(each.what == "Key" for each in imported.findings)


def test_importing_twice_gives_the_same():
    assert read(ROUTER).as_json() == read(ROUTER).as_json()


def test_an_approval_asks_its_question_and_each_answer_has_its_end():
    config: Any = read(APPROVAL).team["config"]
    found = participants(read(APPROVAL))
    edges = {name: [each["target"] for each in node["edges"]] for name, node in config["graph"]["nodes"].items()}
    assert edges == {
        "Sort": ["Offer"],
        "Offer": ["approval_prompt"],
        "approval_prompt": ["approval"],
        "approval": ["end", "end_2"],
        "end": [],
        "end_2": [],
    }
    assert found["approval_prompt"]["message"] == "Is {{this}} all right?"
    assert found["end"]["assignments"] == [{"name": "output", "expression": "{'message': 'It is on the way.'}"}]


async def test_a_person_approves_and_the_workflow_goes_on(monkeypatch: pytest.MonkeyPatch):
    async def approved(question: HumanQuestion) -> HumanAnswer:
        return HumanAnswer(question.choices[0])

    monkeypatch.setattr(effects, "ask_human", approved)
    document = read(APPROVAL).team
    answers = {"Sort": '{"category": "return"}', "Offer": "Here you are."}
    for _, part in envelopes(document):
        config: Any = part["config"]
        if config.get("name") in answers and "model_client" in config:
            config["model_client"] = replay_model(answers[config["name"]])
    team = load_component(document)
    assert isinstance(team, Team)
    items = [each async for each in team.run_stream("Back?") if not isinstance(each, TaskResult)]
    said = [each.to_text() for each in items if each.is_chat]
    assert said[2:] == ["Here you are.", "Is {this} all right?", "Approve", '{"message": "It is on the way."}']


def test_typescript_is_refused_with_what_to_do():
    with pytest.raises(UnknownSource, match="choose Python"):
        read('import { Agent } from "@openai/agents";', "a.ts")


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"a.json": b"{}"}, UnknownSource),
        ({"a.py": b"print('Agent')"}, UnknownSource),
        ({"a.py": b"from agents import Agent\n"}, InvalidDocument),
        ({"a.py": b"from agents import Agent\nx = ("}, InvalidPython),
        ({"a.py": b"from autogen import ConversableAgent\n" + b"x = 1\n" * 100_000}, TooLarge),
        ({"a.py": b"\xff\xfe"}, InvalidDocument),
        ({"a.zip": b"PK\x03\x04damaged"}, InvalidDocument),
        ({"a.json": b"{" + b" " * 6_000_000}, TooLarge),
        ({f"{at}.py": b"" for at in range(300)}, TooLarge),
        ({"a.json": json.dumps(workflow([agent(f"a{at}", "") for at in range(301)], [])).encode()}, TooLarge),
        ({"a.py": b"from agents import Agent\n" + b"".join(b"a%d = Agent()\n" % at for at in range(301))}, TooLarge),
        ({}, InvalidDocument),
    ],
)
def test_other_files_are_refused(files: dict[str, bytes], kind: type[StudioError]):
    with pytest.raises(kind):
        import_bundle(bundle_of(files))


def packed(**files: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return held.getvalue()


def test_a_zip_file_is_read_as_the_folder_that_it_is():
    content = packed(**{"team/main.py": ROUTER, "team/logo.png": "x", ".git/config.py": "(", "__MACOSX/a.py": "("})
    assert read(ROUTER).team == import_bundle(bundle_of({"team.zip": content})).team


@pytest.mark.parametrize("name", ["../evil.py", "/etc/evil.py", "C:\\evil.py", "a/../../evil.py"])
def test_a_zip_file_with_paths_outside_is_refused(name: str):
    with pytest.raises(InvalidDocument, match="outside"):
        bundle_of({"team.zip": packed(**{name: "x"})})


def test_a_zip_file_that_grows_is_not_unpacked():
    with pytest.raises(TooLarge):
        bundle_of({"bomb.zip": packed(**{f"{at}.py": " " * 4_000_000 for at in range(8)})})


# --- the command ---


def test_the_command_writes_the_team_and_tells_what_came_along(studio: Studio, tmp_path: Path):
    file, out = tmp_path / "export.py", tmp_path / "team.json"
    file.write_text(ROUTER)
    code, printed, err = studio("import", file, "--out", out)
    assert (code, err) == (0, "")
    assert "OpenAI Agent Builder (Python)" in printed
    assert "5 exact, 0 approximated, 0 dropped, 0 asked" in printed
    assert studio("check", out).code == 0


def test_the_command_gives_programs_the_whole_report(studio: Studio, tmp_path: Path):
    (tmp_path / "a.py").write_text(HANDOFFS)
    code, printed, _ = studio("import", tmp_path, "--json")
    found = json.loads(printed)
    assert (code, found["source"], sum(found["counts"].values())) == (0, "openai-agents", len(found["findings"]))


def test_the_command_refuses_with_a_reason_or_says_that_it_was_used_wrongly(studio: Studio, tmp_path: Path):
    file = tmp_path / "a.json"
    file.write_text("{}")
    assert studio("import", file).code == 1
    assert studio("import", file, "--as", "nothing").code == 2
    assert studio("import", tmp_path / "missing.py").code == 2


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_every_sample_passes_the_check(sample: Any, studio: Studio, tmp_path: Path):
    file = tmp_path / "team.json"
    file.write_text(json.dumps(read(sample.code).team))
    assert studio("check", file).code == 0


@pytest.mark.skipif(not CORPUS, reason="STUDIO_IMPORT_CORPUS names no folder")
@pytest.mark.parametrize(
    ("folder", "sources"),
    [
        ("openai-agent-builder", {"agent-builder", "agent-builder-json"}),
        ("openai-agents-sdk", {"openai-agents"}),
        ("autogen-studio-0.2", {"autogen-studio"}),
        ("autogen-0.2", {"autogen-0.2"}),
        ("agents-markdown", {"markdown"}),
        ("agent-spec", {"agent-spec"}),
        ("langflow", {"langflow"}),
        ("letta", {"letta"}),
        ("agent-framework-yaml", {"agent-framework"}),
        ("agent-framework-python", {"agent-framework-python"}),
        ("dify", {"dify"}),
        ("n8n", {"n8n"}),
    ],
)
def test_every_published_file_is_found_and_imported(folder: str, sources: set[str], studio: Studio, tmp_path: Path):
    place = Path(CORPUS, folder)
    groups: dict[str, list[str]] = defaultdict(list)
    for entry in json.loads((place / "MANIFEST.json").read_text()):
        groups[entry["file"] if folder in ("openai-agent-builder", "agent-framework-yaml") else entry["group"]].append(
            entry["file"]
        )
    counts: Counter[str] = Counter()
    for files in groups.values():
        try:
            imported = import_bundle(bundle_of({name: (place / name).read_bytes() for name in files}))
        except InvalidDocument as error:
            if folder not in ("agent-spec", "dify") or not error.fix:
                raise
            counts["refused"] += 1
            continue
        assert imported.source in sources
        counts.update(imported.counts)
        team = tmp_path / "team.json"
        team.write_text(json.dumps(imported.team))
        assert studio("check", team).code == 0, files
    print(folder, len(groups), dict(counts))


def test_agents_that_are_tools_of_one_another_are_counted():
    """Each has the next one several times, so there would be thousands."""
    agents = "".join(
        f"a{number} = Agent(name='a{number}', tools=[{', '.join([f'a{number + 1}.as_tool()'] * 4)}])\n"
        for number in range(9)
    )
    script = f"from agents import Agent, Runner\na9 = Agent(name='a9')\n{agents}Runner.run_sync(a0, 'x')\n"
    with pytest.raises(TooLarge, match="300 agents"):
        import_bundle(bundle_of({"team.py": script.encode()}))
