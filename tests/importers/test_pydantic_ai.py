"""Agent specs of Pydantic AI become teams of one agent."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from studio.components import load_component, validate_component
from studio.errors import StudioError
from studio.importers import Imported, bundle_of, import_bundle, name_for
from studio.importers.importing import import_foreign
from studio.teams import Team
from tests.importers.pydantic_ai_samples import CLERK, PLAIN


def read(text: str, name: str = "clerk.yaml") -> Imported:
    return import_bundle(bundle_of({name: text.encode()}))


def agent_in(imported: Imported) -> Any:
    config: Any = imported.team["config"]
    [agent] = config["participants"]
    return agent["config"]


def told(imported: Imported) -> list[str]:
    return [f"{each.verdict}: {each.what}" for each in imported.findings]


def test_a_spec_is_found_by_its_content_and_makes_the_same_valid_team_each_time():
    assert read(CLERK).source == read(PLAIN, "plain.json").source == "pydantic-ai"
    assert (name_for(CLERK), name_for(PLAIN)) == ("pasted.yaml", "pasted.json")
    foreign = import_foreign(name_for(CLERK), CLERK.encode())
    assert foreign is not None
    assert foreign.team == read(CLERK).team == read(CLERK).team
    load_component(read(CLERK).team, Team)
    assert import_foreign("other.yaml", b"model: gpt\ninstructions: x\n") is None


def test_what_a_spec_says_is_in_the_agent_or_in_the_report():
    imported = read(CLERK)
    agent = agent_in(imported)
    assert agent["name"] == "shop_clerk"
    assert agent["system_message"] == (
        "You help {customer} of a bread shop.\n\nAnswer in one sentence. Prices look like {{this}}."
    )
    assert agent["system_message_holds_variables"]
    assert agent["model_client"]["config"]["model"] == "claude-sonnet-4-5"
    assert agent["model_client"]["config"]["max_tokens"] == 500
    assert agent["structured_message_factory"]["config"]["json_schema"]["required"] == ["answer", "is_open"]
    assert [each["config"]["name"] for each in agent["tools"]] == ["web_search"]
    [bench] = agent["workbench"]
    assert bench["config"]["server_params"]["url"] == "https://mcp.example.com/mcp"
    assert "hunter2" not in str(imported.team)
    assert sorted(told(imported)) == [
        "approximated: Agent “shop clerk”",
        "approximated: Capability `MCP` of shop_clerk",
        "approximated: Capability `WebSearch` of shop_clerk",
        "approximated: Key",
        "asked: Values of shop_clerk",
        "dropped: Capability `Thinking` of shop_clerk",
        "dropped: Model setting `thinking` of shop_clerk",
        "dropped: `retries` of shop_clerk",
        "exact: Form of the answers of shop_clerk",
    ]
    assert all(each.place.line for each in imported.findings if each.what != "Key")


def test_a_plain_spec_comes_along_whole():
    imported = read(PLAIN, "plain.json")
    assert told(imported) == ["exact: Agent “agent”"]
    assert agent_in(imported)["system_message"] == "Be brief."
    assert "system_message_holds_variables" not in agent_in(imported)


@pytest.mark.parametrize(
    ("model", "address"),
    [
        ("openai-responses:gpt-5", ""),
        ("google-gla:gemini-2.5-pro", "https://generativelanguage.googleapis.com/v1beta/openai/"),
        ("groq:llama-3.3-70b", "https://api.groq.com/openai/v1"),
    ],
)
def test_models_are_found_by_their_service(model: str, address: str):
    client = agent_in(read(PLAIN.replace("openai:gpt-4.1-mini", model), "a.json"))["model_client"]["config"]
    assert (client["model"], client.get("base_url", "")) == (model.partition(":")[2], address)


@given(
    st.sampled_from(("model", "name", "instructions", "output_schema", "model_settings", "capabilities", "retries")),
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8)),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
        max_leaves=6,
    ),
)
def test_any_value_can_be_another_and_the_team_is_valid_or_refused(name: str, value: Any):
    document = {**yaml.safe_load(CLERK), name: value}
    try:
        imported = import_bundle(bundle_of({"a.yaml": yaml.safe_dump(document).encode()}), "pydantic-ai")
    except StudioError:
        return
    assert validate_component(imported.team).errors == ()
