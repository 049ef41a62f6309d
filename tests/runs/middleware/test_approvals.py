"""Rules for tools, and a person's decisions about their calls."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from studio.components import JsonObject, load_component
from studio.errors import ConfigError, Conflict
from studio.runs import ArgumentTest, Breakpoint, RunState, ToolPolicy, ToolRule
from studio.runs.debugging.team_tools import ANY, marks_of, new_names, tools_in
from tests.runs.scripted import OpenStudio
from tests.runs.tooling import Drawer, agent, asked, decide, effects_of, reply, started, team, writing

ASK = ToolPolicy(rules=(ToolRule(tool="write"),))


async def test_a_call_waits_for_a_person_who_sees_its_exact_arguments(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, writing("a.txt"), policy=ASK)
        question = await asked(studio, run_id)
        assert question.details["arguments"] == {"path": "a.txt", "text": "x"}
        assert (question.details["tool"], question.details["agent"]) == ("write", "clerk")
        assert drawer.calls == []
        await decide(studio, run_id, question, verdict="allow")
        await studio.until(run_id, RunState.FINISHED)
        assert drawer.calls == [{"path": "a.txt", "text": "x"}]


async def test_arguments_that_a_person_changed_are_what_the_tool_gets(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, writing("a.txt"), policy=ASK)
        await decide(studio, run_id, await asked(studio, run_id), verdict="allow", arguments={"path": "b.txt"})
        await studio.until(run_id, RunState.FINISHED)
        assert drawer.calls == [{"path": "b.txt"}]
        (effect,) = effects_of(await studio.log(run_id), "tool")
        assert isinstance(effect["result"], dict)
        assert effect["result"]["text"] == "wrote b.txt"
        assert effect["result"]["review"] == [{"verdict": "allow", "arguments": {"path": "b.txt"}, "by": "ann"}]


async def test_the_agent_reads_why_a_call_was_refused(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, writing("a.txt"), policy=ASK)
        await decide(studio, run_id, await asked(studio, run_id), verdict="deny", reason="Not there, please.")
        await studio.until(run_id, RunState.FINISHED)
        assert drawer.calls == []
        results = [entry for entry in await studio.log(run_id) if entry.body.get("type") == "ToolCallExecutionEvent"]
        content = results[0].body["content"]
        assert isinstance(content, list)
        assert isinstance(content[0], dict)
        assert content[0]["content"] == "This call was refused. Not there, please."
        assert content[0]["is_error"] is True


@pytest.mark.parametrize(("on_timeout", "calls"), [("deny", 0), ("allow", 1)])
async def test_without_an_answer_in_time_the_default_decides_and_the_log_says_so(
    open_studio: OpenStudio, drawer: Drawer, on_timeout: str, calls: int
) -> None:
    policy = ToolPolicy.model_validate({"otherwise": "ask", "timeout_s": 0, "on_timeout": on_timeout})
    async with open_studio() as studio:
        run_id = await started(studio, writing("a.txt"), policy=policy)
        await studio.until(run_id, RunState.FINISHED)
        assert len(drawer.calls) == calls
        log = await studio.log(run_id)
        decided = [entry.body for entry in log if entry.body.get("command") == "decide"]
        assert [(body["by"], body["verdict"]) for body in decided] == [("timeout", on_timeout)]
        (effect,) = effects_of(log, "tool")
        assert isinstance(effect["result"], dict)
        assert "'by': 'timeout'" in str(effect["result"]["review"])


async def test_a_rule_refuses_without_asking_anybody(open_studio: OpenStudio, drawer: Drawer) -> None:
    test = ArgumentTest(argument="path", test="inside", value="/work")
    policy = ToolPolicy(
        rules=(
            ToolRule(tool="write", when=(test,), verdict="allow"),
            ToolRule(tool="*", verdict="deny", reason="Outside."),
        )
    )
    async with open_studio() as studio:
        run_id = await started(studio, writing("/work/a", "/work/../etc/b"), policy=policy)
        await studio.until(run_id, RunState.FINISHED)
        assert [call["path"] for call in drawer.calls] == ["/work/a"]


async def test_a_decision_counts_once(open_studio: OpenStudio, drawer: Drawer) -> None:
    """Two equal calls: the decision about the first one says nothing about the second."""
    async with open_studio() as studio:
        twice = team(agent("clerk", reply({"path": "a"}), reply({"path": "a"}), "Done."))
        run_id = await started(studio, twice, policy=ASK)
        first = await asked(studio, run_id)
        await decide(studio, run_id, first, verdict="allow")
        second = await asked(studio, run_id)
        assert second.details["hash"] == first.details["hash"]
        assert second.request_id != first.request_id
        with pytest.raises(Conflict):
            await decide(studio, run_id, first, verdict="allow")
        assert len(drawer.calls) == 1
        await decide(studio, run_id, second, verdict="deny")
        await studio.until(run_id, RunState.FINISHED)
        assert len(drawer.calls) == 1


@pytest.mark.parametrize(
    "forged",
    [
        {"hash": "0" * 64, "verdict": "allow"},
        {"verdict": "allow"},
        {"verdict": "allow", "text": "done"},
        {"verdict": "maybe"},
    ],
)
async def test_a_decision_about_other_arguments_is_refused(
    open_studio: OpenStudio, drawer: Drawer, forged: dict[str, JsonValue]
) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, writing("a.txt"), policy=ASK)
        question = await asked(studio, run_id)
        if "text" in forged:
            forged = {**forged, "hash": question.details["hash"]}
        with pytest.raises((Conflict, ConfigError)):
            await studio.supervisor.command(run_id, "decide", request_id=question.request_id, data=forged)
        with pytest.raises((Conflict, ConfigError)):
            await studio.supervisor.command(run_id, "decide", request_id="guessed", data=forged)
        with pytest.raises(Conflict):
            await studio.supervisor.command(run_id, "answer", request_id=question.request_id, text="yes")
        assert drawer.calls == []
        assert (await studio.supervisor.view(run_id)).pending == question
        await studio.supervisor.command(run_id, "cancel")


async def test_a_decision_of_another_run_is_refused(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        runs = [await started(studio, writing("a.txt"), policy=ASK) for _ in range(2)]
        questions = [await asked(studio, run_id) for run_id in runs]
        assert questions[0].details["hash"] == questions[1].details["hash"]
        with pytest.raises(Conflict):
            await decide(studio, runs[0], questions[1], verdict="allow")
        assert drawer.calls == []
        for run_id in runs:
            await studio.supervisor.command(run_id, "cancel")


async def test_calls_side_by_side_are_asked_about_one_after_the_other(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        both = team(agent("clerk", reply({"path": "a"}, {"path": "b"}), "Done."))
        run_id = await started(studio, both, policy=ASK)
        for verdict in ("allow", "deny"):
            await decide(studio, run_id, await asked(studio, run_id), verdict=verdict)
        await studio.until(run_id, RunState.FINISHED)
        assert len(drawer.calls) == 1


async def test_the_rules_can_be_changed_while_it_runs(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, writing("a", "b"), policy=ASK)
        question = await asked(studio, run_id)
        await studio.supervisor.command(run_id, "policy", by="ann", data={"policy": {"otherwise": "allow"}})
        await decide(studio, run_id, question, verdict="allow")
        await studio.until(run_id, RunState.FINISHED)
        assert len(drawer.calls) == 2
        told = [entry.body for entry in await studio.log(run_id) if entry.body.get("command") == "policy"]
        assert [body["by"] for body in told] == ["ann"]


async def test_a_run_that_waits_for_approval_can_be_cancelled(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, writing("a"), policy=ASK)
        await asked(studio, run_id)
        await studio.supervisor.command(run_id, "cancel")
        await studio.until(run_id, RunState.CANCELLED)
        assert drawer.calls == []


@pytest.mark.parametrize(
    ("test", "value", "arguments", "expected"),
    [
        ("equals", "3", {"x": 3}, True),
        ("equals", '{"a":1}', {"x": {"a": 1}}, True),
        ("starts_with", "/work/", {"x": "/work/a"}, True),
        ("starts_with", "/work/", {"x": "/home"}, False),
        ("inside", "/work", {"x": "/work/./b/../a"}, True),
        ("inside", "/work", {"x": "/workshop"}, False),
        ("inside", "/work", {"x": "..\\work"}, False),
        ("inside", "/work", {"x": "/work/\0/../../home"}, None),
        ("inside", ".", {"x": "a/../../b"}, False),
        ("inside", ".", {"x": "a/b"}, True),
        ("inside", ".", {"x": "/a"}, False),
        ("matches", "[a-z]+", {"x": "abc1"}, False),
        ("matches", ".*rm.*", {"x": "ls\nrm -r /"}, True),
        ("matches", ".*", {"x": "a" * 20_001}, None),
        ("matches", ".*", {}, False),
        ("equals", "a", {}, False),
    ],
)
def test_an_argument_is_what_a_rule_says(
    test: str, value: str, arguments: dict[str, JsonValue], expected: bool | None
) -> None:
    assert ArgumentTest.model_validate({"argument": "x", "test": test, "value": value}).matches(arguments) is expected


def test_what_cannot_be_told_is_never_a_permission() -> None:
    long = {"x": "a" * 20_001}
    test = ArgumentTest(argument="x", test="matches", value=".*")
    assert not ToolRule(tool="t", when=(test,), verdict="allow").applies("t", long)
    assert ToolRule(tool="t", when=(test,), verdict="deny").applies("t", long)


def test_an_inner_argument_is_named_by_its_path() -> None:
    assert ArgumentTest(argument="a.b", value="1").matches({"a": {"b": "1"}})


@pytest.mark.parametrize(("path", "asks"), [("/work/b", False), ("/etc/b", True), ("/secret", False)])
async def test_arguments_that_were_changed_at_a_breakpoint_are_within_the_rules(
    open_studio: OpenStudio, drawer: Drawer, path: str, asks: bool
) -> None:
    """Whoever steers a run may change them there, but only an approver decides what a rule asks about."""
    work = ArgumentTest(argument="path", test="inside", value="/work")
    secret = ArgumentTest(argument="path", value="/secret")
    rules = (
        ToolRule(tool="write", when=(work,), verdict="allow"),
        ToolRule(tool="write", when=(secret,), verdict="deny"),
    )
    before = Breakpoint.model_validate({"id": "b", "on": "tool"})
    async with open_studio() as studio:
        policy = ToolPolicy(rules=rules, otherwise="ask")
        run_id = await started(studio, writing("/work/a"), policy=policy, breakpoints=[before])
        await decide(
            studio, run_id, await asked(studio, run_id, "breakpoint"), verdict="allow", arguments={"path": path}
        )
        if asks:
            question = await asked(studio, run_id)
            assert question.details["arguments"] == {"path": path}
            assert drawer.calls == []
            await decide(studio, run_id, question, verdict="allow")
        await studio.until(run_id, RunState.FINISHED)
        assert drawer.calls == ([] if path == "/secret" else [{"path": path}])


def test_a_server_that_shows_its_tools_under_other_names_is_another_one():
    server: JsonObject = {"type": "StdioServerParams", "command": "x", "args": []}
    config: JsonObject = {"server_params": server}
    renamed: JsonObject = {**config, "tool_overrides": {"wipe": {"name": "look"}}}
    provider = "autogen_ext.tools.mcp.McpWorkbench"
    was, now = (tools_in(load_component({"provider": provider, "config": each})) for each in (config, renamed))
    assert new_names(was, marks_of(was)) == frozenset()
    assert new_names(now, marks_of(was)) == {ANY}


def test_a_rule_for_exact_arguments_is_none_for_calls_with_more():
    same = ToolRule(tool="wipe", when=(ArgumentTest(argument="path", value="a"),), verdict="allow", exactly=True)
    policy = ToolPolicy(rules=(same, ToolRule(tool="rest", verdict="allow", exactly=True)), otherwise="ask")
    assert policy.decision("wipe", {"path": "a"})[0] == "allow"
    assert policy.decision("wipe", {"path": "a", "force": False}, named=["path"])[0] == "allow"
    assert policy.decision("wipe", {"path": "a", "force": True})[0] == "ask"
    assert [policy.decision("rest", given)[0] for given in ({}, {"all": True})] == ["allow", "ask"]
    assert not policy.always_allows("rest")
