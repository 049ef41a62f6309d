"""Scripts are read without being executed: what a person writes by hand, what is refused and where."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from studio.code import CodeFinding, InvalidPython, Position, parse_python, read_python
from studio.code.source import MAX_CHARACTERS
from studio.components import JsonObject, load_component, walk
from studio.errors import StudioError, TooLarge
from tests.code.duet import SCRIPT, TEAM

HEAD = """
from studio.agents import AssistantAgent
from studio.components import env
from studio.conditions import MaxMessageTermination, TextMentionTermination
from studio.models import OpenAIChatCompletionClient
from studio.teams import RoundRobinGroupChat
from studio.tools import FunctionTool
"""
AGENT = 'AssistantAgent("writer", OpenAIChatCompletionClient(model="gpt-4o"))'


def config_of(source: str) -> JsonObject:
    return cast("JsonObject", read_python(source)["config"])


def refusals(source: str) -> list[tuple[str, int]]:
    """What is in the way and on which lines."""
    with pytest.raises(InvalidPython) as caught:
        parse_python(source)
    return [(finding.code, finding.place.line) for finding in caught.value.findings]


def told(source: str) -> Sequence[CodeFinding]:
    """All findings, whether or not the script is read."""
    try:
        return parse_python(source).findings
    except InvalidPython as error:
        return error.findings


def test_what_is_exported_is_read_back():
    assert read_python(SCRIPT) == load_component(TEAM).dump_component()


def test_a_script_written_for_agentchat_is_read():
    source = '''
import asyncio
import math
import os
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_agentchat.ui import Console
from autogen_core.models import ModelFamily, ModelInfo
from autogen_ext.models.openai import OpenAIChatCompletionClient


def root(x: float) -> float:
    """Square root."""
    return math.sqrt(x)  # kept


async def main() -> None:
    model_client = OpenAIChatCompletionClient(
        model="mine",
        api_key=os.environ["MY_KEY"],
        model_info=ModelInfo(
            vision=False, function_calling=True, json_output=False, structured_output=False, family=ModelFamily.UNKNOWN
        ),
    )
    writer = AssistantAgent("writer", model_client, tools=[root], handoffs=["critic"])
    critic = AssistantAgent("critic", model_client=model_client, system_message=None)
    stop = MaxMessageTermination(9) | TextMentionTermination("DONE")
    team = RoundRobinGroupChat([writer, critic], termination_condition=stop)
    await Console(team.run_stream(task="Write."))
    await model_client.close()


asyncio.run(main())
'''
    parts = {where: part.dump_component()["config"] for where, part in walk(load_component(read_python(source)))}
    tool = cast("JsonObject", parts["/config/participants/0/config/tools/0"])
    assert (tool["name"], tool["description"], tool["global_imports"]) == ("root", "Square root.", ["math"])
    assert str(tool["source_code"]).endswith("return math.sqrt(x)  # kept\n")
    assert cast("JsonObject", parts["/config/participants/1/config/model_client"])["api_key"] == "env:MY_KEY"
    assert parts["/config/termination_condition/config/conditions/1"] == {"text": "DONE"}
    assert "system_message" not in cast("JsonObject", parts["/config/participants/1"])
    assert "helpful AI assistant" in str(cast("JsonObject", parts["/config/participants/0"])["system_message"])


LITERALS: list[tuple[str, JsonValue]] = [
    ("-3", -3),
    ("+2.5", 2.5),
    ("None", None),
    ("True", True),
    ('"a" "b"', "ab"),
    ('f"plain"', "plain"),
    ('"""two\nlines"""', "two\nlines"),
    ("(1, [2, {'a': ()}])", [1, [2, {"a": []}]]),
    ("'half \\ud83d'", "half \ufffd"),
]


@pytest.mark.parametrize(("literal", "value"), LITERALS)
def test_literals_are_values(literal: str, value: JsonValue):
    source = f"{HEAD}\nteam = RoundRobinGroupChat([{AGENT}], context_variables={{'x': {literal}}})"
    assert cast("JsonObject", config_of(source)["context_variables"])["x"] == value


def test_variables_functions_and_modules_are_followed():
    source = """
import studio.agents
import studio.conditions as c
import studio.teams

LIMIT = 7

def stop():
    return c.MaxMessageTermination(max_messages=LIMIT)

def build_team():
    agent = studio.agents.UserProxyAgent("you")
    return studio.teams.RoundRobinGroupChat([agent], termination_condition=stop() & stop())
"""
    condition = cast("JsonObject", config_of(source)["termination_condition"])
    assert str(condition["provider"]).endswith("AndTerminationCondition")
    assert str(condition["config"]).count("'max_messages': 7") == 2


REFUSED = {
    "class X: pass": "not_read",
    "for x in []: pass": "not_read",
    "while True: pass": "not_read",
    "import os; os.system('id')": "not_read",
    "__import__('os').system('id')": "not_read",
    "x = open('/etc/passwd').read()": "not_constructor",
    "x = [i for i in range(3)]": "not_literal",
    "x = lambda: 1": "not_literal",
    "x = 2 ** 99999": "not_literal",
    "x = 'a' * 10**9": "not_literal",
    "x = f'{agent}'": "not_literal",
    "x = {**{}}": "not_literal",
    "x = AssistantAgent(**{})": "not_literal",
    "x, y = 1, 2": "not_read",
    "agent.name = 'b'": "not_read",
    "x = agent.name": "not_literal",
    "x = agent[0]": "not_literal",
    "x = b'bytes'": "not_literal",
    "x = ...": "not_literal",
    "x = 1e999": "not_literal",
    "x = unknown": "unknown_name",
    "from studio.models import *": "not_read",
    "from . import beside": "not_read",
    "from os import system\nx = system('id')": "unknown_class",
    "from elsewhere import Agent\nx = Agent()": "unknown_class",
    "def unused(): return 1": "unused_function",
    "with open('x') as f: pass": "not_read",
    "x = (yield)": "not_literal",
    "x = env('A' * 2)": "not_literal",
    "import os\nx = os.environ['a b']": "not_literal",
    "x = AssistantAgent('a', 'b', 'c', 'd', 'e')": "unknown_argument",
    "x = AssistantAgent('a', name='b')": "twice",
    "x = MaxMessageTermination(1) | 2": "not_literal",
    "x = RoundRobinGroupChat([], name=env('KEY'))": "no_secret",
    "x = FunctionTool(1, 'd')": "not_function",
}


@pytest.mark.parametrize("line", REFUSED, ids=REFUSED.get)
def test_anything_else_is_refused_with_its_line(line: str):
    found = refusals(f"{HEAD}\nagent = {AGENT}\n{line}\n")
    assert (REFUSED[line], 10 + line.count("\n")) in found


def test_everything_is_refused_at_once():
    source = f"{HEAD}\nclass X: pass\nagent = AssistantAgent('a', x, bar=open('f'), description=y)\nfor x in y: pass"
    codes = ["not_read", "unknown_name", "unknown_argument", "not_constructor", "unknown_name", "not_read"]
    assert sorted(refusals(source)) == sorted(zip(codes, [9, 10, 10, 10, 10, 11], strict=True))


def test_a_refusal_inside_a_component_knows_its_field():
    with pytest.raises(InvalidPython) as caught:
        parse_python(f"{HEAD}\nagent = AssistantAgent('a', OpenAIChatCompletionClient(model=len('x')))")
    [finding] = caught.value.findings
    assert (finding.where, finding.place) == ("/config/model_client/config/model", Position(9, 62))


def test_what_is_wrong_with_the_component_is_told_at_its_line_and_field():
    source = f"{HEAD}\nlimit = MaxMessageTermination(\n    max_messages='many'\n)\n"
    source += f"team = RoundRobinGroupChat([{AGENT}, AssistantAgent('b')], termination_condition=limit)"
    errors = {finding.where: finding.place for finding in parse_python(source).errors}
    assert errors["/config/termination_condition/config/max_messages"] == Position(10, 18)
    assert errors["/config/participants/1/config/model_client"] == Position(12, 31 + len(AGENT))


def test_columns_are_counted_in_characters():
    with pytest.raises(InvalidPython) as caught:
        parse_python("a = ['Zürich', '🦉', b]")
    assert caught.value.findings[0].place == Position(1, 21)


def test_comments_that_a_team_has_no_place_for_are_told_once():
    source = f"# one\n{HEAD}\n# two\nagent = {AGENT}\n"
    [finding] = [each for each in parse_python(source).findings if each.code == "lost_comment"]
    assert (finding.severity, finding.place.line) == ("warning", 1)
    assert "these 2" in finding.message


def test_a_tool_that_needs_more_than_itself_is_refused():
    source = f"{HEAD}\nLIMIT = 3\ndef f() -> int:\n    return LIMIT\n"
    source += "tool = FunctionTool(f, description='d')"
    assert refusals(source) == [("not_self_contained", 12)]


def test_a_key_in_the_open_stays_for_the_store_to_take():
    source = f"{HEAD}\nmodel = OpenAIChatCompletionClient(model='m', api_key='sk-open')"
    reading = parse_python(source)
    assert cast("JsonObject", reading.component["config"])["api_key"] == "sk-open"
    assert "secret_in_clear" in {finding.code for finding in reading.findings}


BILLION = "a = ['lol']\n" + "".join(f"{chr(98 + n)} = [{chr(97 + n)}, {chr(97 + n)}]\n" for n in range(25))
HOSTILE = {
    "null byte": "a = '\0'",
    "half a character": "a = '\ud800'",
    "parentheses": "(" * 10_000,
    "lists": "a = " + "[" * 190 + "]" * 190,
    "signs": "a = " + "-" * 100_000 + "1",
    "sum": "a = " + "1+" * 100_000 + "1",
    "attributes": "a = b" + ".c" * 100_000,
    "calls": "a = b" + "()" * 100_000,
    "digits": "a = " + "9" * 5_000,
    "hexadecimal": "a = 0x" + "f" * 400_000,
    "copies": BILLION,
    "conditions": f"{HEAD}a = MaxMessageTermination(3)\n" + "a = a | a\n" * 90,
    "calls itself": "def build_team():\n    return build_team()",
    "calls each other": "".join(f"def f{n}():\n    return f{n + 1}()\n" for n in range(99)),
    "formatted": "a = f'" + "{b}" * 100_000 + "'",
    "words": "a=1\n" * 120_000,
    "dots": "from " + "." * 100_000 + " import a",
    "notes": 'NOTES = {"' + "/a" * 10_000 + '": {}}',
    "one line": "a = ['é'," + "b," * 240_000 + "]",
    "strings": "a = '''" + "\n" * 400_000,
    "comments": "#\n" * 200_000,
    "a chain of variables": "v0=[1]\n" + "".join(f"v{n + 1}=[v{n}]\n" for n in range(9_000)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_script_is_refused(name: str):
    with pytest.raises(StudioError):
        parse_python(HOSTILE[name])


def test_a_long_text_that_begins_with_an_f_is_no_formatted_string():
    text = "for " * 6_000
    script = f"{HEAD}x = AssistantAgent('a', OpenAIChatCompletionClient(model='gpt-4o'), system_message={text!r})"
    assert cast("JsonObject", read_python(script)["config"])["system_message"] == text


def test_a_script_longer_than_any_team_is_refused():
    with pytest.raises(TooLarge, match="500,000"):
        parse_python("#" * (MAX_CHARACTERS + 1))


@given(st.text(st.sampled_from("ab=()[]{}|&'\"\n #:.,-1f\\\0\ud800"), max_size=60))
def test_any_text_is_read_or_refused(text: str):
    with pytest.raises(StudioError):
        parse_python(text)


@given(st.data())
def test_a_damaged_script_is_read_or_refused(data: st.DataObject):
    at, length = data.draw(st.integers(0, len(SCRIPT))), data.draw(st.integers(0, 20))
    damaged = SCRIPT[:at] + data.draw(st.sampled_from(["", "(", "x", "\n", "1", "'"])) + SCRIPT[at + length :]
    assert all(1 <= finding.place.line <= damaged.count("\n") + 1 for finding in told(damaged))


def test_nothing_is_executed_or_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "trap.py").write_text("raise SystemExit('imported')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    source = f"{HEAD}\nimport trap\nfrom trap import Agent\n"
    source += f"open({str(tmp_path / 'made')!r}, 'w')\nagent = {AGENT}\nother = trap.Agent()\n"
    ast.parse(source)
    assert {code for code, _ in refusals(source)} == {"not_read", "unknown_class"}
    assert "trap" not in sys.modules
    assert not (tmp_path / "made").exists()


def test_texts_that_are_put_together_have_a_limit():
    doubled = "".join(f"x{n + 1} = x{n} + x{n}\n" for n in range(15))
    many = "".join(f"y{n} = x15 + f'{{x15}}'\n" for n in range(1_000))
    found = refusals(f"{HEAD}\nx0 = {'a' * 100!r}\n{doubled}{many}")
    assert found[0][0] == "not_literal"
