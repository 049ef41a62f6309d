"""Teams: who speaks after whom, and until when."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy

if TYPE_CHECKING:
    from studio.agents.iteration import InputRequestEvent as InputRequestEvent
    from studio.agents.iteration import RunIterator as RunIterator
    from studio.teams.base import BaseGroupChat as BaseGroupChat
    from studio.teams.base import Team as Team
    from studio.teams.graph.builder import DiGraphBuilder as DiGraphBuilder
    from studio.teams.graph.digraph import DiGraph as DiGraph
    from studio.teams.graph.digraph import DiGraphEdge as DiGraphEdge
    from studio.teams.graph.digraph import DiGraphNode as DiGraphNode
    from studio.teams.graph.digraph import InvalidGraph as InvalidGraph
    from studio.teams.graph.flow import GraphFlow as GraphFlow
    from studio.teams.magentic.team import MagenticOneGroupChat as MagenticOneGroupChat
    from studio.teams.nested_chat import NestedChat as NestedChat
    from studio.teams.nested_chat import NestedChatAgent as NestedChatAgent
    from studio.teams.round_robin import RoundRobinGroupChat as RoundRobinGroupChat
    from studio.teams.selector import SelectorGroupChat as SelectorGroupChat
    from studio.teams.society_of_mind import SocietyOfMindAgent as SocietyOfMindAgent
    from studio.teams.swarm import Swarm as Swarm
    from studio.teams.swarm import UnknownHandoffTarget as UnknownHandoffTarget
    from studio.teams.team_tool import TeamTool as TeamTool
else:
    __getattr__ = lazy(
        __name__,
        {
            "studio.agents.iteration": "InputRequestEvent RunIterator",
            "advice": "",
            "base": "BaseGroupChat Team",
            "studio.teams.graph.digraph": "DiGraph DiGraphEdge DiGraphNode InvalidGraph",
            "studio.teams.graph.builder": "DiGraphBuilder",
            "studio.teams.graph.flow": "GraphFlow",
            "studio.teams.magentic.team": "MagenticOneGroupChat",
            "nested_chat": "NestedChat NestedChatAgent",
            "round_robin": "RoundRobinGroupChat",
            "selector": "SelectorGroupChat",
            "society_of_mind": "SocietyOfMindAgent",
            "swarm": "Swarm UnknownHandoffTarget",
            "team_tool": "TeamTool",
        },
    )
