"""Components as Python code and back, without executing anything."""

from studio.code.choices import SeveralComponents as SeveralComponents
from studio.code.export import export_python as export_python
from studio.code.findings import CodeFinding as CodeFinding
from studio.code.findings import InvalidPython as InvalidPython
from studio.code.findings import Position as Position
from studio.code.notes import Notes as Notes
from studio.code.notes import notes_of as notes_of
from studio.code.notes import with_notes as with_notes
from studio.code.parser import Reading as Reading
from studio.code.parser import parse_python as parse_python
from studio.code.parser import read_python as read_python
from studio.code.parser import read_script as read_script
