"""Reading a gallery imports, executes, starts and contacts nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from studio.components import JsonObject
from studio.services.builtin_galleries import builtin_galleries

WATCH = Path(__file__).with_name("watch_reading.py")


def read_watched(files: list[Path]) -> str:
    done = subprocess.run([sys.executable, WATCH, *files], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def tool(name: str, source: str, imports: list[str] | None = None) -> JsonObject:
    config: JsonObject = {"name": name, "description": "d", "source_code": source, "global_imports": [*(imports or [])]}
    return {"provider": "autogen_core.tools.FunctionTool", "component_type": "tool", "config": config}


def hostile(trace: Path) -> JsonObject:
    """Everything by which a gallery could try to have code run when it is read."""
    do = f"open({str(trace)!r}, 'w').close()"
    server: JsonObject = {"type": "StdioServerParams", "command": "touch", "args": [str(trace)]}
    tools = [
        tool("beside", f"{do}\ndef beside(a: int) -> int:\n    return a\n"),
        tool("default", f"def default(a: int = {do}) -> int:\n    return a\n"),
        tool("decorated", f"@(lambda f: ({do}, f)[1])\ndef decorated(a: int) -> int:\n    return a\n"),
        tool("annotated", f"def annotated(a: {do}) -> int:\n    return a\n"),
        tool("generic", f"from typing import Annotated\ndef generic(a: Annotated[int, {do}]) -> int:\n    return a\n"),
        tool("imports", "def imports(a: int) -> int:\n    return a\n", ["antigravity", "this"]),
        tool("docstring", f'def docstring(a: int) -> int:\n    """\\"\\"\\"\n    {do}\n    """\n    return a\n'),
        tool("name\n    " + do, "def named(a: int) -> int:\n    return a\n"),
    ]
    elsewhere: list[JsonObject] = [
        {"provider": "os.system", "component_type": "tool", "config": {"command": f"touch {trace}"}},
        {"provider": "builtins.exec", "component_type": "agent", "config": {"source": do}},
        {"provider": "antigravity.geohash", "component_type": "tool", "config": {}},
        {
            "provider": "autogen_ext.tools.mcp.McpWorkbench",
            "component_type": "workbench",
            "config": {"server_params": server},
        },
    ]
    return {"name": f'Hostile """ {do}', "components": {"tools": [*tools, *elsewhere]}}


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_a_hostile_gallery_causes_nothing(tmp_path: Path):
    trace, file = tmp_path / "trace", tmp_path / "hostile.json"
    file.write_text(json.dumps(hostile(trace)), encoding="utf-8")
    most_kinds_first = sorted(
        (each.gallery for each in builtin_galleries()), key=lambda each: -sum(map(bool, each.components.values()))
    )
    shipped = [tmp_path / f"{each.id}.json" for each in most_kinds_first]
    for file_of_ours, each in zip(shipped, most_kinds_first, strict=True):
        file_of_ours.write_text(json.dumps(each.dump()), encoding="utf-8")
    assert read_watched([*shipped, file]) == f"read {len(shipped) + 1}\n"
    assert not trace.exists()
