"""The model catalogue: one list of what models can do and cost."""

from __future__ import annotations

from datetime import date

import pytest

from studio.messages import RequestUsage
from studio.models import (
    AnthropicBedrockChatCompletionClient,
    AnthropicChatCompletionClient,
    OllamaChatCompletionClient,
    OpenAIChatCompletionClient,
    model_catalogue,
    price_of,
)


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("gpt-4o-mini-2024-07-18", (0.15, 0.6)),
        ("gpt-5-pro", None),
        ("claude-3-5-haiku-latest", (0.8, 4.0)),
        ("us.anthropic.claude-3-5-sonnet-20240620-v1:0", (3.0, 15.0)),
        ("qwen3:8b", None),
        ("nobody-knows", None),
    ],
)
def test_a_price_is_that_of_the_very_model_or_none(model: str, price: tuple[float, float] | None) -> None:
    found = price_of(model)
    assert (found and (found.input, found.output)) == price


def test_a_cost_follows_from_price_and_usage() -> None:
    price = price_of("gpt-4o")
    assert price is not None
    assert price.cost_of(RequestUsage(prompt_tokens=1_000_000, completion_tokens=100_000)) == pytest.approx(3.5)


def test_every_price_has_a_source_and_a_day_that_is_past() -> None:
    catalogue = model_catalogue()
    prices = [entry.price for entry in catalogue.models if entry.price]
    assert {price.source for price in prices} <= catalogue.sources.keys()
    assert all(date(2024, 1, 1) < price.as_of < date.today() for price in prices)


def test_no_beginning_of_a_name_stands_twice() -> None:
    prefixes = [entry.prefix for entry in model_catalogue().models]
    assert len(prefixes) == len(set(prefixes))


def test_the_same_model_can_do_more_where_its_maker_is_asked() -> None:
    name = "claude-haiku-4-5"
    compatible, native = OpenAIChatCompletionClient(model=name), AnthropicChatCompletionClient(model=name)
    assert (compatible.info["structured_output"], native.info["structured_output"]) == (False, True)
    bedrock = AnthropicBedrockChatCompletionClient(model=f"anthropic.{name}-20251001-v1:0")
    assert bedrock.info == native.info
    assert OllamaChatCompletionClient(model="unheard-of").info["structured_output"]
    assert native.context_length() == 200_000
