"""The state of a long conversation is saved and loaded while others have their turn."""

from __future__ import annotations

import asyncio

import pytest

from studio.agents import AssistantAgent
from studio.components import JsonObject
from studio.models import ReplayChatCompletionClient
from studio.teams import RoundRobinGroupChat
from tests.web.watchdog import Watchdog

COUNT = 60_000


def long_state() -> JsonObject:
    said: JsonObject = {"type": "TextMessage", "source": "writer", "content": "A word."}
    answer: JsonObject = {"type": "AssistantMessage", "source": "writer", "content": "A word."}
    agent: JsonObject = {
        "type": "ChatAgentContainerState",
        "version": "1.0.0",
        "agent_state": {
            "type": "AssistantAgentState",
            "version": "1.0.0",
            "llm_context": {"messages": [dict(answer) for _ in range(COUNT)]},
        },
        "message_buffer": [],
    }
    manager: JsonObject = {
        "type": "RoundRobinManagerState",
        "version": "1.0.0",
        "message_thread": [{**said, "id": str(number)} for number in range(COUNT)],
        "current_turn": COUNT,
        "next_speaker_index": 0,
    }
    return {
        "type": "TeamState",
        "version": "1.0.0",
        "agent_states": {"writer": agent, "RoundRobinGroupChatManager": manager},
    }


@pytest.mark.slow
async def test_a_long_conversation_does_not_hold_up_the_loop():
    model = ReplayChatCompletionClient(chat_completions=["Hello."])
    team = RoundRobinGroupChat(participants=[AssistantAgent(name="writer", model_client=model)])
    state, watchdog = long_state(), Watchdog()
    with watchdog.watching():
        await asyncio.sleep(0)  # a step that began before is not measured
        await team.load_state(state)
        saved = await team.save_state()
        await asyncio.sleep(0)  # nor one that ends after
    assert [str(stall) for stall in watchdog.stalls] == []
    await team.load_state(saved)
    assert await team.save_state() == saved
    assert str(saved).count("A word.") == 2 * COUNT
