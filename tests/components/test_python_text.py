"""Reading a source opens no file, also where it is no Python and its line is quoted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LOOK = """
import ast, sys
from studio.components.python_text import syntax_tree
opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
for read in READERS:
    try:
        read("x = (\\nyield")
    except SyntaxError:
        pass
print("unknown" in "".join(opened))
"""


def test_no_file_of_the_working_folder_is_read_to_quote_a_line(tmp_path: Path):
    (tmp_path / "<unknown>").write_text("x")
    code = LOOK
    for readers, found in (("[ast.parse]", "True"), ("[syntax_tree]", "False")):
        command = [sys.executable, "-c", code.replace("READERS", readers)]
        assert subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout == f"{found}\n"
