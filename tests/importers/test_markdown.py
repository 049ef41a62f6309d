"""Agents in Markdown: front matter with the settings, and below it the instructions."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.components import validate_component
from studio.errors import InvalidDocument, StudioError, TooLarge
from studio.importers import Imported, UnknownSource, bundle_of, import_bundle, name_for
from studio.importers.importing import import_foreign
from studio.importers.markdown_tools import model_named
from tests.cli.conftest import Studio
from tests.cli.conftest import studio as studio
from tests.importers.markdown_samples import BUILDER, LEAD, LOOSE, MARKDOWN_SAMPLES, PLANNER, REVIEWER, TESTER


def read(given: str | Mapping[str, str], name: str = "agent.md") -> Imported:
    files = {name: given} if isinstance(given, str) else given
    return import_bundle(bundle_of({each: text.encode() for each, text in files.items()}))


def one(*lines: str) -> Imported:
    """An agent with these further lines in its front matter."""
    return read("\n".join(["---", "name: one", "description: Does it.", *lines, "---", "Do it."]))


def agents(imported: Imported) -> dict[str, Any]:
    config: Any = imported.team["config"]
    return {each["config"]["name"]: each["config"] for each in config["participants"]}


def told(imported: Imported) -> list[str]:
    return [f"{each.verdict}: {each.what}" for each in imported.findings]


@pytest.mark.parametrize("files", MARKDOWN_SAMPLES.values(), ids=list(MARKDOWN_SAMPLES))
def test_samples_make_valid_teams_each_time_the_same(files: Mapping[str, str]):
    imported = read(files)
    assert imported.source == "markdown"
    assert validate_component(imported.team).errors == ()
    assert read(files).as_json() == imported.as_json()


def test_an_agent_keeps_its_text_and_its_tools_are_stand_ins():
    imported = read(REVIEWER, "reviewer.md")
    config: Any = imported.team["config"]
    agent = agents(imported)["code_reviewer"]
    assert (imported.team["label"], config["max_turns"]) == ("code-reviewer", 1)
    assert agent["system_message"] == "You review code. Keep {braces} and $ARGUMENTS."
    assert agent["description"] == "Reviews code for mistakes."
    assert agent["model_client"]["config"]["model"] == "claude-sonnet-4-5"
    assert agent["max_tool_iterations"] == 4
    assert [each["config"]["name"] for each in agent["tools"]] == ["Read", "Grep", "Bash"]
    assert "NotImplementedError" in agent["tools"][2]["config"]["source_code"]
    assert {each.what: str(each.place) for each in imported.findings} == {
        "Agent “code-reviewer”": "reviewer.md:1:1",
        "Tool `Read` of code_reviewer": "reviewer.md:4:8",
        "Tool `Grep` of code_reviewer": "reviewer.md:4:8",
        "Tool `Bash` of code_reviewer": "reviewer.md:4:8",
        "Rule of the tool `Bash` of code_reviewer": "reviewer.md:4:8",
        "Tools `tracker` of code_reviewer": "reviewer.md:4:8",
        "Model of code_reviewer": "reviewer.md:5:8",
        "`color` of code_reviewer": "reviewer.md:6:8",
    }
    assert {each.became for each in imported.findings} == {"/config/participants/0"}


def test_several_agents_are_chosen_by_their_descriptions():
    imported = read(MARKDOWN_SAMPLES["claude"])
    config: Any = imported.team["config"]
    assert imported.team["provider"] == "autogen_agentchat.teams.SelectorGroupChat"
    assert (list(agents(imported)), config["max_turns"]) == (["code_reviewer", "tester"], 1)
    assert "dropped: Other Markdown: README.md" in told(imported)
    assert "approximated: Choice of the agent" in told(imported)


def test_a_lead_calls_the_agents_that_it_names():
    imported = read({"lead.md": LEAD, "reviewer.md": REVIEWER, "tester.md": TESTER})
    lead = agents(imported)["lead"]
    assert list(agents(imported)) == ["lead"]
    tools = [each for each in lead["tools"] if each["provider"].endswith("AgentTool")]
    assert [each["config"]["agent"]["config"]["name"] for each in tools] == ["code_reviewer", "tester"]
    assert "asked: Agent `missing` that lead refers to" in told(imported)


def test_agents_that_call_each_other_end_somewhere_and_none_is_lost():
    every = {f"{at}.md": f"---\nname: a{at}\ndescription: A.\ntools: Agent\n---\nA." for at in range(6)}
    imported = read(every)
    assert list(agents(imported)) == ["a0"]
    assert len(agents(imported)["a0"]["tools"]) == 5
    assert "dropped: Calls of other agents by a1" in told(imported)
    circle = {
        f"{name}.md": f"---\nname: {name}\ndescription: A.\nagents: [{other}]\n---\nA."
        for name, other in (("a", "b"), ("b", "a"), ("c", "c"))
    }
    imported = read(circle)
    assert "dropped: Agent “a” as a tool of b" in told(imported) or "dropped: Agent “a”" in told(imported)
    mentioned = " ".join(told(imported))
    assert all(f"“{name}”" in mentioned for name in "abc")
    many = {
        f"{at}.md": f"---\nname: a{at}\ndescription: A.\nagents: [{', '.join(f'a{to}' for to in range(12))}]\n---\nA."
        for at in range(12)
    }
    with pytest.raises(TooLarge, match="more than 300 agents"):
        read(many)


def test_handoffs_of_copilot_make_a_swarm():
    imported = read({"builder.agent.md": BUILDER, "planner.agent.md": PLANNER, "other.md": TESTER})
    assert imported.team["provider"] == "autogen_agentchat.teams.Swarm"
    assert list(agents(imported)) == ["planner", "builder"]
    planner = agents(imported)["planner"]
    assert planner["handoffs"] == [
        {"target": "builder", "description": "Build it Builds.", "message": "Build what is planned."}
    ]
    assert planner["model_client"]["config"]["model"] == "gpt-5-mini"
    assert "dropped: Agent “tester”" in told(imported)
    assert "exact: Agent “builder”" not in told(imported)  # one of its settings, the model, is only like there
    assert "exact: No tools of builder" in told(imported)


def test_keys_of_mcp_servers_are_variables():
    imported = read({"planner.agent.md": PLANNER, "builder.md": BUILDER})
    params = agents(imported)["planner"]["workbench"][0]["config"]["server_params"]
    assert params["url"] == "https://tracker.example/mcp"
    assert params["headers"] == {"Authorization": "Bearer {env:TRACKER_KEY}"}
    assert "asked: A value of MCP server tracker of planner" in told(imported)
    key = "sk-ant-" + "api03-Zk3Qw9" * 4
    plain = read({"planner.agent.md": PLANNER.replace("${input:tracker-key}", key), "builder.md": BUILDER})
    assert key not in json.dumps(plain.as_json())
    assert "approximated: Key" in told(plain)


def test_front_matter_that_is_no_yaml_is_read_by_line():
    imported = read(LOOSE)
    agent = agents(imported)["loose"]
    assert agent["description"] == 'Use this: when the user asks "why: x". Examples: user: Hello'
    assert agent["model_client"]["config"]["model"] == "claude-opus-4-5"
    assert "approximated: Front matter of loose" in told(imported)


@pytest.mark.parametrize(
    ("label", "model"),
    [
        ("inherit", None),
        ("Auto", None),
        ("sonnet[1m]", "claude-sonnet-4-5"),
        ("GPT-4.1", "gpt-4.1"),
        ("Claude Sonnet 4.5 (copilot)", "claude-sonnet-4-5"),
        ("Gemini 2.5 Pro", "gemini/gemini-2.5-pro"),
        ("anthropic/claude-x.1", "anthropic/claude-x.1"),
    ],
)
def test_labels_of_models(label: str, model: str | None):
    assert model_named(label) == model


def test_all_tools_no_tools_and_denied_tools():
    assert "approximated: Tools of one" in told(one())
    assert "approximated: Tools of one" in told(one('tools: ["*"]'))
    assert "exact: No tools of one" in told(one("tools: []"))
    denied = one("tools: [Read, Write]", "disallowedTools: Write")
    assert [each["config"]["name"] for each in agents(denied)["one"]["tools"]] == ["Read"]
    switched = one("tools: {Read: true, Write: false}")
    assert [each["config"]["name"] for each in agents(switched)["one"]["tools"]] == ["Read"]
    assert "asked: MCP server docs of one" in told(one("mcpServers: [docs]"))


def test_two_agents_with_one_name_are_both_there():
    imported = read({"a/x.md": TESTER, "b/x.md": TESTER.replace("Writes tests", "Writes more")})
    assert list(agents(imported)) == ["tester", "tester_2"]
    assert "approximated: Name of “tester”" in told(imported)


@pytest.mark.parametrize(
    "text",
    [
        "# Only text\n",
        "---\ntitle: A page\n---\nText",
        "---\nname: x\n---\nNo description",
        "---\nname: x\ndescription: never ends\n",
        "---\nname: [x]\ndescription: {a: b}\n---\n",
    ],
)
def test_other_markdown_is_refused(text: str):
    with pytest.raises(UnknownSource, match="agents in Markdown"):
        read(text)
    with pytest.raises(InvalidDocument, match="no agent in Markdown") as refused:
        import_bundle(bundle_of({"a.md": text.encode()}), "markdown")
    assert "front matter" in refused.value.fix


def test_skills_alone_are_refused_with_the_reason():
    with pytest.raises(InvalidDocument, match="skills and no agents"):
        read("---\nname: pdf\ndescription: Reads PDFs.\n---\nHow to.", "pdf/SKILL.md")


def test_a_folder_a_zip_file_and_pasted_text_are_read(studio: Studio, tmp_path: Path):
    folder = tmp_path / "project" / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "tester.md").write_text(TESTER)
    out = tmp_path / "team.json"
    done = studio("import", str(tmp_path / "project"), "--out", str(out))
    assert (done.code, studio("check", str(out)).code) == (0, 0), done.err
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(".claude/agents/tester.md", TESTER)
        archive.writestr(".git/other.md", REVIEWER)
    imported = import_foreign("agents.zip", packed.getvalue())
    assert imported is not None
    assert list(agents(imported)) == ["tester"]
    assert name_for(TESTER) == "pasted.md"
    assert import_foreign("pasted.md", TESTER.encode()) is not None


HOSTILE = [
    "tools: !!python/object/apply:os.system [x]",
    "tools: [[[Read]], {a: b}, 7, null]",
    f"tools: {'(' * 3000}",
    f"tools: {'A(,' * 3000}",
    "model: {a: [b]}",
    "model: [[x]]",
    "handoffs: [7, {agent: {a: b}}, {agent: one}, [one]]",
    "agents: [one, one, 7, '']",
    "mcp-servers: [7, x, {a: 7}, {b: {url: 'file:///etc/passwd'}}, {c: {command: [x]}}]",
    "mcpServers: {a: {command: rm, args: [{}, 7], env: [x]}}",
    "maxTurns: -1",
    "disallowedTools: {a: 1}",
    "name: \u202egnp.exe\u0000",
    "x: &x [*x]",
]


@pytest.mark.parametrize("line", HOSTILE)
def test_hostile_settings_are_told_or_refused(line: str):
    imported = one(line)
    assert validate_component(imported.team).errors == ()
    assert len(imported.findings) > 1


def test_bombs_are_refused():
    bomb = "".join(f"x{at}: &x{at} [{', '.join([f'*x{at - 1}'] * 9)}]\n" for at in range(1, 9))
    with pytest.raises(TooLarge):
        one("x0: &x0 [a, a]", bomb)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["name", "description", "tools", "model", "agents", "handoffs", "mcpServers", "maxTurns"]),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.text(max_size=8),
                lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
                max_leaves=5,
            ),
        ),
        max_size=5,
    ),
    st.text(max_size=20),
)
def test_any_front_matter_gives_a_valid_team_or_a_refusal(lines: list[tuple[str, Any]], text: str):
    front = "\n".join(f"{name}: {json.dumps(value)}" for name, value in lines)
    try:
        imported = read(f"---\nname: a\ndescription: b\n{front}\n---\n{text}")
    except StudioError:
        return
    assert validate_component(imported.team).errors == ()
