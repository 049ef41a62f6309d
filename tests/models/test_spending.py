"""What a call can take at the most, and how its answer is kept within that."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.components import SecretRef
from studio.messages import AssistantMessage, CreateResult, RequestUsage, UserMessage
from studio.models import ModelCall, OpenAIChatCompletionClient, Price, ReplayChatCompletionClient
from studio.models.prices import PriceBook
from studio.models.spending import Read, answers_within, max_prompt_tokens

KEY = SecretRef("env:KEY")


def question(text: str) -> UserMessage:
    return UserMessage(content=text, source="user")


def test_no_tokenizer_makes_more_of_a_text_than_its_bytes() -> None:
    assert max_prompt_tokens([question("漢" * 100)], ()) >= 300


def test_what_the_service_has_counted_is_taken_from_there() -> None:
    first, answer, second = question("a" * 1000), AssistantMessage(content="yes", source="a"), question("more")
    last = Read([first], (), 200)
    bound = max_prompt_tokens([first, answer, second], (), last)
    assert 200 < bound < 400
    assert max_prompt_tokens([second, first], (), last) > 1000


@pytest.mark.parametrize(
    ("model", "arguments"),
    [
        ("gpt-4o", {"max_tokens": 50}),
        ("gpt-5-mini", {"max_completion_tokens": 50}),
        ("anything", {"max_tokens": 50}),
    ],
)
def test_an_answer_is_limited_in_the_words_of_the_model(model: str, arguments: dict[str, int]) -> None:
    client = OpenAIChatCompletionClient(model=model, api_key=KEY)
    call = ModelCall("create", [question("hi")])
    with answers_within(50):
        assert client.limited(call).extra_create_args == arguments
    assert client.limited(call) is call


def test_a_shorter_limit_of_the_client_stays() -> None:
    client = OpenAIChatCompletionClient(model="gpt-4o", api_key=KEY, max_tokens=10)
    with answers_within(50):
        assert client.limited(ModelCall("create", [question("hi")])).extra_create_args == {"max_tokens": 10}


def test_the_longest_answer_is_what_the_config_or_the_maker_says() -> None:
    call = ModelCall("create", [question("hi")])
    free, bound = (OpenAIChatCompletionClient(model="gpt-4o", api_key=KEY, max_tokens=n) for n in (None, 10))
    assert [(most.completion, most.is_set) for client in (free, bound) if (most := client.token_bound(call))] == [
        (16384, False),
        (10, True),
    ]


async def test_a_script_knows_what_its_next_reply_takes() -> None:
    reply = CreateResult(finish_reason="stop", content="x", usage=RequestUsage(7, 5), cached=False)
    client = ReplayChatCompletionClient(chat_completions=[reply])
    client._begin_call()  # pyright: ignore[reportPrivateUsage] -- as the base does before it asks
    assert client.token_bound(ModelCall("create", [])) == (7, 5, True, 1)


def test_a_service_on_this_machine_is_free_but_for_models_with_a_price() -> None:
    here = OpenAIChatCompletionClient(model="qwen3", base_url="http://127.0.0.1:11434/v1")
    book = PriceBook()
    assert here.is_free
    found = [book.find(model, is_free=here.is_free) for model in ("qwen3", "gpt-4o")]
    assert [known and known.origin for known in found] == ["free", "catalogue"]
    assert book.find("qwen3") is None


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_money_is_never_rounded_down(prompt: int, completion: int, cached: int) -> None:
    price = Price(input=0.15, output=0.6, cached_input=0.075, as_of=date(2026, 1, 1), source="own")
    read = min(cached, prompt)
    exact_thousandths = (prompt - read) * 150 + read * 75 + completion * 600
    assert 0 <= price.micro_usd(prompt, completion, cached) * 1000 - exact_thousandths < 1000
