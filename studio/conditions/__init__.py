"""Termination conditions: when a team stops."""

from studio.conditions.base import AndTerminationCondition as AndTerminationCondition
from studio.conditions.base import OrTerminationCondition as OrTerminationCondition
from studio.conditions.base import Progress as Progress
from studio.conditions.base import TerminatedException as TerminatedException
from studio.conditions.base import TerminationCondition as TerminationCondition
from studio.conditions.contents import FunctionCallTermination as FunctionCallTermination
from studio.conditions.contents import HandoffTermination as HandoffTermination
from studio.conditions.contents import SourceMatchTermination as SourceMatchTermination
from studio.conditions.contents import StopMessageTermination as StopMessageTermination
from studio.conditions.contents import TextMentionTermination as TextMentionTermination
from studio.conditions.contents import TextMessageTermination as TextMessageTermination
from studio.conditions.limits import MaxMessageTermination as MaxMessageTermination
from studio.conditions.limits import TimeoutTermination as TimeoutTermination
from studio.conditions.limits import TokenUsageTermination as TokenUsageTermination
from studio.conditions.outside import ExternalTermination as ExternalTermination
from studio.conditions.outside import FunctionalTermination as FunctionalTermination
