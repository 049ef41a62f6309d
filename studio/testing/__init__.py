"""For tests of teams: repeat a recorded run, for nothing, and see whether the team still does the same."""

from studio.testing.replaying import Replayed as Replayed
from studio.testing.replaying import TeamChanged as TeamChanged
from studio.testing.replaying import replay_run as replay_run
