"""Handing a message into a conversation under way."""

from __future__ import annotations

import pytest

from studio.errors import ConfigError
from studio.runs import Breakpoint, RunState
from tests.runs.scripted import OpenStudio
from tests.runs.test_amending import PAIR, held_at, prompts
from tests.runs.tooling import agent, started, team


async def test_everybody_hears_it_before_the_next_turn(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id, _ = await held_at(studio, PAIR)
        data = {"source": "user", "text": "Be brief."}
        await studio.supervisor.command(run_id, "inject", by="ann", data=dict(data))
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Go.", "One.", "Be brief.", "Two."]
        told = await prompts(studio, run_id)
        assert "Be brief." in told[1]
        handed_in = [entry.body for entry in await studio.log(run_id) if entry.body.get("content") == "Be brief."]
        assert (handed_in[0]["source"], handed_in[0]["metadata"]) == ("user", {"handed_in_by": "ann"})


async def test_it_can_be_said_in_the_name_of_an_agent(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id, _ = await held_at(studio, PAIR)
        await studio.supervisor.command(run_id, "inject", data={"source": "critic", "text": "Hm."})
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert "Hm." in (await prompts(studio, run_id))[1]
        assert (await studio.said(run_id))[-1] == "Two."


async def test_a_team_inside_hears_it_with_the_team_around_it(open_studio: OpenStudio) -> None:
    inner = team(agent("x", "B."), agent("y", "C."), name="inner", turns=2)
    document = team(inner, agent("writer", "D."), turns=2)
    async with open_studio() as studio:
        at_x = Breakpoint(id="b", on="agent", when="after", name="x")
        run_id = await started(studio, document, breakpoints=[at_x])
        await studio.until(run_id, RunState.PAUSED)
        await studio.supervisor.command(run_id, "inject", data={"text": "Hm."})
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Go.", "B.", "C.", "Hm.", "D."]
        assert "Hm." in (await prompts(studio, run_id))[-1]


@pytest.mark.parametrize("data", [{}, {"text": "  "}, {"text": 5}])
async def test_nothing_can_not_be_handed_in(open_studio: OpenStudio, data: dict[str, str]) -> None:
    async with open_studio() as studio:
        run_id, _ = await held_at(studio, PAIR)
        with pytest.raises(ConfigError):
            await studio.supervisor.command(run_id, "inject", data=dict(data))
        await studio.supervisor.command(run_id, "cancel")
