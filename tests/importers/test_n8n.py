"""Agents and chains of workflows of n8n."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.components import load_component, validate_component
from studio.errors import InvalidDocument, StudioError
from studio.importers import Imported, bundle_of, import_bundle, name_for
from studio.importers.importing import import_foreign
from studio.teams import Team
from tests.fakes.openai_server import OpenAIServer
from tests.importers.n8n_samples import CHAT, DESK, MODEL, node, workflow
from tests.importers.transcripts import ScriptedModels


def read(document: Any) -> Imported:
    return import_bundle(bundle_of({"flow.json": json.dumps(document).encode()}))


def one(*nodes: dict[str, Any], **edges: str) -> Imported:
    """A workflow with a chat and an agent named A; `Node="kind"` hangs a node on it."""
    links = [("When chat message received", "main", "A"), *[(name, kind, "A") for name, kind in edges.items()]]
    return read(workflow([CHAT, *nodes], links))


def parts(imported: Imported) -> dict[str, Any]:
    """Participants by name, without the filters around agents."""
    config: Any = imported.team["config"]
    return {
        each["config"]["name"]: each["config"].get("wrapped_agent", each)["config"] for each in config["participants"]
    }


def told(imported: Imported) -> list[str]:
    return [f"{each.verdict}: {each.what}" for each in imported.findings]


def test_a_workflow_is_found_by_its_content_and_makes_the_same_valid_team_each_time():
    text = json.dumps(DESK)
    imported = import_foreign(name_for(text), text.encode())
    assert imported is not None
    assert imported.source == "n8n"
    assert validate_component(imported.team).errors == ()
    assert read(DESK).as_json()["team"] == imported.team
    assert imported.team["label"] == "Bread desk"
    assert [each["text"] for each in imported.layout["notes"].values()] == ["Read me."]  # pyright: ignore


def test_each_node_is_in_the_report_once():
    found = " ".join(told(read(DESK)))
    for name in ("Fields", "Mail", "Timer", "Other", "Note", "When chat message received", "Cook", "Baker"):
        assert found.count(f"“{name}”") == 1, name
    assert "asked: Node “Other”" in told(read(DESK))


def test_agents_follow_one_another_and_each_hears_its_own_text():
    imported = read(DESK)
    assert list(parts(imported)) == ["Cook", "Baker_prompt", "Baker"]
    said = parts(imported)["Baker_prompt"]["message"]
    assert said == "Bake like {Cook} in a kind way for {who} on {value} {{x}}."
    config: Any = imported.team["config"]
    assert (config["context_variables"]["who"], config["context_variables"]["value"]) == ("", "")
    assert parts(imported)["Cook"]["keep_as"] == "Cook"
    assert parts(imported)["Baker"]["system_message"] == "You bake on {value_2}."
    assert parts(imported)["Baker"]["system_message_holds_variables"] is True
    assert [each for each in told(imported) if each.startswith("asked: `{{$")] == [
        "asked: `{{$json.who}}` in a text of Baker",
        "asked: `{{$now.toISO()}}` in a text of Baker",
        "asked: `{{$now}}` in a text of Baker",
    ]


async def test_the_models_are_asked_what_n8n_asks_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    made = workflow(
        [
            CHAT,
            node("Cook", "agent", options={"systemMessage": "You cook."}),
            node("Baker", "agent", promptType="define", text="=Bake: {{ $json.output }}"),
            MODEL,
        ],
        [
            ("When chat message received", "main", "Cook"),
            ("Cook", "main", "Baker"),
            ("Model", "ai_languageModel", "Cook"),
            ("Model", "ai_languageModel", "Baker"),
        ],
    )
    document = json.loads(json.dumps(made))
    with OpenAIServer() as server:
        document["nodes"][-1]["parameters"]["options"]["baseURL"] = server.url
        models = ScriptedModels({"You cook.": ["Fry it."], "You are a helpful": ["Baked."]})
        server.always(models)
        team = load_component(read(document).team)
        assert isinstance(team, Team)
        async for _ in team.run_stream("Bread?"):
            pass
    assert [(turn["instructions"], turn["heard"]) for turn in models.turns] == [
        ("You cook.", ["Bread?"]),
        ("You are a helpful assistant", ["Bake: Fry it."]),
    ]


def test_what_hangs_on_an_agent():
    imported = read(DESK)
    cook = parts(imported)["Cook"]
    assert cook["model_client"]["config"] == {"model": "gpt-4.1-mini", "temperature": 0.5}
    assert (cook["max_tool_iterations"], cook["model_context"]["config"]["buffer_size"]) == (4, 6)
    calculator, post, expert = (each["config"] for each in cook["tools"])
    assert (calculator["name"], post["name"]) == ("calculator", "Post")
    assert "def Post(to: Annotated[str, 'An address'])" in post["source_code"]
    assert expert["agent"]["config"]["system_message"] == "You are an expert."
    assert cook["workbench"][0]["config"]["server_params"]["type"] == "SseServerParams"
    schema = parts(imported)["Baker"]["structured_message_factory"]["config"]["json_schema"]
    assert schema["properties"] == {
        "loaves": {"type": "number"},
        "kinds": {"type": "array", "items": {"type": "string"}},
        "isSweet": {"type": "boolean"},
    }
    assert "dropped: `returnIntermediateSteps` of Cook" in told(imported)


def test_chains_summaries_and_extractors():
    messages = {
        "messageValues": [{"message": "You judge."}, {"type": "HumanMessagePromptTemplate", "message": "Is it?"}]
    }
    chain = one(node("A", "chainLlm", promptType="define", text="Bread", messages=messages))
    assert parts(chain)["A"]["system_message"] == "You judge."
    assert [each["message"] for name, each in parts(chain).items() if "prompt" in name] == ["Is it?", "Bread"]
    attributes = {"attributes": [{"name": "cost", "type": "number", "required": True}]}
    extracting = one(node("A", "informationExtractor", text="={{ $json.chatInput }}", attributes=attributes))
    schema = parts(extracting)["A"]["structured_message_factory"]["config"]["json_schema"]
    assert schema == {"type": "object", "properties": {"cost": {"type": "number"}}, "required": ["cost"]}
    assert "approximated: Summary of A" in told(one(node("A", "chainSummarization", options={})))


def test_reading_takes_as_long_as_there_are_nodes_and_connections():
    one, twice = (calls_to_read(ring(count)) for count in (60, 120))
    assert twice < 3 * one, "and not as the number of pairs of them, or worse"


def ring(count: int) -> Any:
    """Each agent leads to the next six."""
    names = [f"A{number}" for number in range(count)]
    links = [(names[at], "main", names[(at + step) % count]) for at in range(count) for step in range(1, 7)]
    return workflow([node(name, "agent") for name in names], links)


def calls_to_read(document: Any) -> int:
    count = 0

    def one_more(*_event: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(one_more)
    try:
        read(document)
    finally:
        sys.setprofile(None)
    return count


def test_a_workflow_that_only_moves_data_is_refused():
    with pytest.raises(InvalidDocument, match="only moves data"):
        read(workflow([CHAT, node("Mail", "gmail")], []))


SYSTEM = "__import__('os').system('x')"


def changed(**parts: Any) -> Any:
    return {**DESK, **parts}


DAMAGED: tuple[Any, ...] = (
    changed(nodes=[]),
    changed(nodes={}),
    changed(nodes=[7, None, [], {"type": "n8n-nodes-base.set"}]),
    changed(connections=[]),
    changed(connections={"Cook": 7, "Baker": {"main": 7}, "Mail": {"main": [7, [7], [{"node": 7}], None]}}),
    changed(connections={"Cook": {"main": [[{"node": "Cook"}]]}}),
    changed(connections={"x": {"main": [[{"node": "y"}] * 5_000]}}),
    changed(name={"x": 1}),
    [DESK, DESK, 7],
    workflow([node("A", "agent")] * 400, []),
    workflow([node("A", "agent", text=7, options=[7], promptType={})], []),
    workflow([node("A", "agent", promptType="define", text="=" + "{{" * 5_000)], []),
    workflow([node("A", "agent", promptType="define", text="={{ $json" + ".a" * 2_000 + " }}")], []),
    workflow([node("A", "agent", promptType="define", text=f"={{{{ {SYSTEM} }}}} {{0.__class__}} {{__class__}}")], []),
    workflow([node("A", "agent", promptType="define", text="={{ $('A').item.json.output.__class__ }}")], []),
    workflow([node(f"{SYSTEM}; x", "agent"), node("class", "agent"), node("é", "agent"), node("  ", "agent")], []),
    workflow(
        [node("A", "agent"), node("T", "agentTool")], [("T", "ai_tool", "A"), ("T", "ai_tool", "T"), ("A", "main", "A")]
    ),
    workflow(
        [node("A", "agent"), node("P", "outputParserStructured", jsonSchemaExample="[" * 150)],
        [("P", "ai_outputParser", "A")],
    ),
    workflow(
        [node("A", "agent"), node("P", "outputParserStructured", inputSchema='{"$ref": "file:///etc/passwd"}')],
        [("P", "ai_outputParser", "A")],
    ),
    workflow(
        [node("A", "agent"), node("M", "lmChatOpenAi", model=7, options={"baseURL": "file:///x", "temperature": "x"})],
        [("M", "ai_languageModel", "A")],
    ),
    workflow(
        [node("A", "agent"), node("T", "toolHttpRequest", url="file:///etc/passwd", method=SYSTEM)],
        [("T", "ai_tool", "A")],
    ),
    workflow(
        [node("S", "set", assignments={"assignments": [{"name": "a", "value": "={{ $json.a }}"}]}), node("A", "agent")],
        [("S", "main", "S"), ("S", "main", "A")],
    ),
)


@pytest.mark.parametrize("document", DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_and_hostile_workflows_make_a_valid_team_or_are_refused_with_what_to_do(document: Any):
    try:
        imported = import_bundle(bundle_of({"flow.json": json.dumps(document).encode()}), "n8n")
    except StudioError as refusal:
        errors = () if getattr(refusal, "fix", "") else (refusal,)
    else:
        errors = validate_component(imported.team).errors
    assert errors == ()


PLACES: list[tuple[int, str]] = [
    (at, key)
    for at, each in enumerate(DESK["nodes"])
    for key in (*each, *(f"parameters/{inner}" for inner in each["parameters"]))
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("value", "values", "x")), inner),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PLACES), VALUES)
def test_any_value_can_be_another_and_the_team_is_valid_or_refused(place: tuple[int, str], value: Any):
    document = json.loads(json.dumps(DESK))
    holder = document["nodes"][place[0]]
    *way, last = place[1].split("/")
    for step in way:
        holder = holder[step]
    holder[last] = value
    try:
        imported = read(document)
    except StudioError:
        return
    assert validate_component(imported.team).errors == ()
