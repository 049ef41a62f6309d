"""Apps of Dify: workflows with models, branches, code and templates, and apps that are one agent."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.components import validate_component
from studio.errors import InvalidDocument, StudioError, TooLarge
from studio.importers import Imported, UnknownSource, bundle_of, import_bundle, import_foreign
from tests.cli.conftest import Studio
from tests.cli.conftest import studio as studio
from tests.importers.canvases import parts, said, told
from tests.importers.dify_samples import BRANCH, CHAIN, KEY, MODEL, START, app, case, chat, llm, node, start, written

CORPUS = Path(os.environ.get("STUDIO_IMPORT_CORPUS", "")) / "dify"


def read(document: Any) -> Imported:
    text = document if isinstance(document, str) else written(document)
    imported = import_bundle(bundle_of({"Desk.yml": text.encode()}))
    assert imported.source == "dify"
    assert validate_component(imported.team).errors == ()
    return imported


# --- behavior ---


async def test_models_answer_in_turn_and_each_hears_its_own_texts():
    imported = read(CHAIN)
    assert await said(imported, {"Writer": ["one {y}"], "Editor": ["two"]}) == [
        ("Writer", "one {y}"),
        ("Editor_prompt", "Edit: one {y} {x}"),
        ("Editor", "two"),
    ]
    assert parts(imported)["Writer"]["system_message"] == "Write."
    assert imported.team["label"] == "Desk"
    assert imported.layout["pins"] == {"Writer": {"x": 300, "y": 40}, "Editor": {"x": 600, "y": 40}}
    place = next(each.place for each in imported.findings if each.what == "Model “Writer”")
    assert CHAIN["workflow"]["graph"]["nodes"][1]["id"] in written(CHAIN).splitlines()[place.line - 1]


@pytest.mark.parametrize(("answer", "last"), [("yes!", "Good: yes!"), ("no", "Bad.")])
async def test_an_if_else_takes_one_branch(answer: str, last: str):
    spoken = await said(read(BRANCH), {"Judge": [answer]})
    assert spoken[-1][1] == last


@pytest.mark.parametrize(
    ("operator", "value", "is_good"), [("is", "no", True), ("empty", "", False), ("in", "no!", True)]
)
async def test_conditions_compare_as_there(operator: str, value: str, is_good: bool):
    document = json.loads(json.dumps(BRANCH))
    document["workflow"]["graph"]["nodes"][2]["data"]["cases"] = [case("true", ("1", "text"), operator, value)]
    spoken = await said(read(document), {"Judge": ["no"]})
    assert spoken[-1][1].startswith("Good") is is_good


def test_a_condition_without_a_counterpart_is_told_with_its_line():
    document = json.loads(json.dumps(BRANCH))
    document["workflow"]["graph"]["nodes"][2]["data"]["cases"] = [case("true", ("1", "text"), "start with", "y")]
    imported = read(document)
    found = next(each for each in imported.findings if each.verdict == "dropped")
    assert "no operation like `start with`" in found.why
    assert found.place.line > 0


async def test_a_classifier_leads_to_the_branch_of_its_class():
    classes = [{"id": "1", "name": "It's tea"}, {"id": "2", "name": "Other"}]
    asks = node(
        "q", "question-classifier", "Sort", classes=classes, query_variable_selector=["sys", "query"], model=MODEL
    )
    ends = [node(each, "answer", each, answer=f"{each}: {{{{#q.class_name#}}}}") for each in ("tea", "other")]
    imported = read(app([start(), asks, *ends], [(START, "q"), ("q", "tea", "1"), ("q", "other", "2")]))
    for name, last in (("It's tea", "tea: It's tea"), ("Other", "other: Other")):
        spoken = await said(imported, {"Sort": [json.dumps({"class_name": name})]})
        assert "Text: Help!" in spoken[0][1]
        assert spoken[-1][1] == last


async def test_code_and_templates_run_with_the_team_and_keep_fields_and_lists():
    code = "import json\n\ndef main(text):\n    return {'words': text.split(), 'n': len(text)}\n"
    nodes = [
        start(),
        llm("1", "Writer"),
        node(
            "c",
            "code",
            "Split",
            code=code,
            code_language="python3",
            variables=[{"variable": "text", "value_selector": ["1", "text"]}],
            outputs={"words": {"type": "array[string]"}, "n": {"type": "number"}},
        ),
        node(
            "t",
            "template-transform",
            "Join",
            template="{% for each in words %}<{{ each }}>{% endfor %}",
            variables=[{"variable": "words", "value_selector": ["c", "words"]}],
        ),
        node("a", "answer", "Answer", answer="{{#t.output#}} of {{#c.n#}}"),
    ]
    imported = read(app(nodes, [(START, "1"), ("1", "c"), ("c", "t"), ("t", "a")]))
    assert {"exact: Code “Split”", "exact: Template “Join”"} <= set(told(imported))
    spoken = await said(imported, {"Writer": ["a bc"]})
    assert spoken[-1] == ("Answer", "<a><bc> of 4")


def test_javascript_tools_and_requests_are_stand_ins_that_take_no_address_along():
    script = node("c", "code", "Script", code="function main() {}", code_language="javascript", variables=[])
    asks = node("h", "http-request", "Ask", url=f"https://x.org/?api_key={KEY}", headers=f"X-Key: {KEY}", method="get")
    tool = node(
        "t",
        "tool",
        "Search",
        tool_name="tavily_search",
        provider_name="tavily",
        tool_parameters={"query": {"type": "mixed", "value": "{{#1.text#}}"}},
    )
    nodes = [start(), llm("1", "Writer"), script, asks, tool]
    imported = read(app(nodes, [(START, "1"), ("1", "c"), ("c", "h"), ("h", "t")]))
    text = json.dumps(imported.as_json())
    assert KEY not in text
    assert "x.org" not in text
    found = parts(imported)
    assert "NotImplementedError" in found["Script"]["tool"]["config"]["source_code"]
    assert found["Search"]["arguments"] == [{"name": "query", "expression": "Writer"}]


def test_keys_in_the_open_and_secrets_are_not_kept():
    variables = [{"name": "token", "value": "hush hush", "value_type": "secret"}]
    document = app([start(), llm("1", "W", system=f"Use {KEY}.")], [(START, "1")], environment_variables=variables)
    text = json.dumps(read(document).as_json())
    assert KEY not in text
    assert "hush" not in text


async def test_variables_of_the_conversation_are_set_and_added_to():
    items = [
        {"variable_selector": ["conversation", "all"], "operation": "append", "value": ["1", "text"]},
        {"variable_selector": ["conversation", "n"], "operation": "+=", "value": 2, "input_type": "constant"},
        {"variable_selector": ["conversation", "n"], "operation": "remove-first", "value": ""},
    ]
    nodes = [
        start(),
        llm("1", "Writer"),
        node("s", "assigner", "Set", version="2", items=items),
        node("a", "answer", "Answer", answer="{{#conversation.all#}} {{#conversation.n#}}"),
    ]
    variables = [
        {"name": "all", "value": ["x"], "value_type": "array[string]"},
        {"name": "n", "value": 1, "value_type": "number"},
    ]
    imported = read(app(nodes, [(START, "1"), ("1", "s"), ("s", "a")], conversation_variables=variables))
    assert (await said(imported, {"Writer": ["y"]}))[-1][1] == '["x", "y"] 3'
    assert any("`remove-first`" in each.why for each in imported.findings)


@pytest.mark.parametrize(("answer", "last"), [("yes", "A one"), ("no", "B two")])
async def test_an_aggregator_gives_the_value_of_the_branch_that_ran(answer: str, last: str):
    nodes = [
        start(),
        llm("1", "Judge"),
        node("if", "if-else", "If", cases=[case("x", ("1", "text"), "is", "yes")]),
        llm("a", "A"),
        llm("b", "B"),
        node("v", "variable-aggregator", "Both", variables=[["a", "text"], ["b", "text"]], output_type="string"),
        node("z", "answer", "Answer", answer="{{#v.output#}}"),
    ]
    edges = [(START, "1"), ("1", "if"), ("if", "a", "x"), ("if", "b", "false"), ("a", "v"), ("b", "v"), ("v", "z")]
    spoken = await said(read(app(nodes, edges)), {"Judge": [answer], "A": ["A one"], "B": ["B two"]})
    assert spoken[-1] == ("Answer", last)


async def test_a_loop_ends_by_its_condition_or_after_its_passes():
    stops = case("x", ("1", "text"), "contains", "done")["conditions"]
    loop = node("l", "loop", "Loop", loop_count=3, break_conditions=stops, logical_operator="and", loop_variables=[])
    inner = {**llm("1", "Worker", isInLoop=True, loop_id="l"), "parentId": "l"}
    begins = {**node("ls", "loop-start", "", isInLoop=True), "parentId": "l"}
    nodes = [start(), loop, begins, inner, node("a", "answer", "Answer", answer="End.")]
    imported = read(app(nodes, [(START, "l"), ("ls", "1"), ("l", "a")]))
    for answers, turns in ((["1", "2", "3", "4"], 3), (["1", "done", "3"], 2)):
        spoken = await said(imported, {"Worker": answers})
        assert [source for source, _ in spoken] == ["Worker"] * turns + ["Answer"]


@pytest.mark.parametrize(
    ("steps", "answers"),
    [('["a", "b"]', [("Do a", "x"), ("Do b", "y")]), ('["a"]', [("Do a", "x")]), ("[]", [])],
)
async def test_an_iteration_runs_what_is_inside_for_each_item(steps: str, answers: list[tuple[str, str]]):
    extract = node(
        "p",
        "parameter-extractor",
        "Steps",
        model=MODEL,
        query=["sys", "query"],
        parameters=[{"name": "steps", "type": "array[string]", "description": "D"}],
    )
    group = node("i", "iteration", "Each", iterator_selector=["p", "steps"], output_selector=["1", "text"])
    inner = {**llm("1", "Worker", "Do {{#i.item#}}"), "parentId": "i"}
    nodes = [start(), extract, group, inner, node("a", "answer", "Answer", answer="{{#i.output#}}")]
    imported = read(app(nodes, [(START, "p"), ("p", "i"), ("i", "a")]))
    spoken = await said(imported, {"Steps": [f'{{"steps": {steps}}}'], "Worker": [text for _, text in answers]})
    asked = [(task, text) for (_, task), (_, text) in zip(spoken[2:-1:2], spoken[3:-1:2], strict=True)]
    assert asked == answers
    assert spoken[-1] == ("Answer", json.dumps([text for _, text in answers]))
    assert "approximated: Iteration “Each”" in told(imported)


async def test_a_structured_answer_gives_its_fields():
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    asks = llm("1", "Ask", structured_output_enabled=True, structured_output={"schema": schema})
    nodes = [
        start(),
        asks,
        node("e", "end", "End", outputs=[{"variable": "city", "value_selector": ["1", "structured_output", "city"]}]),
    ]
    imported = read(app(nodes, [(START, "1"), ("1", "e")]))
    assert (await said(imported, {"Ask": ['{"city": "Oslo"}']}))[-1] == ("End", "Oslo")


def test_the_only_text_of_a_form_is_the_message_and_others_are_variables():
    fields = [{"variable": "topic", "type": "paragraph"}, {"variable": "n", "type": "number", "default": 3}]
    document = app(
        [start(*fields), llm("1", "W", f"{{{{#{START}.topic#}}}} {{{{#{START}.n#}}}}")], [(START, "1")], "workflow"
    )
    imported = read(document)
    config: Any = imported.team["config"]
    assert config["context_variables"]["n"] == 3
    assert parts(imported)["W_prompt"]["message"] == "{input_as_text} {n}"
    assert {"approximated: Field `topic` of the form", "asked: Field `n` of the form"} <= set(told(imported))


def test_an_agent_has_its_tools_servers_and_rounds():
    tools = [
        {"enabled": True, "provider_name": "time", "tool_name": "current_time"},
        {
            "enabled": True,
            "provider_name": "x/y/search",
            "tool_name": "web search",
            "schemas": [{"name": "q", "form": "llm"}],
        },
        {"enabled": False, "provider_name": "off", "tool_name": "off"},
    ]
    values: dict[str, Any] = {
        "model": MODEL,
        "instruction": "Help with {{#sys.query#}}",
        "query": "{{#sys.query#}}",
        "tools": tools,
        "maximum_iterations": 4,
        "mcp_servers_config": '{"mcpServers": {"a": {"url": "https://mcp.example/sse", "transport": "sse"}}}',
        "odd": 1,
    }
    parameters = {key: {"type": "constant", "value": value} for key, value in values.items()}
    imported = read(app([start(), node("1", "agent", "Helper", agent_parameters=parameters)], [(START, "1")]))
    config = parts(imported)["Helper"]
    assert [each["config"]["name"] for each in config["tools"]] == ["current_date_time", "web_search"]
    assert config["workbench"][0]["config"]["server_params"]["url"] == "https://mcp.example/sse"
    assert config["max_tool_iterations"] == 4
    assert config["system_message"] == "Help with {input_as_text}"
    assert "dropped: `odd` of Helper" in told(imported)


# --- apps without a workflow ---


def test_an_agent_app_is_one_agent_with_its_form_tools_and_knowledge():
    form = [{"text-input": {"variable": "tone", "default": "kind"}}]
    mode = {
        "enabled": True,
        "max_iteration": 7,
        "tools": [{"enabled": True, "provider_id": "g", "tool_name": "search"}],
    }
    sets = {"datasets": {"datasets": [{"dataset": {"enabled": True, "id": "1"}}]}}
    imported = read(
        chat(
            pre_prompt="Be {{tone}}, {not}.",
            user_input_form=form,
            agent_mode=mode,
            dataset_configs=sets,
            opening_statement="Hi",
        )
    )
    config = parts(imported)["Desk"]
    assert config["system_message"] == "Be {tone}, {{not}}."
    assert [each["config"]["name"] for each in config["tools"]] == ["search", "search_knowledge"]
    assert config["max_tool_iterations"] == 7
    assert {"asked: Knowledge of Desk", "dropped: Setting `opening_statement`"} <= set(told(imported))


async def test_a_text_generator_hears_its_prompt_with_the_message():
    form = [{"paragraph": {"variable": "query"}}]
    imported = read(chat("completion", pre_prompt="Shorten: {{query}}", user_input_form=form))
    assert await said(imported, {"Desk": ["s"]}, "long") == [("Desk_prompt", "Shorten: long"), ("Desk", "s")]


# --- notes, detection, refusals ---


def test_notes_come_along_with_the_text_of_their_tree():
    tree = {
        "root": {"children": [{"type": "paragraph", "children": [{"text": "Read", "type": "text"}, {"text": " me"}]}]}
    }
    note = {
        "id": "n",
        "type": "custom-note",
        "position": {"x": 40, "y": 20},
        "data": {"type": "", "text": json.dumps(tree)},
    }
    document = json.loads(json.dumps(CHAIN))
    document["workflow"]["graph"]["nodes"].append(note)
    notes: Any = read(document).layout["notes"]
    assert [(each["text"], each["x"], each["y"]) for each in notes.values()] == [("Read me", 40, 20)]


def test_it_is_found_by_its_content_and_on_the_import_of_a_team():
    assert import_foreign("team.yml", written(CHAIN).encode()) is not None
    document = json.loads(json.dumps(CHAIN))
    del document["kind"], document["version"]
    assert read(document).team == read(CHAIN).team


def test_a_workflow_without_a_model_and_a_knowledge_pipeline_are_refused():
    only = app([start(), node("a", "answer", "A", answer="x")], [(START, "a")])
    with pytest.raises(InvalidDocument, match="no model and no agent"):
        read(only)
    with pytest.raises(InvalidDocument, match="only loads documents") as refused:
        read("kind: rag_pipeline\nworkflow:\n  graph: {}\n")
    assert "Export the app" in refused.value.fix
    with pytest.raises(UnknownSource):
        read("app:\n  mode: other\nworkflow: {}\n")


def test_the_command_writes_a_team_that_passes_the_check(studio: Studio, tmp_path: Path):
    source, team = tmp_path / "Desk.yml", tmp_path / "team.json"
    source.write_text(written(BRANCH))
    assert studio("import", source, "--out", team).code == 0
    assert studio("check", team).code == 0


def test_tags_bombs_and_large_files_are_refused():
    text = written(CHAIN)
    bomb = "".join(f"x{at}: &x{at} [{', '.join([f'*x{at - 1}'] * 9)}]\n" for at in range(1, 9))
    hostile = {
        "tag": text.replace("desc: ''", "desc: !!python/object/apply:os.system [x]", 1),
        "bomb": f"{text}x0: &x0 [a, a]\n{bomb}",
        "circle": f"{text}x: &x\n  <<: *x\n  y: [*x]\n",
        "deep": f"{text}x: " + "[" * 5_000,
        "long": text.replace("Write.", "x" * 400_000),
    }
    for each in hostile.values():
        with pytest.raises(StudioError):
            read(each)
    with pytest.raises(TooLarge, match="300 nodes"):
        read(app([start(), *(node(f"n{at}", "llm") for at in range(300))], []))


WILD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**20)
    | st.text(max_size=5)
    | st.sampled_from(["{{#1.text#}}", "{{{", "1"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["value", "name", "id"]), inner, max_size=3)
    ),
    max_leaves=6,
)
NODES = [
    start({"variable": "x", "type": "paragraph"}),
    llm("1", "W", memory={"query_prompt_template": ""}, structured_output={}, structured_output_enabled=True),
    node("if", "if-else", cases=[], conditions=[]),
    node("q", "question-classifier", classes=[], model={}, query_variable_selector=[], instruction=""),
    node("p", "parameter-extractor", parameters=[], query=[], model={}, instruction=""),
    node("g", "agent", agent_parameters={}, memory={}),
    node("c", "code", code="def main(): return {}", code_language="python3", variables=[], outputs={}),
    node("t", "template-transform", template="", variables=[]),
    node("s", "assigner", items=[], assigned_variable_selector=[], input_variable_selector=[]),
    node("v", "variable-aggregator", variables=[], advanced_settings={}),
    node("o", "tool", tool_parameters={}, tool_name="", provider_name=""),
    node("h", "http-request", url="", body={}),
    node("l", "loop", loop_variables=[], break_conditions=[], loop_count=1),
    node("i", "iteration", iterator_selector=[], output_selector=[]),
    node("u", "human-input", user_actions=[], form_content=""),
    node("a", "answer", answer=""),
    node("e", "end", outputs=[]),
    node("x", "unknown"),
]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_value_at_any_field_breaks_the_import(data: st.DataObject):
    drawn = data.draw(st.lists(st.sampled_from(NODES), min_size=1, max_size=6, unique_by=lambda each: each["id"]))
    chosen: list[Any] = [json.loads(json.dumps(each)) for each in drawn]
    for each in chosen:
        for key in each["data"]:
            if key != "type" and data.draw(st.booleans()):
                each["data"][key] = data.draw(WILD)
        if data.draw(st.integers(0, 3)) == 0:
            each["parentId"] = data.draw(st.sampled_from(["l", "i", "1"]))
    names = st.sampled_from([each["id"] for each in chosen])
    edges = data.draw(st.lists(st.tuples(names, names, st.sampled_from(["source", "true", "false", "1"])), max_size=8))
    try:
        imported = import_bundle(bundle_of({"a.yml": written(app(chosen, edges)).encode()}))
    except (InvalidDocument, TooLarge, UnknownSource):
        return
    assert validate_component(imported.team).errors == ()


@pytest.mark.skipif(not CORPUS.is_dir(), reason="STUDIO_IMPORT_CORPUS names no folder with files of Dify")
def test_published_files_are_found_and_read():
    refused: list[str] = []
    for file in sorted(CORPUS.glob("*.yml")):
        try:
            read(file.read_text(encoding="utf-8"))
        except InvalidDocument as error:
            refused.append(str(error))
    assert all("only moves data" in each for each in refused)
    assert len(refused) < 5
