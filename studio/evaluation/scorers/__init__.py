"""Judges of finished runs that cost nothing: of the log, and of the answer."""

from studio.evaluation.scorers.base import Score as Score
from studio.evaluation.scorers.base import Scorer as Scorer
from studio.evaluation.scorers.base import Verdict as Verdict
from studio.evaluation.scorers.entry import SCORERS as SCORERS
from studio.evaluation.scorers.entry import ScorerEntry as ScorerEntry
from studio.evaluation.scorers.entry import with_scorers as with_scorers
