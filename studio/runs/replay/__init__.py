"""Running a team again over what its log holds: to go on after a stop, to fork, to replay, to look back."""

from studio.runs.replay.reexecute import Reexecution as Reexecution
from studio.runs.replay.reexecute import reexecute as reexecute
from studio.runs.replay.source import Entries as Entries
from studio.runs.replay.source import entries_of as entries_of
