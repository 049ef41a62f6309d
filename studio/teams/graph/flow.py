"""The team that follows a graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

from pydantic import Field, PrivateAttr

from studio.components import JsonObject
from studio.errors import Finding
from studio.messages import BaseChatMessage, BaseMessage, EdgeDecision, SpeakerDecisionEvent, is_explained
from studio.teams.base import Team
from studio.teams.fields import TeamName
from studio.teams.graph.advice import on_graph, sound_part
from studio.teams.graph.digraph import DiGraph, InvalidGraph
from studio.teams.graph.progress import GraphProgress, edge_decisions, reason_for
from studio.teams.run_state import MaybeAwaitable

EXAMPLE: JsonObject = {"nodes": {"assistant": {"name": "assistant", "edges": []}}}


class GraphFlow(Team):
    """A graph sets the order of the participants. Those that are ready at the same time run in parallel."""

    provider = "autogen_agentchat.teams.GraphFlow"
    keywords = "workflow pipeline dag"
    aliases = (
        "autogen_agentchat.teams._group_chat._graph.GraphFlow",
        "autogen_agentchat.teams._group_chat._graph._digraph_group_chat.GraphFlow",
        "studio.teams.GraphFlow",
    )
    positional: ClassVar[tuple[str, ...]] = ("participants", "graph", "name", "description")
    drawn_as = "graph"
    manager_name: ClassVar[str] = "GraphManager"

    name: TeamName = "GraphFlow"
    description: Annotated[
        str,
        Field(
            description="What this team does. Shown to other agents when it is nested.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = "A team of agents"
    graph: Annotated[DiGraph, Field(description="The order of speakers.", examples=[EXAMPLE])]
    emit_team_events: Annotated[
        bool,
        Field(
            description="Emit an event each time speakers are selected.",
            json_schema_extra={"x-advanced": True},
            exclude_if=lambda value: not value,  # AutoGen's graph has no such field
        ),
    ] = False

    _progress: GraphProgress | None = PrivateAttr(default=None)

    @property
    def ends_by_itself(self) -> bool:
        try:
            return not sound_part(self.graph).get_has_cycles()
        except InvalidGraph:
            return True  # which is told as what it is

    def advice(self) -> Iterator[Finding]:
        yield from super().advice()
        yield from on_graph(self.graph, ["" if each.is_opaque else each.name for each in self.participants])

    async def check_task(self, messages: Sequence[BaseChatMessage] | None, *, is_inside: bool) -> None:
        del messages, is_inside
        try:
            self.graph.graph_validate()
            if self.graph.get_has_cycles() and self.termination_condition is None and self.max_turns is None:
                raise InvalidGraph(
                    "A termination condition is required for cyclic graphs without a maximum turn limit."
                )
        except InvalidGraph as error:
            error.where = "/config/graph"
            raise
        self._steps().take_back()

    def _steps(self) -> GraphProgress:
        if self._progress is None:
            self._progress = GraphProgress(self.graph)
        return self._progress

    def receive(
        self, new: Sequence[BaseMessage], said: Sequence[BaseChatMessage], *, speaker: str | None
    ) -> MaybeAwaitable:
        steps = self._steps()
        node = new[-1].source if new else ""
        if speaker is not None and (not said or isinstance(self._participant(speaker), Team)):
            node = speaker
        if node in self.graph.nodes:
            steps.follow(node, said[-1] if said else None)  # first, since the functions of edges may fail
        if speaker is not None:
            steps.finish(speaker)
        return super().receive(new, said, speaker=speaker)

    def check_termination(self, new: Sequence[BaseMessage], *, is_turn: bool) -> MaybeAwaitable:
        steps = self._steps()
        if not steps.is_complete:
            return super().check_termination(new, is_turn=is_turn)
        steps.reset()
        self.end("Digraph execution is complete")  # conditions are not asked any more
        return None

    def choose_speaker(self) -> tuple[BaseMessage, ...]:
        return self._choose_ready()

    def _choose_ready(self) -> tuple[BaseMessage, ...]:
        steps = self._steps()
        looked_at = steps.looked_at
        self.next_speaker(*steps.take_ready())
        return (self._explanation(edge_decisions(looked_at)),) if is_explained() else ()

    def resume_turns(self, names: Sequence[str]) -> tuple[BaseMessage, ...]:
        del names
        return self._choose_ready()  # they are ready again, and others may be, too

    def _explanation(self, edges: Sequence[EdgeDecision]) -> SpeakerDecisionEvent:
        ready = self._state.speakers
        candidates = dict.fromkeys((*(edge.target for edge in edges), *ready))
        if edges:
            return self.decision("graph edge", reason_for(edges, ready), candidates=list(candidates), edges=edges)
        if set(ready) <= self.graph.get_start_nodes():
            return self.decision("graph start", "The graph starts here.", candidates=ready)
        return self.decision("graph edge", "The edges that lead here were followed earlier.", candidates=ready)

    async def forget(self) -> None:
        self._steps().reset()

    def manager_state(self) -> JsonObject:
        return self._steps().dump()

    async def load_manager_state(self, state: JsonObject) -> None:
        self._steps().load(state)
