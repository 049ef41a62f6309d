"""Hypothesis strategies for component JSON: teams as people, other programs and enemies would write them."""

from __future__ import annotations

from typing import cast

from hypothesis import strategies as st
from pydantic import JsonValue

from studio.components import JsonObject

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
PROSE = st.lists(st.sampled_from(["word", "Zürich", '"quoted"', "it's", "back\\slash", "a\nb", "{x}", "🦉"])).map(" ".join)

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


def envelope(provider: str, config: JsonObject, *, version: int = 1) -> st.SearchStrategy[JsonObject]:
    """The envelope, with and without a label, a note and fields of other programs."""
    bare: JsonObject = {"provider": provider, "component_version": version, "config": config}
    labelled = st.builds(
        lambda label, note: cast("JsonObject", {**bare, "label": label, "description": note}), TEXT, PROSE
    )
    foreign = st.builds(
        lambda value: cast("JsonObject", {**bare, "config": {**config, "from_elsewhere": {"deep": [value, 1.5]}}}), TEXT
    )
    return st.one_of(st.just(bare), labelled, foreign)


def built(provider: str, version: int = 1, **fields: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonObject]:
    """An envelope whose config has these fields."""
    return st.fixed_dictionaries(fields).flatmap(lambda config: envelope(provider, config, version=version))


def listed(of: st.SearchStrategy[JsonObject], **limits: int) -> st.SearchStrategy[JsonValue]:
    return cast("st.SearchStrategy[JsonValue]", st.lists(of, **limits))


def names(count: int) -> st.SearchStrategy[list[str]]:
    known = ["writer", "critic", "env", "main", "AssistantAgent", "import_", "Writer", "writer_2", "ärger", "model_client"]
    return st.lists(st.sampled_from(known), min_size=count, max_size=count, unique=True)


limits = st.one_of(
    built("autogen_agentchat.conditions.MaxMessageTermination", max_messages=st.integers(1, 99)),
    built("autogen_agentchat.conditions.TextMentionTermination", text=TEXT.filter(bool)),
    built(
        "autogen_agentchat.conditions.TokenUsageTermination",
        max_total_token=st.one_of(st.none(), st.integers(1, 99)),
        max_prompt_token=st.just(5),
        max_completion_token=st.none(),
    ),
    built("autogen_agentchat.conditions.StopMessageTermination"),
)
conditions = st.recursive(
    limits,
    lambda inner: st.sampled_from(["And", "Or"]).flatmap(
        lambda kind: built(
            f"autogen_agentchat.base.{kind}TerminationCondition", conditions=listed(inner, min_size=1, max_size=3)
        )
    ),
    max_leaves=5,
)

replays = built(
    "autogen_ext.models.replay.ReplayChatCompletionClient",
    chat_completions=cast(
        "st.SearchStrategy[JsonValue]",
        st.lists(
            st.one_of(
                PROSE,
                st.just(
                    {
                        "finish_reason": "function_calls",
                        "content": [{"id": "c", "arguments": '{"a": 1}', "name": "add"}],
                        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
                        "cached": False,
                    }
                ),
            ),
            max_size=3,
        ),
    ),
)
services = built(
    "autogen_ext.models.openai.OpenAIChatCompletionClient",
    model=st.sampled_from(["gpt-4o-mini", "llama3"]),
    api_key=st.sampled_from(["env:A_KEY", "secret:a-key", "sk-in-the-open"]),
    temperature=st.one_of(st.none(), st.just(0.5)),
)
models = st.one_of(replays, services)

functions = st.builds(
    lambda source, imports, note: cast(
        "JsonObject",
        {
            "provider": "autogen_core.tools.FunctionTool",
            "config": {
                "source_code": source,
                "name": source.partition("def ")[2].partition("(")[0],
                "description": note,
                "global_imports": imports,
                "has_cancellation_support": False,
            },
        },
    ),
    st.sampled_from(PLAIN_SOURCES + ODD_SOURCES),
    st.sampled_from(IMPORTS),
    PROSE,
)
workbenches = built(
    "autogen_core.tools.StaticWorkbench",
    tools=cast(
        "st.SearchStrategy[JsonValue]",
        st.lists(functions, max_size=3, unique_by=lambda tool: cast("JsonObject", tool["config"])["name"]),
    ),
)
contexts = built("autogen_core.model_context.BufferedChatCompletionContext", buffer_size=st.integers(1, 9))


def assistants(name: str) -> st.SearchStrategy[JsonObject]:
    optional: dict[str, st.SearchStrategy[JsonValue]] = {
        "system_message": PROSE,
        "workbench": listed(workbenches, max_size=1),
        "model_context": contexts,
        "model_client_stream": st.booleans(),
    }
    required: dict[str, st.SearchStrategy[JsonValue]] = {
        "name": st.just(name),
        "model_client": models,
        "description": PROSE,
        "reflect_on_tool_use": st.booleans(),
        "tool_call_summary_format": st.just("{result}"),
    }
    return st.fixed_dictionaries(required, optional=optional).flatmap(
        lambda config: envelope("autogen_agentchat.agents.AssistantAgent", config, version=2)
    )


def people(name: str) -> st.SearchStrategy[JsonObject]:
    return built("autogen_agentchat.agents.UserProxyAgent", name=st.just(name), description=PROSE)


def group(kind: str, members: list[st.SearchStrategy[JsonObject]]) -> st.SearchStrategy[JsonObject]:
    fields: dict[str, st.SearchStrategy[JsonValue]] = {
        "participants": cast("st.SearchStrategy[JsonValue]", st.tuples(*members).map(list)),
        "termination_condition": conditions,
    }
    if kind == "SelectorGroupChat":
        fields |= {"model_client": models, "selector_prompt": PROSE, "allow_repeated_speaker": st.booleans()}
    return built(f"autogen_agentchat.teams.{kind}", **fields)


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
