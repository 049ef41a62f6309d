"""`python -m studio.autogen SCRIPT.py ARGS` and `python -m studio.autogen -m MODULE ARGS`."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from studio.autogen.hook import install

USAGE = """\
usage: python -m studio.autogen SCRIPT.py [ARGS ...]
       python -m studio.autogen -m MODULE [ARGS ...]

Runs a script, or a module such as pytest, that imports autogen_agentchat, autogen_core and autogen_ext. Team Studio's
engine stands in for them; AutoGen itself need not be installed.
"""


def main(arguments: list[str]) -> int:
    """Run what the command line names, as `python` itself would."""
    if not arguments or arguments[0] in ("-h", "--help") or arguments == ["-m"]:
        is_asked = arguments[:1] in (["-h"], ["--help"])
        print(USAGE, end="", file=sys.stdout if is_asked else sys.stderr)
        return 0 if is_asked else 2
    if arguments[0] == "-m":
        install()
        sys.argv = arguments[1:]
        sys.path.insert(0, "")
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return 0
    script = Path(arguments[0])
    if not script.exists():
        print(f"There is no file {arguments[0]!r}.", file=sys.stderr)
        return 2
    install()
    sys.argv = arguments
    sys.path.insert(0, str(script.resolve().parent))
    runpy.run_path(str(script), run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
