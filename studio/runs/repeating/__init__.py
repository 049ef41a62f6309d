"""Running a team again over what its log holds: to go on after a stop, to fork, to replay, to look back."""

from studio.runs.repeating.folding import Repeated as Repeated
from studio.runs.repeating.folding import repeat as repeat
from studio.runs.repeating.pages import Entries as Entries
from studio.runs.repeating.pages import entries_of as entries_of
