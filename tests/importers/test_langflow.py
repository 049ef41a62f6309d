"""Flows of Langflow: agents with tools, prompts, models, branches, and components that are code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.components import validate_component
from studio.errors import InvalidDocument, StudioError, TooLarge
from studio.importers import UnknownSource, bundle_of, import_bundle, import_foreign
from studio.services.imports import layout_of
from tests.cli.conftest import Studio
from tests.cli.conftest import studio as studio
from tests.importers.canvases import parts, read, said, told
from tests.importers.langflow_samples import BRANCH, CHAIN, INPUT, KEY, OUTPUT, agent, edge, flow, node, note

TO_A = ("in", "message", "a", "input_value")


def only(*nodes: dict[str, Any], edges: tuple[tuple[str, str, str, str], ...] = ()) -> dict[str, Any]:
    """A flow from the chat input to the agent `a`, with more around it."""
    return flow([INPUT, *nodes], [TO_A, *edges])


def agent_of(document: dict[str, Any], name: str = "A") -> dict[str, Any]:
    return parts(read(document))[name]


# --- behavior ---


async def test_agents_answer_in_turn_and_each_hears_its_input_alone():
    imported = read(CHAIN)
    assert await said(imported, {"City_Agent": ["Oslo"], "Guide": ["Go."]}) == [
        ("City_Agent", "Oslo"),
        ("Guide", "Go."),
    ]
    config: Any = imported.team["config"]
    assert config["participants"][1]["config"]["filter"] == {"per_source": [{"source": "City_Agent"}]}
    assert imported.team["label"] == "Desk"


async def test_prompts_are_filled_with_what_the_flow_knows():
    prompt = node("p", "Prompt", "Ask", template="{topic}: {draft} {{x}} {tone}", topic="", draft="", tone="kind")
    document = flow(
        [INPUT, agent("a", "A"), prompt, agent("b", "B"), OUTPUT],
        [
            TO_A,
            ("in", "message", "p", "topic"),
            ("a", "response", "p", "draft"),
            ("p", "prompt", "b", "input_value"),
            ("b", "response", "out", "input_value"),
        ],
    )
    imported = read(document)
    spoken = await said(imported, {"A": ["one {y}"], "B": ["two"]}, "it")
    assert spoken == [("A", "one {y}"), ("B_prompt", "it: one {y} {x} kind"), ("B", "two")]
    assert "exact: Prompt “Ask”" in told(imported)


def test_a_prompt_can_be_the_instructions_with_values_or_with_variables():
    prompt = node("p", "Prompt", template="Be {how}. {{json}}", how="kind")
    document = only(agent("a", "A"), prompt, edges=(("p", "prompt", "a", "system_prompt"),))
    assert agent_of(document)["system_message"] == "Be kind. {json}"
    double = node("p", "Prompt", template="Be {{how}} {x}.", how="", use_double_brackets=True)
    edges = (("p", "prompt", "a", "system_prompt"), ("in", "message", "p", "how"))
    config = agent_of(only(agent("a", "A"), double, edges=edges))
    assert config["system_message"] == "Be {input_as_text} {{x}}."
    assert config["system_message_holds_variables"] is True


@pytest.mark.parametrize(
    ("answer", "spoken"), [("yes!", [("Yes", "1")]), ("no", [("No_prompt", "Say why {not}."), ("No", "2")])]
)
async def test_an_if_else_takes_one_branch_and_says_its_text(answer: str, spoken: list[tuple[str, str]]):
    found = await said(read(BRANCH), {"Judge": [answer], "Yes": ["1"], "No": ["2"]})
    assert found == [("Judge", answer), *spoken]


async def test_a_loop_over_an_if_else_ends_after_its_passes():
    check = node(
        "if", "ConditionalRouter", "Check", input_text="", match_text="done", operator="not equals", max_iterations=3
    )
    edges = (("a", "response", "if", "input_text"), ("if", "true_result", "a", "input_value"))
    imported = read(only(agent("a", "A"), check, edges=edges))
    for answers, turns in ((["1", "2", "3", "4"], 3), (["1", "done", "3"], 2)):
        assert len([source for source, _ in await said(imported, {"A": answers}) if source == "A"]) == turns


@pytest.mark.parametrize(("choice", "speaker"), [("It's good", "Good"), ("NONE", "Else")])
async def test_a_smart_router_leads_to_the_branch_of_its_route(choice: str, speaker: str):
    routes = [{"route_category": "It's good", "route_description": "Praise {x}"}, {"route_category": "Bad"}]
    router = node(
        "r", "SmartRouter", "Route", input_text="", routes=routes, model=[{"name": "gpt-4o", "provider": "OpenAI"}]
    )
    document = flow(
        [INPUT, router, agent("g", "Good"), agent("e", "Else")],
        [
            ("in", "message", "r", "input_text"),
            ("r", "category_1_result", "g", "input_value"),
            ("r", "default_result", "e", "input_value"),
        ],
    )
    spoken = await said(read(document), {"Route": [json.dumps({"output": choice})], speaker: ["Done."]})
    assert [source for source, _ in spoken] == ["Route_prompt", "Route", speaker]
    assert "Text: Help!" in spoken[0][1]
    assert "- It's good: Praise {x}" in spoken[0][1]


def test_a_person_chooses_a_branch():
    asks = node("h", "HumanInput", "Review", prompt="Good?", decisions=["Approve", "Request Changes"])
    document = only(
        agent("a", "A"),
        asks,
        agent("b", "B"),
        edges=(("a", "response", "h", "prompt"), ("h", "branch_request_changes", "b", "input_value")),
    )
    imported = read(document)
    assert parts(imported)["Review"]["choices"] == ["Approve", "Request Changes"]
    config: Any = imported.team["config"]
    edges: list[Any] = config["graph"]["nodes"]["Review"]["edges"]
    assert [(each["target"], each["condition"]) for each in edges] == [("B", "Request Changes")]


async def test_what_leaves_the_flow_is_said_where_no_agent_says_it():
    prompt = node("p", "Prompt", template="Answer: {x}", x="")
    edges = (("a", "response", "p", "x"), ("p", "prompt", "out", "input_value"))
    spoken = await said(read(only(agent("a", "A"), prompt, OUTPUT, edges=edges)), {"A": ["1"]})
    assert spoken == [("A", "1"), ("Chat_Output", "Answer: 1")]


async def test_an_agent_waits_for_all_that_it_is_given():
    prompt = node("p", "Prompt", template="{x} {y}", x="", y="")
    document = flow(
        [INPUT, agent("a", "A"), agent("b", "B"), prompt, agent("c", "C")],
        [
            TO_A,
            ("in", "message", "b", "input_value"),
            ("a", "response", "p", "x"),
            ("b", "response", "p", "y"),
            ("p", "prompt", "c", "input_value"),
        ],
    )
    spoken = await said(read(document), {"A": ["1"], "B": ["2"], "C": ["3"]})
    assert spoken[-2:] == [("C_prompt", "1 2"), ("C", "3")]
    assert len(spoken) == 4


def test_an_agent_that_is_reached_twice_comes_once_in_a_chain():
    prompt = node("p", "Prompt", template="{x} {y}", x="", y="")
    document = flow(
        [INPUT, agent("a", "A"), agent("b", "B"), prompt, agent("c", "C")],
        [
            TO_A,
            ("a", "response", "b", "input_value"),
            ("a", "response", "p", "x"),
            ("b", "response", "p", "y"),
            ("p", "prompt", "c", "system_prompt"),
            ("b", "response", "c", "input_value"),
        ],
    )
    imported = read(document)
    assert str(imported.team["provider"]).endswith("RoundRobinGroupChat")
    assert parts(imported)["C"]["system_message"] == "{A} {B}"


# --- models ---


@pytest.mark.parametrize(
    ("fields", "client"),
    [
        ({"model": [{"name": "claude-sonnet-4-5", "provider": "Anthropic"}]}, "Anthropic"),
        ({"model": None, "agent_llm": "OpenAI", "model_name": "gpt-4.1", "max_tokens": 0}, "OpenAI"),
        ({"model": [{"name": "llama3", "provider": "Ollama"}]}, "Ollama"),
        ({"model": [{"name": "gemini-2.5-pro", "provider": "Google Generative AI"}]}, "OpenAI"),
    ],
)
def test_models_of_each_release_become_clients(fields: dict[str, Any], client: str):
    config = agent_of(only(agent("a", "A", temperature=0, **fields)))["model_client"]
    assert config["provider"].rpartition(".")[2].startswith(client)
    assert (config["config"].get("temperature"), config["config"].get("options")) in (
        (0, None),
        (None, {"temperature": 0}),
    )
    assert "max_tokens" not in config["config"]


def test_a_model_that_is_connected_is_the_model_of_the_agent():
    model = node("m", "OllamaModel", "Local", input_value="", model_name="llama3", base_url="http://localhost:11434")
    imported = read(only(agent("a", "A"), model, edges=(("m", "model_output", "a", "model"),)))
    assert parts(imported)["A"]["model_client"]["config"]["model"] == "llama3"
    assert list(parts(imported)) == ["A"]
    assert "exact: Model “Local”" in told(imported)


def test_a_model_that_answers_is_an_agent():
    model = node("m", "OpenAIModel", "Writer", input_value="", system_message="Write.", model_name="gpt-4o")
    imported = read(flow([INPUT, model], [("in", "message", "m", "input_value")]))
    assert parts(imported)["Writer"]["system_message"] == "Write."


def test_azure_and_unknown_models_are_asked():
    azure = node(
        "m", "AzureOpenAIModel", "M", input_value="", azure_endpoint="https://x.azure.com", azure_deployment="d"
    )
    imported = read(flow([INPUT, azure], [("in", "message", "m", "input_value")]))
    assert "asked: Model of M" in told(imported)
    assert "x.azure.com" not in json.dumps(imported.team)
    assert "asked: Model of A" in told(read(only(agent("a", "A", model=""))))


def test_keys_never_stand_in_the_team_and_are_told():
    server = {"name": "s", "config": {"command": "npx", "args": ["-y", "x"], "env": {"API_KEY": KEY}}}
    servers = node("t", "MCPTools", "Tools", mcp_server={"value": server})
    plain = agent("a", "A", f"Use {KEY}.", api_key=KEY)
    imported = read(only(plain, servers, edges=(("t", "component_as_tool", "a", "tools"),)))
    assert KEY not in json.dumps(imported.as_json())
    assert "asked: Key of A" in told(imported)
    named = {"value": "MY_SECRET", "load_from_db": True}
    assert "asked: Key of A" in told(read(only(agent("a", "A", api_key=named))))
    usual = {"value": "OPENAI_API_KEY", "load_from_db": True}
    assert "asked: Key of A" not in told(read(only(agent("a", "A", api_key=usual))))


def test_global_variables_are_context_variables_that_are_asked():
    imported = read(only(agent("a", "A", system_prompt={"value": "TONE", "load_from_db": True})))
    assert parts(imported)["A"]["system_message"] == "{TONE}"
    assert "asked: Global variable `TONE`" in told(imported)


# --- tools and code ---


def tools_of(*tools: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    edges = tuple((each["id"], "component_as_tool", "a", "tools") for each in tools)
    imported = read(only(agent("a", "A"), *tools, edges=edges))
    return parts(imported)["A"], told(imported)


def test_small_tools_requests_and_servers_come_along():
    config, found = tools_of(
        node("c", "CalculatorComponent", "Calculator"),
        node("r", "APIRequest", "Prices", url_input="https://prices.example/all", method="GET", headers=[]),
        node("m", "MCPTools", mcp_server={"value": {"name": "s", "config": {"url": "https://mcp.example/mcp"}}}),
    )
    assert [each["config"]["name"] for each in config["tools"]] == ["calculator", "Prices"]
    assert config["tools"][1]["config"]["host"] == "prices.example"
    params = config["workbench"][0]["config"]["server_params"]
    assert (params["type"], params["url"]) == ("StreamableHttpServerParams", "https://mcp.example/mcp")
    assert config["max_tool_iterations"] == 15
    assert "exact: MCP server of A" in found


def test_servers_of_older_releases_are_read_and_unknown_ones_are_asked():
    config, _ = tools_of(node("m", "MCPTools", command="uvx mcp-server-fetch --x 'a b'"))
    params = config["workbench"][0]["config"]["server_params"]
    assert (params["command"], params["args"]) == ("uvx", ["mcp-server-fetch", "--x", "a b"])
    config, found = tools_of(node("m", "MCPTools", mcp_server={"value": {"name": "files"}}))
    assert "workbench" not in config
    assert "asked: MCP server of A" in found


def test_other_tools_are_stand_ins_with_their_parameters():
    arguments = {"query": {"type": "string", "description": "What."}, "count": {"type": "integer", "default": 3}}
    offered = [
        {"name": "search", "description": "Searches.", "args": arguments},
        {"name": "off", "description": "Off.", "status": False},
    ]
    one, other = (node(name, "TavilySearch", name.title(), tools_metadata=offered) for name in ("web", "news"))
    config, found = tools_of(one, other)
    assert [each["config"]["name"] for each in config["tools"]] == ["search", "News_search"]
    source = config["tools"][0]["config"]["source_code"]
    assert source.startswith("def search(query: Annotated[str, 'What.'], count: int | None = None) -> str:")
    assert "NotImplementedError" in source
    assert "approximated: Tool `News_search` of A" in found


def test_an_agent_can_be_a_tool_but_not_of_itself():
    helper = agent("h", "Helper", "Help.", tools_metadata=[{"name": "call", "description": "Helps."}])
    edges = (("h", "component_as_tool", "a", "tools"), ("a", "component_as_tool", "h", "tools"))
    imported = read(only(agent("a", "A"), helper, OUTPUT, edges=(*edges, ("a", "response", "out", "input_value"))))
    tool = parts(imported)["A"]["tools"][0]["config"]["agent"]["config"]
    assert (tool["name"], tool["system_message"], tool["description"]) == ("Helper", "Help.", "Helps.")
    assert "tools" not in tool
    assert "dropped: Tool “A” of Helper" in told(imported)


async def test_code_is_never_taken_and_a_component_of_code_fails_with_a_reason():
    custom = node("x", "MyComponent", "My Code", query="")
    before = node("f", "MyLoader", "Loader")
    document = flow(
        [INPUT, before, custom, agent("a", "A")],
        [("f", "data", "x", "data"), ("in", "message", "x", "query"), ("x", "out", "a", "input_value")],
    )
    imported = read(document)
    assert "os.system" not in json.dumps(imported.as_json())
    assert {"approximated: Component “My Code”", "dropped: Component “Loader”"} <= set(told(imported))
    config = parts(imported)["My_Code"]
    assert config["arguments"] == [{"name": "query", "expression": "input_as_text"}]
    assert "is Python code of Langflow, which is never run" in config["tool"]["config"]["source_code"]


def test_documents_are_asked():
    store = node("s", "AstraDB", "Astra", embedding_model="", search_query="")
    parser = node("p", "parser", "Parser", input_data="", pattern="Found: {content}")
    document = flow(
        [INPUT, store, parser, agent("a", "A")],
        [("in", "message", "s", "search_query"), ("s", "rows", "p", "input_data"), ("p", "text", "a", "input_value")],
    )
    imported = read(document)
    assert "asked: Component “Astra”" in told(imported)
    assert parts(imported)["A_prompt"]["message"] == "Found: {Astra}"


def test_code_that_was_edited_is_told():
    changed = agent("a", "A")
    changed["data"]["node"]["edited"] = True
    imported = read(only(changed))
    place = {each.what: str(each.place) for each in imported.findings}["Code of “A”"]
    assert place == "Desk.json/data/nodes/1/data/node/template/code"


async def test_a_loop_over_a_list_runs_once_and_says_so():
    loop, model = node("l", "LoopComponent", "Loop", data=""), node("m", "LanguageModelComponent", "M", input_value="")
    document = flow(
        [INPUT, loop, model, OUTPUT],
        [
            ("in", "message", "l", "data"),
            ("l", "item", "m", "input_value"),
            ("m", "text_output", "l", ""),
            ("l", "done", "out", "input_value"),
        ],
    )
    imported = read(document)
    assert "approximated: Loop “Loop”" in told(imported)
    assert await said(imported, {"M": ["1"]}) == [("M", "1")]


def test_a_structured_output_has_the_schema_of_its_table():
    table = [{"name": "price", "type": "float", "description": "In euros."}, {"name": "tags", "multiple": "True"}]
    made = node("s", "StructuredOutput", "Prices", input_value="", system_prompt="Extract.", output_schema=table)
    config = parts(read(flow([INPUT, made], [("in", "message", "s", "input_value")])))["Prices"]
    assert config["structured_message_factory"]["config"]["json_schema"]["properties"] == {
        "price": {"type": "number", "description": "In euros."},
        "tags": {"type": "array", "items": {"type": "string"}},
    }


# --- the report and the canvas ---


def test_every_node_is_in_the_report_with_its_place():
    alone = node("z", "OpenAIEmbeddings", "Embeddings")
    document = json.loads(json.dumps(BRANCH))
    document["data"]["nodes"] += [alone, note("n", "Mind this."), node("p", "Prompt", "Unused", template="x")]
    imported = read(document)
    places = {each.place.pointer for each in imported.findings}
    assert places >= {f"/data/nodes/{at}" for at in range(len(document["data"]["nodes"]))}
    assert {"dropped: Component “Embeddings”", "dropped: Component “Unused”", "exact: Note “Note”"} <= set(
        told(imported)
    )
    assert next(each for each in imported.findings if each.what == "Agent “Judge”").became == "/config/participants/0"


def test_cards_and_notes_stand_where_they_stood():
    document = json.loads(json.dumps(CHAIN))
    document["data"]["nodes"].append(note("n", "Mind this.", (10, 10)))
    layout: Any = layout_of(read(document))
    assert layout["pins"]["City_Agent"] == {"x": 60, "y": 20}
    assert layout["notes"]["note-4"]["text"] == "Mind this."
    assert "Imported from Langflow" in layout["notes"]["import"]["text"]


# --- what it finds and refuses ---


def test_a_list_of_flows_gives_its_first_and_names_the_others():
    for document in ([CHAIN, BRANCH], {"flows": [CHAIN, {**BRANCH, "name": "Other"}]}):
        imported = read(document)
        assert imported.source == "langflow"
        assert list(parts(imported)) == ["City_Agent", "Guide"]
    assert "dropped: Flow “Other”" in told(imported)
    assert import_foreign("x.json", json.dumps(CHAIN).encode()) is not None


def test_ends_of_edges_may_be_texts():
    document = json.loads(json.dumps(CHAIN))
    for each in document["data"]["edges"]:
        data = each.pop("data")
        each |= {name: json.dumps(value).replace('"', "œ") for name, value in data.items()}
    assert read(document).team == read(CHAIN).team


def test_flows_that_only_move_data_are_refused_with_what_to_do():
    nodes = [node("f", "File"), node("s", "SplitText"), node("d", "AstraDB", embedding="")]
    edges = [("f", "data", "s", "data"), ("s", "chunks", "d", "ingest_data")]
    with pytest.raises(InvalidDocument, match="it only moves data") as refused:
        read(flow(nodes, edges))
    assert "Choose a flow with an agent" in refused.value.fix
    with pytest.raises(TooLarge, match="more than 300 nodes"):
        read(flow([agent(str(at)) for at in range(301)], []))
    with pytest.raises(UnknownSource):
        read({"data": {"nodes": [{"type": "genericNode", "data": {"node": {}}}], "edges": []}})


def test_the_command_writes_a_team_that_passes_the_check(studio: Studio, tmp_path: Path):
    source, team = tmp_path / "Desk.json", tmp_path / "team.json"
    source.write_text(json.dumps(BRANCH))
    assert studio("import", source, "--out", team).code == 0
    assert studio("check", team).code == 0


TEXTS = ("{a}", "{{{", "{{ x }}", "{}", "in", "\u202e{x}", "1e999", "uvx 'a", "http://[", "true_result")
FIELDS = (
    "name",
    "value",
    "data",
    "args",
    "type",
    "route_category",
    "url",
    "command",
    "config",
    "load_from_db",
    "provider",
)
WILD = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats() | st.text(max_size=5) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3),
    max_leaves=6,
)
NODES = [
    INPUT,
    OUTPUT,
    agent("a", output_schema=[], tools_metadata=[], api_key="", temperature=1, n_messages=1, add_calculator_tool=True),
    node("m", "OpenAIModel", input_value="", system_message="", model_name="", max_tokens=1, base_url=""),
    node("p", "Prompt", template="{a} {b}", a="", b="", use_double_brackets=False),
    node("if", "ConditionalRouter", input_text="", match_text="", operator="", case_sensitive=True, max_iterations=1),
    node("r", "SmartRouter", input_text="", routes=[], custom_prompt="", model=[], message=""),
    node("h", "HumanInput", prompt="", decisions=[]),
    node("s", "StructuredOutput", input_value="", output_schema=[]),
    node("l", "LoopComponent", data=""),
    node("q", "parser", input_data="", pattern="", mode=""),
    node("t", "MCPTools", mcp_server="", command="", sse_url="", tools_metadata=[]),
    node("u", "APIRequest", url_input="", method="", headers=[]),
    node("x", "Custom", query="", embedding=""),
    note("n", "N"),
]
PORTS = ("response", "true_result", "category_1_result", "branch_approve", "item", "done", "component_as_tool", "")
ENDS = (
    "input_value",
    "system_prompt",
    "tools",
    "model",
    "a",
    "input_text",
    "prompt",
    "data",
    "input_data",
    "query",
    "",
)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_value_at_any_field_breaks_the_import(data: st.DataObject):
    drawn = data.draw(st.lists(st.sampled_from(NODES), min_size=1, max_size=6, unique_by=lambda each: each["id"]))
    chosen: list[Any] = [json.loads(json.dumps(each)) for each in drawn]
    for each in chosen:
        for key, field in each["data"]["node"]["template"].items():
            if isinstance(field, dict) and data.draw(st.booleans()):
                field["value"] = data.draw(WILD)
                field["load_from_db"] = data.draw(st.booleans())
            elif data.draw(st.integers(0, 9)) == 0:
                each["data"]["node"]["template"][key] = data.draw(WILD)
    names = st.sampled_from([each["id"] for each in chosen])
    edges = data.draw(st.lists(st.tuples(names, st.sampled_from(PORTS), names, st.sampled_from(ENDS)), max_size=10))
    text = json.dumps(flow(chosen, edges))
    try:
        imported = import_bundle(bundle_of({"a.json": text.encode()}))
    except (InvalidDocument, TooLarge, UnknownSource):
        return
    assert validate_component(imported.team).errors == ()
    assert json.loads(json.dumps(imported.team)) == imported.team


def test_large_deep_and_endless_files_are_refused_or_read_in_bounded_time():
    many = [agent(f"a{at}", tools_metadata=[]) for at in range(250)]
    dense = [(f"a{one}", "response", f"a{other}", "input_value") for one in range(40) for other in range(40)]
    assert read(flow([INPUT, *many], [("in", "message", "a0", "input_value"), *dense])).findings
    tools = [(f"a{one}", "component_as_tool", f"a{other}", "tools") for one in range(40) for other in range(one)]
    assert any(
        "are tools" in each.why
        for each in read(flow([INPUT, *many], [*tools, ("in", "message", "a0", "input_value")])).findings
    )
    prompts = [node(f"p{at}", "Prompt", template="{x}{x}{y}", x="", y="long" * 9) for at in range(60)]
    doubled = [(f"p{at}", "prompt", f"p{at + 1}", "x") for at in range(59)]
    with pytest.raises(TooLarge, match="too long"):
        read(only(agent("a"), *prompts, edges=(*doubled, ("p59", "prompt", "a", "system_prompt"))))
    into = [("in", "message", "p", "x"), *((f"a{at}", "response", "p", "x") for at in range(100))]
    out = [("p", "prompt", f"a{at}", "input_value") for at in range(100)]
    with pytest.raises(TooLarge, match="connections lead"):
        read(flow([INPUT, *many, node("p", "Prompt", template="{x}", x="")], [*into, *out]))
    offered = [{"name": f"t{at}"} for at in range(200)]
    wide = read(
        only(agent("a", "A"), node("t", "X", tools_metadata=offered), edges=(("t", "component_as_tool", "a", "tools"),))
    )
    assert "dropped: Other tools of A" in told(wide)
    to_prompt = (("p", "prompt", "a", "system_prompt"),)
    for long in ("{x}" * 1_000_000, "{y}" * 1_000_000):
        with pytest.raises(TooLarge, match="too long"):
            read(only(agent("a"), node("p", "Prompt", template=long, x="1"), edges=to_prompt))
    table = [{"name": f"f{at}"} for at in range(100_000)]
    with pytest.raises(TooLarge, match="300 rows"):
        read(flow([INPUT, node("s", "StructuredOutput", output_schema=table)], [("in", "message", "s", "input_value")]))
    circle = [node(f"p{at}", "Prompt", template="{x}", x="") for at in range(2)]
    turns = (("p0", "prompt", "p1", "x"), ("p1", "prompt", "p0", "x"), ("p1", "prompt", "a", "system_prompt"))
    assert read(only(agent("a", "A"), *circle, edges=turns))
    with pytest.raises(StudioError):
        import_bundle(bundle_of({"a.json": b'{"nodes": ' + b"[" * 5_000 + b'"genericNode"'}))


def test_edges_that_lead_nowhere_are_told():
    document = json.loads(json.dumps(CHAIN))
    document["data"]["edges"] += [edge("a", "response", "gone", "x"), {"source": 1}, "x"]
    assert {f"dropped: Edge {at}" for at in (4, 5, 6)} <= set(told(read(document)))
