"""What every process of the studio has in common, made once: the processes of the tests are forked from one that did.

Only `multiprocessing` imports this, in its fork server. To import the studio and to make ready what its first visitors
want takes seconds, and tests start hundreds of studios.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import tempfile
import threading
from pathlib import Path

from fastapi.testclient import TestClient

from studio.cli.app import command
from studio.settings import Settings
from studio.web.app import create_app
from tests.store.shared_statements import shared_statements
from tests.web.doors import BASE_URL, TOKEN, wait_until_warm

ENDING_S = 10
# What a studio imports only in the moment that it wants it: to serve, and to ask a model for the first time.
LATE_MODULES = (
    "studio.cli.app",
    "studio.cli.deploy_commands",
    "studio.cli.serve",
    "uvicorn.lifespan.off",
    "uvicorn.loops.asyncio",
    "openai.resources.chat",
    "h2.connection",
    "httpcore",
    "httpcore2",
    "trio",
    "truststore",
)
_shared = shared_statements()
_shared.__enter__()  # and never left: what is compiled here, no process compiles again
for _name in LATE_MODULES:
    if importlib.util.find_spec(_name.partition(".")[0]) is not None:  # clients of other versions bring others along
        importlib.import_module(_name)

command()

with (
    tempfile.TemporaryDirectory() as _folder,
    TestClient(create_app(Settings(data_dir=Path(_folder) / "data", token=TOKEN)), base_url=BASE_URL) as _server,
):
    wait_until_warm(_server)
for _thread in threading.enumerate():
    if _thread is not threading.current_thread():
        _thread.join(ENDING_S)  # told to end, and perhaps not gone yet
assert threading.active_count() == 1, threading.enumerate()
# The collector writes into all that it looks through: each fork would copy the hundred megabytes that it shares.
gc.collect()
gc.freeze()
