"""Termination conditions: when a team stops."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy
from studio.conditions.base import AndTerminationCondition as AndTerminationCondition
from studio.conditions.base import Count as Count
from studio.conditions.base import OrTerminationCondition as OrTerminationCondition
from studio.conditions.base import TerminatedException as TerminatedException
from studio.conditions.base import TerminationCondition as TerminationCondition

if TYPE_CHECKING:
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
    from studio.conditions.variables import ContextVariableTermination as ContextVariableTermination
else:
    __getattr__ = lazy(
        __name__,
        {
            "contents": "FunctionCallTermination HandoffTermination SourceMatchTermination "
            "StopMessageTermination TextMentionTermination TextMessageTermination",
            "limits": "MaxMessageTermination TimeoutTermination TokenUsageTermination",
            "outside": "ExternalTermination FunctionalTermination",
            "variables": "ContextVariableTermination",
        },
    )
