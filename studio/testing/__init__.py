"""For tests of teams: repeat a recorded run, for nothing, and see whether the team still does the same."""

from studio.testing.playback import PlaybackReport as PlaybackReport
from studio.testing.playback import TeamChanged as TeamChanged
from studio.testing.playback import replay_run as replay_run
