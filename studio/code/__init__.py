"""Components as Python code, without executing anything."""

from studio.code.notes import Notes as Notes
from studio.code.notes import notes_of as notes_of
from studio.code.notes import with_notes as with_notes
from studio.code.python import export_python as export_python
