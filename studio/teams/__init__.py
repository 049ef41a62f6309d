"""Teams: who speaks after whom, and until when."""

from studio.teams.base import Team as Team
from studio.teams.iteration import InputRequestEvent as InputRequestEvent
from studio.teams.iteration import RunIterator as RunIterator
from studio.teams.round_robin import RoundRobinGroupChat as RoundRobinGroupChat
from studio.teams.selector import SelectorGroupChat as SelectorGroupChat
from studio.teams.team_tool import TeamTool as TeamTool

BaseGroupChat = Team
