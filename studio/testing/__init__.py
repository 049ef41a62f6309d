"""For tests of teams: repeat a recorded run for nothing, or evaluate a team with the cases of a suite."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy
from studio.testing.playback import PlaybackReport as PlaybackReport
from studio.testing.playback import TeamChanged as TeamChanged
from studio.testing.playback import replay_run as replay_run

if TYPE_CHECKING:
    from studio.testing.evaluation import GateNotPassed as GateNotPassed
    from studio.testing.evaluation import evaluate_team as evaluate_team
else:
    __getattr__ = lazy(__name__, {"evaluation": "GateNotPassed evaluate_team"})
