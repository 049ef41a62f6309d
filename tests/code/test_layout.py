"""Expressions become Python text that means the same and keeps to the line."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from studio.code.layout import LINE_LENGTH, Call, Items, Name, Text, laid_out, quoted


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_a_quoted_text_reads_back_as_itself(text: str):
    assert ast.literal_eval(quoted(text)) == text


@given(st.text(alphabet=st.sampled_from("ab \n\r\t'\"\\{}\x0b\x85\u2028é"), max_size=400), st.integers(0, 10))
def test_a_text_over_several_lines_reads_back_as_itself(text: str, depth: int):
    code = laid_out(Text(text), indent="    " * depth, before="value = ")
    assert ast.literal_eval(code.removeprefix("value = ")) == text


def test_an_empty_text_behind_a_long_key_is_one():
    key = "k" * LINE_LENGTH
    assert ast.literal_eval(laid_out(Text(""), indent="", before=f"{key}=").removeprefix(f"{key}=")) == ""


def test_what_fits_stays_on_one_line():
    call = Call("MaxMessageTermination", (Name("10"),), (("include_agent_event", Name("True")),))
    assert laid_out(call, before="limit = ") == "limit = MaxMessageTermination(10, include_agent_event=True)"


def test_what_does_not_fit_gets_one_argument_to_a_line_and_a_trailing_comma():
    call = Call("AssistantAgent", (Text("writer"),), (("system_message", Text("Write. " * 20)), ("tools", Items(()))))
    code = laid_out(call, before="writer = ", indent="    ")
    assert code.splitlines()[:3] == ["writer = AssistantAgent(", '        "writer",', "        system_message=("]
    assert code.endswith("        tools=[],\n    )")
    assert all(len(line) <= LINE_LENGTH for line in code.splitlines())
    ast.parse(code)


def test_a_tuple_of_one_keeps_its_comma():
    assert laid_out(Items((Name("1"),), "()")) == "(1,)"
