"""Teams as programs of other frameworks, each with a report of what is different there."""

from studio.exporters.exporting import TARGETS as TARGETS
from studio.exporters.exporting import Exported as Exported
from studio.exporters.exporting import Target as Target
from studio.exporters.exporting import TargetKey as TargetKey
from studio.exporters.exporting import export_team as export_team
from studio.exporters.refusals import CannotExport as CannotExport
