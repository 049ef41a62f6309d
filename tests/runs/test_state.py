"""A run under any order of commands goes only where the table lets it, and its log has no gap."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from studio.effects import HumanQuestion
from studio.errors import Conflict
from studio.messages import TextMessage
from studio.runs import (
    TRANSITIONS,
    Draft,
    IllegalTransition,
    Lease,
    RunAlreadyEnded,
    RunState,
    RunStatus,
)
from studio.runs.active_run import ActiveRun, Ending
from studio.runs.commands import Command, dispatch
from studio.runs.state import check_transition
from tests.runs.memory_log import MemoryLog

T = TypeVar("T")


COMMANDS = st.one_of(
    st.builds(Command, st.sampled_from(["pause", "pause", "resume", "step", "stop", "cancel"]), st.just("ann")),
    st.builds(
        Command,
        st.just("answer"),
        st.just("ann"),
        st.sampled_from(["q1", "q1", "q2", "q3"]),
        st.sampled_from(["x", "y"]),
    ),
)


class IdleSelector(selectors.DefaultSelector):
    """Tells when its loop has nothing to do but to wait: everybody who can move has moved."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[asyncio.Future[None]] = []

    async def idle(self) -> None:
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        await waiting

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout != 0 and self._waiting:
            self._waiting.pop().set_result(None)
            timeout = 0
        return super().select(timeout)


class ControlOfARun(RuleBasedStateMachine):
    """A person gives commands in any order while a team says things, asks, and ends."""

    def __init__(self) -> None:
        super().__init__()
        self.selector = IdleSelector()
        self.runner = asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(self.selector))
        self.log = MemoryLog()
        self.turns: asyncio.Queue[str] = asyncio.Queue()
        self.run = ActiveRun(Lease("run", 1), self.log, RunStatus())
        self.group_done = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self.branches: list[asyncio.Task[None]] = []
        self.questions = 0
        self.made = 0
        self.do(self._start())

    def do(self, work: Awaitable[T]) -> T:
        async def settle() -> T:
            result = await work
            await self.selector.idle()
            return result

        return self.runner.run(settle())

    async def _start(self) -> None:
        await self.run.change_state(RunState.RUNNING, "start")
        self.task = asyncio.get_running_loop().create_task(self._drive())
        self.run.attach_task(self.task, request_stop=lambda: None)

    async def _drive(self) -> None:
        self.run.begun.set()
        try:
            ending = self.run.ending or await self._play()
        except asyncio.CancelledError:
            assert not self.run.is_cancelled_from_outside()
            assert self.run.ending
            ending = self.run.ending
        for branch in self.branches:
            branch.cancel()
        if self.branches:
            await asyncio.wait(self.branches)
        await self.run.end(ending)

    async def _ask(self) -> None:
        self.questions += 1
        await self.run.human.ask(HumanQuestion(f"q{self.questions}", "ann", "Which?"))

    async def _play(self) -> Ending:
        while True:
            await self.run.wait_at_gate()
            turn = await self.turns.get()
            if turn == "end":
                return Ending(RunState.FINISHED, "end")
            if turn == "ask":
                await self._ask()
            if turn == "ask beside":
                self.branches.append(asyncio.get_running_loop().create_task(self._ask()))
            self.made += 1
            await self.run.write(Draft("message", {"source": "a"}))
            self.run.gate.note_item(TextMessage(content="", source="a"))
            if self.run.is_stopping:
                return Ending(RunState.STOPPED, "user")

    @rule(turn=st.sampled_from(["say", "say", "ask", "ask beside", "end"]))
    def the_team_gets_on(self, turn: str) -> None:
        async def put() -> None:
            self.turns.put_nowait(turn)

        self.do(put())

    @rule(commands=st.lists(COMMANDS, min_size=1, max_size=3))
    def people_command_at_the_same_moment(self, commands: list[Command]) -> None:
        async def obey_all() -> None:
            async with asyncio.TaskGroup() as group:
                for command in commands:
                    group.create_task(self._obey(command))

        before = self.made
        self.do(obey_all())
        if [command.name for command in commands] == ["step"]:
            assert self.made <= before + 1

    async def _obey(self, command: Command) -> None:
        try:
            await dispatch(self.run, command)
        except RunAlreadyEnded:
            assert self.run.is_closed or self.run.ending
        except IllegalTransition:
            raise
        except Conflict:
            pass

    @precondition(lambda self: not self.run.gate.is_open and self.run.pending is None)
    @rule()
    def a_held_run_makes_nothing(self) -> None:
        if self.run.view.state is RunState.PAUSED:
            before = len(self.log.entries)
            self.do(asyncio.sleep(0))
            assert len(self.log.entries) == before

    @invariant()
    def a_closed_gate_holds_the_run(self) -> None:
        if not self.run.gate.is_open and self.task and not self.task.done() and self.run.gate.is_held:
            assert self.run.view.state is RunState.PAUSED

    @invariant()
    def each_state_followed_from_the_one_before(self) -> None:
        state = RunState.CREATED
        for entry in self.log.entries:
            assert not state.is_final
            if entry.kind == "state":
                after = RunState(str(entry.body["state"]))
                assert entry.body["reason"] in TRANSITIONS[state][after]
                state = after
        assert state is self.run.view.state is self.log.statuses[-1][1].state

    @invariant()
    def a_question_is_pending_exactly_while_the_run_waits_for_it(self) -> None:
        view = self.run.view
        assert (view.pending is not None) == (view.reason == "input")
        if not view.state.is_final:
            assert self.run.human.open_question == (view.pending.request_id if view.pending else None)

    def teardown(self) -> None:
        if self.task and not self.task.done():
            self.do(self._obey(Command("cancel", "ann")))
        assert self.task
        assert self.task.done()
        self.runner.close()


TestControlOfARun = ControlOfARun.TestCase
TestControlOfARun.settings = settings(
    max_examples=100, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def test_final_states_lead_nowhere() -> None:
    final = {state for state in RunState if state.is_final}
    assert final == {RunState.FINISHED, RunState.STOPPED, RunState.CANCELLED, RunState.FAILED, RunState.INTERRUPTED}
    for state in final:
        for after in RunState:
            with pytest.raises(IllegalTransition):
                check_transition(state, after, "user")


def test_a_reason_that_does_not_belong_to_a_change_is_refused() -> None:
    check_transition(RunState.RUNNING, RunState.PAUSED, "budget")
    with pytest.raises(IllegalTransition):
        check_transition(RunState.RUNNING, RunState.PAUSED, "condition")


def test_every_unfinished_state_can_be_interrupted() -> None:
    for state in RunState:
        if not state.is_final:
            check_transition(state, RunState.INTERRUPTED, "killed")
