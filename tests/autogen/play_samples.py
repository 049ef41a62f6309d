"""Runs scripts one after another in this process and reports each: `python play_samples.py FOLDER NAME ...`.

Under `python -m studio.autogen` the scripts are AutoGen's, under plain `python` their imports are the studio's.
"""

from __future__ import annotations

import json
import runpy
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path


def play(script: Path) -> dict[str, str]:
    """What a script printed and how it failed, if it did."""
    out, err, typed = StringIO(), StringIO(), sys.stdin
    failure = ""
    try:
        with redirect_stdout(out), redirect_stderr(err):
            runpy.run_path(str(script), run_name="__main__")
    except BaseException:  # noqa: BLE001 -- whatever a script raises, SystemExit too, is its report
        failure = traceback.format_exc()
    finally:
        sys.stdin = typed
    return {"printed": out.getvalue(), "failure": failure, "aside": err.getvalue()}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    sys.path.insert(0, str(folder))
    print(json.dumps({name: play(folder / f"{name}.py") for name in sys.argv[2:]}))
