"""A directed graph of participants: who may speak after whom, and on which condition."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from studio.errors import ConfigError
from studio.messages import BaseChatMessage
from studio.tools import context_variables
from studio.tools.expression import ConditionText, read_condition

Activation = Literal["all", "any"]
EdgeCondition = Callable[[BaseChatMessage], bool]


class InvalidGraph(ConfigError, ValueError):
    """A graph that cannot be run, or would stop without a word before its end."""

    code = "invalid_graph"


class DiGraphEdge(BaseModel):
    """The way from one node to another."""

    model_config = ConfigDict(
        frozen=True,
        extra="allow",
        defer_build=True,
        title="Edge",
        json_schema_extra={"x-says": ["→ {target}", "if “{condition}”", "if {context_condition}"]},
    )

    target: Annotated[
        str,
        Field(
            description="The participant that speaks next.",
            examples=[""],
            json_schema_extra={"x-choices": "/graph/nodes"},
        ),
    ]
    condition: Annotated[
        str | None,
        Field(description="Follow this edge only if the last message contains this text. Empty: always."),
    ] = None
    context_condition: Annotated[
        ConditionText | None,
        Field(
            description="Follow this edge only if the context variables match, such as `attempts < 3`. Empty: always.",
            exclude_if=lambda value: value is None,  # AutoGen's edge has no such field
        ),
    ] = None
    otherwise: Annotated[
        bool,
        Field(
            description="Follow this edge only if no other edge of its node is followed.",
            exclude_if=lambda value: not value,  # AutoGen's edge has no such field
        ),
    ] = False
    condition_function: SkipJsonSchema[EdgeCondition | None] = Field(default=None, exclude=True, repr=False)
    """Decides in place of a text; has no JSON."""
    activation_group: Annotated[
        str,
        Field(description="Edges into one node that count together. Empty: one group per node."),
    ] = ""
    activation_condition: Annotated[
        Activation, Field(description="`all` or `any` edges of the group must be followed before the node speaks.")
    ] = "all"

    @model_validator(mode="before")
    @classmethod
    def _sort_out(cls, value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        given = dict(cast("Mapping[str, object]", value))
        condition = given.get("condition")
        if callable(condition):
            given.update(condition=None, condition_function=condition)
        return {**given, "activation_group": given.get("activation_group") or given.get("target") or ""}

    @property
    def is_conditional(self) -> bool:
        """Whether it is not always taken."""
        conditions = (self.condition, self.context_condition, self.condition_function)
        return self.otherwise or any(condition is not None for condition in conditions)

    def check_condition(self, message: BaseChatMessage | None) -> bool:
        """Whether it is taken after this message, others of its node apart; None for a turn in which nothing was said.

        Raises:
            ConfigError: It depends on context variables, and there are none.
        """
        if self.context_condition and not read_condition(self.context_condition).holds(context_variables()):
            return False
        if message is None:
            return self.condition is None and self.condition_function is None
        if self.condition_function is not None:
            return self.condition_function(message)
        return self.condition is None or self.condition in message.to_model_text()


class DiGraphNode(BaseModel):
    """A participant's place in the graph."""

    model_config = ConfigDict(
        frozen=True, extra="allow", defer_build=True, title="Node", json_schema_extra={"x-says-else": "No edges"}
    )

    name: Annotated[
        str,
        Field(description="The participant.", json_schema_extra={"x-hidden": True}),
    ]
    edges: Annotated[list[DiGraphEdge], Field(description="The participants that may speak next.")] = []
    activation: Annotated[
        Activation,
        Field(
            description="Stored for compatibility; has no effect here. Set the activation condition of an edge.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = "all"

    def edges_taken(self, message: BaseChatMessage | None) -> list[bool]:
        """Which edges are taken after this message; None for a turn in which nothing was said.

        Raises:
            ConfigError: One depends on context variables, and there are none.
        """
        taken = [not edge.otherwise and edge.check_condition(message) for edge in self.edges]
        if any(taken):
            return taken
        return [edge.otherwise and edge.check_condition(message) for edge in self.edges]


class DiGraph(BaseModel):
    """Nodes by name, and where to begin."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    nodes: Annotated[
        dict[str, DiGraphNode],
        Field(
            description="One node per agent. To rename a node, rename the agent.",
            json_schema_extra={"x-fixed-keys": True},
        ),
    ]
    default_start_node: Annotated[
        str | None,
        Field(
            description="The node that speaks first. Empty: nodes without incoming edges.",
            json_schema_extra={"x-choices": "/graph/nodes"},
        ),
    ] = None

    def get_parents(self) -> dict[str, list[str]]:
        """From each node to those with an edge to it.

        Raises:
            InvalidGraph: An edge leads to no node.
        """
        parents: dict[str, list[str]] = {name: [] for name in self.nodes}
        for source, edge in self._edges():
            if edge.target not in parents:
                raise InvalidGraph(f"Node '{source}' has an edge to '{edge.target}', which is not a node of the graph.")
            parents[edge.target].append(source)
        return parents

    def get_start_nodes(self) -> set[str]:
        """The nodes that speak first."""
        return set(self.ordered_start_nodes())

    def ordered_start_nodes(self) -> list[str]:
        """The nodes that speak first, in the order in which they were defined."""
        if self.default_start_node:
            return [self.default_start_node]
        targets = {edge.target for _, edge in self._edges()}
        return [name for name in self.nodes if name not in targets]

    def get_leaf_nodes(self) -> set[str]:
        """The nodes after which nothing comes."""
        return {name for name, node in self.nodes.items() if not node.edges}

    def get_remaining_map(self) -> dict[str, dict[str, int]]:
        """From each node and each of its groups to the number of edges that lead there."""
        remaining: dict[str, dict[str, int]] = {}
        for _, edge in self._edges():
            groups = remaining.setdefault(edge.target, {})
            groups[edge.activation_group] = groups.get(edge.activation_group, 0) + 1
        return remaining

    def get_has_cycles(self) -> bool:
        """Whether a node can speak again after itself."""
        return self.has_cycles_with_exit()

    def has_cycles_with_exit(self) -> bool:
        """Whether there is a cycle.

        Raises:
            InvalidGraph: There is one that nothing can end.
        """
        cycles = list(self._cycles())
        for cycle in cycles:
            if not self._has_exit(cycle):
                raise InvalidGraph(
                    f"Cycle detected without exit condition: {' -> '.join([*cycle, cycle[0]])}",
                    fix="Give the edges of one of these nodes conditions.",
                )
        return bool(cycles)

    def endless_cycles(self) -> Iterator[list[str]]:
        """Cycles that nothing can end, each from the first of its nodes on."""
        return (cycle for cycle in self._cycles() if not self._has_exit(cycle))

    def deadlocks(self) -> Iterator[tuple[str, str, str]]:
        """Nodes whose first turn waits for something that only comes after it: node, group, and who comes after it."""
        speaking = self._can_ever_speak()
        for (target, group), edges in self.groups().items():
            sources = [source for source, _ in edges]
            if target in speaking or not speaking.intersection(sources):
                continue
            after = self.reachable({target})
            if loops := [source for source in sources if source not in speaking and source in after]:
                yield target, group, loops[0]

    def graph_validate(self) -> None:
        """See that the graph can be run to an end.

        Raises:
            InvalidGraph: It cannot; the text says why and what to do.
        """
        if not self.nodes:
            raise InvalidGraph("Graph has no nodes.")
        self.get_parents()
        if not self.get_start_nodes():
            raise InvalidGraph("Graph must have at least one start node", fix="Set its default start node.")
        if not self.get_leaf_nodes():
            raise InvalidGraph("Graph must have at least one leaf node", fix="Add a node that no edge leaves.")
        for node in self.nodes.values():
            if len({edge.is_conditional for edge in node.edges}) > 1:
                raise InvalidGraph(
                    f"Node '{node.name}' has a mix of conditional and unconditional edges.",
                    fix="Give all of its edges conditions, or none.",
                )
        self._check_groups()
        self.has_cycles_with_exit()
        self._check_loops()

    def _edges(self) -> Iterator[tuple[str, DiGraphEdge]]:
        for name, node in self.nodes.items():
            for edge in node.edges:
                yield name, edge

    def groups(self) -> dict[tuple[str, str], list[tuple[str, DiGraphEdge]]]:
        """The edges of each group: by target and group, with the node that each comes from."""
        groups: dict[tuple[str, str], list[tuple[str, DiGraphEdge]]] = {}
        for source, edge in self._edges():
            groups.setdefault((edge.target, edge.activation_group), []).append((source, edge))
        return groups

    def _check_groups(self) -> None:
        for (target, group), edges in self.groups().items():
            first_source, first = edges[0]
            for source, edge in edges:
                if edge.activation_condition != first.activation_condition:
                    raise InvalidGraph(
                        f"Conflicting activation conditions for target '{target}' group '{group}': "
                        f"'{first.activation_condition}' (from node '{first_source}') "
                        f"and '{edge.activation_condition}' (from node '{source}')"
                    )

    def _cycles(self) -> Iterator[list[str]]:
        seen: set[str] = set()
        for start in self.nodes:
            yield from self._cycles_from(start, seen)

    def _has_exit(self, cycle: Sequence[str]) -> bool:
        return any(edge.is_conditional for name in cycle for edge in self.nodes[name].edges)

    def _cycles_from(self, start: str, seen: set[str]) -> Iterator[list[str]]:
        """Cycles met on a walk into the depth; what another walk has seen is left out."""
        if start in seen:
            return
        seen.add(start)
        path = [start]
        ahead = [iter(self._targets(start))]
        while path:
            target = next(ahead[-1], None)
            if target is None:
                path.pop()
                ahead.pop()
            elif target not in seen:
                seen.add(target)
                path.append(target)
                ahead.append(iter(self._targets(target)))
            elif target in path:
                yield path[path.index(target) :]

    def _targets(self, name: str) -> list[str]:
        return [edge.target for edge in self.nodes[name].edges]

    def _check_loops(self) -> None:
        """Refuse a node whose first turn waits for something that only comes after it.

        AutoGen ends such a run after the nodes before, as if it were complete.
        """
        for target, group, source in self.deadlocks():
            raise InvalidGraph(
                f"Node '{target}' can never run: its activation group '{group}' also waits for '{source}', "
                f"which only runs after '{target}'.",
                fix=f"Give the edge from '{source}' to '{target}' an `activation_group` of its own, "
                f"or set `activation_condition` to 'any' on all edges of the group '{group}'.",
            )

    def _can_ever_speak(self) -> set[str]:
        """Nodes that get their turn if every condition comes true in time."""
        missing = {
            group: 1 if edges[0][1].activation_condition == "any" else len(edges)
            for group, edges in self.groups().items()
        }
        speaking = set(self.get_start_nodes())
        waiting = deque(name for name in speaking if name in self.nodes)
        while waiting:
            for edge in self.nodes[waiting.popleft()].edges:
                group = edge.target, edge.activation_group
                missing[group] -= 1
                if not missing[group] and edge.target not in speaking:
                    speaking.add(edge.target)
                    waiting.append(edge.target)
        return speaking

    def reachable(self, starts: set[str]) -> set[str]:
        """These nodes, and all to which edges lead from them."""
        found = set(starts)
        waiting = deque(starts)
        while waiting:
            for target in self._targets(waiting.popleft()):
                if target not in found:
                    found.add(target)
                    waiting.append(target)
        return found
