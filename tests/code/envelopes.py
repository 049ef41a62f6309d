"""Hypothesis strategies for component JSON: teams as people, other programs and enemies would write them."""

from __future__ import annotations

from typing import cast

from hypothesis import strategies as st
from pydantic import JsonValue

from studio.components import JsonObject

Fields = dict[str, st.SearchStrategy[JsonValue]]

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
WORDS = ["word", "Zürich", '"quoted"', "it's", "back\\slash", "a\nb", "{x}", "🦉"]
PROSE = st.lists(st.sampled_from(WORDS)).map(" ".join)

PLAIN_SOURCES = (
    "def add(a: int, b: int = 2) -> int:\n    return a + b\n",
    'async def shout(text: str) -> str:\n    """Say it loudly."""\n    return text.upper()\n',
    "def add(a: float) -> float:\n    # another one of that name\n    return a\n",
    "def now() -> str:\n    return datetime.now().isoformat()\n",
)
ODD_SOURCES = (
    "import os\nTOTAL = 3\ndef total() -> int:\n    return TOTAL\n",
    "def no_line_end(a: int) -> int:\n    return a",
    "def late(a: int = len('abc')) -> int:\n    return a\n",
    "@functools.cache\ndef cached(a: int) -> int:\n    return a\n",
    "\n\ndef shifted(a: int) -> int:\n    return a\n\n\n",
    "def print(text: str) -> str:\n    return text\n",
    "def main(text: str) -> str:\n    return text\n",
    "def asyncio(text: str) -> str:\n    return text\n",
)
IMPORTS: tuple[list[JsonValue], ...] = (
    [],
    ["math"],
    [{"module": "datetime", "imports": ["datetime"]}],
    ["not_installed_anywhere", {"module": "typing", "imports": ["Annotated", {"name": "List", "alias": "L"}]}],
)


@st.composite
def envelope(draw: st.DrawFn, provider: str, config: JsonObject, version: int = 1) -> JsonObject:
    """The envelope, with and without a label, a note and fields of other programs."""
    bare: JsonObject = {"provider": provider, "component_version": version, "config": config}
    match draw(st.integers(0, 2)):
        case 0:
            return bare
        case 1:
            return {**bare, "label": draw(TEXT), "description": draw(PROSE)}
        case _:
            return {**bare, "config": {**config, "from_elsewhere": {"deep": [draw(TEXT), 1.5]}}}


def built(provider: str, fields: Fields | None = None, version: int = 1) -> st.SearchStrategy[JsonObject]:
    """An envelope whose config has these fields."""
    return st.fixed_dictionaries(fields or {}).flatmap(lambda config: envelope(provider, config, version))


def listed(of: st.SearchStrategy[JsonObject], smallest: int, largest: int) -> st.SearchStrategy[JsonValue]:
    return cast("st.SearchStrategy[JsonValue]", st.lists(of, min_size=smallest, max_size=largest))


def names(count: int) -> st.SearchStrategy[list[str]]:
    known = ["writer", "critic", "env", "main", "AssistantAgent", "import_", "Writer", "writer_2", "ärger"]
    return st.lists(st.sampled_from([*known, "model_client"]), min_size=count, max_size=count, unique=True)


limits = st.one_of(
    built("autogen_agentchat.conditions.MaxMessageTermination", {"max_messages": st.integers(1, 99)}),
    built("autogen_agentchat.conditions.TextMentionTermination", {"text": TEXT.filter(bool)}),
    built(
        "autogen_agentchat.conditions.TokenUsageTermination",
        {
            "max_total_token": st.one_of(st.none(), st.integers(1, 99)),
            "max_prompt_token": st.just(5),
            "max_completion_token": st.none(),
        },
    ),
    built("autogen_agentchat.conditions.StopMessageTermination"),
)
conditions = st.recursive(
    limits,
    lambda inner: st.sampled_from(["And", "Or"]).flatmap(
        lambda kind: built(f"autogen_agentchat.base.{kind}TerminationCondition", {"conditions": listed(inner, 1, 3)})
    ),
    max_leaves=5,
)

TOOL_CALL: JsonObject = {
    "finish_reason": "function_calls",
    "content": [{"id": "c", "arguments": '{"a": 1}', "name": "add"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    "cached": False,
}
replies = st.lists(st.one_of(PROSE, st.just(TOOL_CALL)), max_size=3)
replays = built(
    "autogen_ext.models.replay.ReplayChatCompletionClient",
    {"chat_completions": cast("st.SearchStrategy[JsonValue]", replies)},
)
services = built(
    "autogen_ext.models.openai.OpenAIChatCompletionClient",
    {
        "model": st.sampled_from(["gpt-4o-mini", "llama3"]),
        "api_key": st.sampled_from(["env:A_KEY", "secret:a-key", "sk-in-the-open"]),
        "temperature": st.one_of(st.none(), st.just(0.5)),
    },
)
models = st.one_of(replays, services)


@st.composite
def function_tools(draw: st.DrawFn) -> JsonObject:
    source = draw(st.sampled_from(PLAIN_SOURCES + ODD_SOURCES))
    config: JsonObject = {
        "source_code": source,
        "name": source.partition("def ")[2].partition("(")[0],
        "description": draw(PROSE),
        "global_imports": draw(st.sampled_from(IMPORTS)),
        "has_cancellation_support": False,
    }
    return {"provider": "autogen_core.tools.FunctionTool", "config": config}


def name_of(tool: JsonObject) -> str:
    return str(cast("JsonObject", tool["config"])["name"])


functions = function_tools()
toolboxes = st.lists(functions, max_size=3, unique_by=name_of)
workbenches = built("autogen_core.tools.StaticWorkbench", {"tools": cast("st.SearchStrategy[JsonValue]", toolboxes)})
contexts = built("autogen_core.model_context.BufferedChatCompletionContext", {"buffer_size": st.integers(1, 9)})


@st.composite
def assistants(draw: st.DrawFn, name: str) -> JsonObject:
    required: Fields = {
        "name": st.just(name),
        "model_client": models,
        "description": PROSE,
        "reflect_on_tool_use": st.booleans(),
        "tool_call_summary_format": st.just("{result}"),
    }
    optional: Fields = {
        "system_message": PROSE,
        "workbench": listed(workbenches, 0, 1),
        "model_context": contexts,
        "model_client_stream": st.booleans(),
    }
    config = draw(st.fixed_dictionaries(required, optional=optional))
    return draw(envelope("autogen_agentchat.agents.AssistantAgent", config, 2))


def people(name: str) -> st.SearchStrategy[JsonObject]:
    return built("autogen_agentchat.agents.UserProxyAgent", {"name": st.just(name), "description": PROSE})


def group(kind: str, members: list[st.SearchStrategy[JsonObject]]) -> st.SearchStrategy[JsonObject]:
    everybody = cast("st.SearchStrategy[JsonValue]", st.tuples(*members).map(list))
    fields: Fields = {"participants": everybody, "termination_condition": conditions}
    if kind == "SelectorGroupChat":
        fields |= {"model_client": models, "selector_prompt": PROSE, "allow_repeated_speaker": st.booleans()}
    return built(f"autogen_agentchat.teams.{kind}", fields)


def flat_teams(who: list[str]) -> st.SearchStrategy[JsonObject]:
    first, *rest = who
    members = [assistants(first), *(st.one_of(assistants(name), people(name)) for name in rest)]
    return st.sampled_from(["RoundRobinGroupChat", "SelectorGroupChat"]).flatmap(lambda kind: group(kind, members))


teams = names(4).flatmap(
    lambda who: st.one_of(
        flat_teams(who[:2]),
        group("RoundRobinGroupChat", [flat_teams(who[:2]), assistants(who[2]), people(who[3])]),
    )
)
