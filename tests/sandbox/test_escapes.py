"""Code of a tool that tries to get out of its jail. A plain process does the same first, so that each could fail."""

from __future__ import annotations

import os
import platform
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

import pytest

from studio.errors import ToolFailed
from studio.sandbox import Jail, Policy, examined, run_function, working_directory
from studio.sandbox.linux import LandlockJail, is_linux
from tests.sandbox.jailed import DAEMON, NAMES, PLAIN, jail_named, within

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not is_linux(), reason="the jails are those of Linux")]

DID_IT = "did it"
WITHOUT_NAMESPACES = "without namespaces"
KEYCTL = 250 if platform.machine() == "x86_64" else 219
PREPARED = "import ctypes, os, signal, socket, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n"
ATTEMPTS = {
    "read the database": "open({data!r} + '/studio.db').close()",
    "read the token": "open({data!r} + '/token').close()",
    "read the secret key": "open({data!r} + '/secret.key').close()",
    "list the data folder": "os.listdir({data!r})",
    "change the database": "open({data!r} + '/studio.db', 'a').close()",
    "read the environment of the server": "open('/proc/{server}/environ').close()",
    "open the memory of the server": "open('/proc/{server}/mem', 'rb').close()",
    "signal the server": "os.kill({server}, 0)",
    "trace another process": "assert libc.ptrace(0x4206, {victim}, None, None) == 0",  # PTRACE_SEIZE
    "write outside of its folder": "open({outside!r}, 'x').close()",
    "write through a link": "os.symlink({data!r}, 'link'); open('link/more', 'w').close()",
    "reach the port of the studio": "socket.create_connection(('127.0.0.1', {port}), 5).close()",
    # A connection of datagrams sends nothing; it fails where no route leads there.
    "reach the metadata service": "socket.socket(type=socket.SOCK_DGRAM).connect(('169.254.169.254', 80))",
    "reach a host": "socket.socket(type=socket.SOCK_DGRAM).connect(('192.0.2.1', 443))",
    "reach an abstract socket": "socket.socket(socket.AF_UNIX).connect('\\0' + {abstract!r})",
    "reach a socket by its path": "socket.socket(socket.AF_UNIX).connect({place!r})",
    "gain rights": "assert 'NoNewPrivs:\t0' in open('/proc/self/status').read()",
    "make a namespace": "assert libc.unshare(0x10000000) == 0",  # CLONE_NEWUSER
    "use the keyring": "assert libc.syscall({keyctl}, 0, -3, 1) >= 0",  # KEYCTL_GET_KEYRING_ID of the session
    "leave a core": "import resource; assert resource.getrlimit(resource.RLIMIT_CORE)[1] != 0",
}


@dataclass(frozen=True)
class Studio:
    """What code would like to get at."""

    data: Path
    outside: Path
    place: Path
    abstract: str
    port: int
    victim: int

    def attempt(self, what: str) -> str:
        """Code that tries it, and raises when it cannot."""
        given = {"data": str(self.data), "outside": str(self.outside), "place": str(self.place)}
        numbers = {"port": self.port, "victim": self.victim, "server": os.getpid(), "keyctl": KEYCTL}
        return ATTEMPTS[what].format(**given, **numbers, abstract=self.abstract)


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    """A data folder, a port, sockets and another process, as they are around a server."""
    data, place, abstract = tmp_path / "data", tmp_path / "socket", f"studio-test-{os.getpid()}"
    data.mkdir()
    for name in ("studio.db", "token", "secret.key"):
        (data / name).write_text("secret")
        (data / name).chmod(0o600)
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for address in (str(place), f"\0{abstract}"):
            opened = stack.enter_context(socket.socket(socket.AF_UNIX))
            opened.bind(address)
            opened.listen()
        victim = stack.enter_context(other_process())
        yield Studio(data, tmp_path / "outside", place, abstract, listener.getsockname()[1], victim)


@contextmanager
def other_process() -> Generator[int]:
    """A process that lets itself be traced, also where only parents may do that."""
    allow = "import ctypes; ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)"  # PR_SET_PTRACER, any
    code = f"{allow}; print('x', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.kill()


@pytest.fixture(params=NAMES)
def jail(request: pytest.FixtureRequest) -> Jail:
    return jail_named(request.param)


@pytest.fixture(params=[*NAMES, WITHOUT_NAMESPACES])
def any_jail(request: pytest.FixtureRequest) -> Jail:
    if request.param != WITHOUT_NAMESPACES:
        return jail_named(request.param)
    for each in examined():
        if each.works and each.jail == LandlockJail(has_namespaces=False):
            return each.jail
    pytest.skip("Landlock alone does not work on this machine")


async def call(code: str) -> object:
    """What came of code in a tool: its last words are `did it` where nothing was raised."""
    source = f"{PREPARED}def f():\n{indent(code, '    ')}\n    return {DID_IT!r}\n"
    try:
        reply = await run_function(imports="", source=source, function="f", arguments={})
    except ToolFailed as error:
        return error.what
    return reply.get("value", reply.get("error"))


def test_this_machine_can_confine_code():
    assert [each.jail.name for each in examined() if each.works], [each.text for each in examined()]


@pytest.mark.parametrize("what", ATTEMPTS)
async def test_a_tool_cannot(what: str, any_jail: Jail, studio: Studio) -> None:
    with within(PLAIN):
        assert await call(studio.attempt(what)) == DID_IT
    studio.outside.unlink(missing_ok=True)
    with within(any_jail):
        assert await call(studio.attempt(what)) != DID_IT
        assert await call("pass") == DID_IT
    assert not studio.outside.exists()


async def test_its_ordinary_work_is_done(jail: Jail) -> None:
    code = """
import asyncio, hashlib, httpx, json, multiprocessing, pydantic, sqlite3, ssl, subprocess, tempfile, threading
thread = threading.Thread(target=print); thread.start(); thread.join()
assert subprocess.check_output(["sh", "-c", "echo $HOME"], text=True).strip() == os.getcwd()
with tempfile.NamedTemporaryFile() as file, open("/tmp/here", "w") as other, open("/dev/null") as nothing: pass
sqlite3.connect("some.db").execute("create table t (x)")
assert asyncio.run(asyncio.sleep(0, 1)) == 1
with multiprocessing.get_context("fork").Pool(2) as pool: assert pool.map(abs, [-1, -2]) == [1, 2]
with socket.create_server(("127.0.0.1", 0)) as listener: socket.create_connection(listener.getsockname()).close()
ssl.create_default_context()
assert os.getpid() > 1 and os.listdir("/proc/self/fd") and os.listdir("/")
"""
    with within(jail):
        assert await call(code) == DID_IT


async def test_nothing_survives_its_call(jail: Jail, tmp_path: Path) -> None:
    assert not await is_gone(PLAIN, tmp_path / "plain")
    assert await is_gone(jail, tmp_path / "jailed")


async def is_gone(jail: Jail, folder: Path) -> bool:
    """Whether a process that a tool left behind is gone after the call; it is let go either way."""
    os.mkdir(folder)
    for name in ("alive", "stop"):
        os.mkfifo(folder / name)
    heard = os.open(folder / "alive", os.O_RDONLY | os.O_NONBLOCK)
    token = working_directory.set(folder)
    try:
        with within(jail):
            assert await call(DAEMON) == DID_IT
        readable, _, _ = select.select([heard], [], [], 5 if jail.is_confining else 0)
        return bool(readable)
    finally:
        working_directory.reset(token)
        if not jail.is_confining:
            (folder / "stop").write_text("")
        os.close(heard)


def test_what_is_started_ends_with_the_server(jail: Jail, tmp_path: Path) -> None:
    """Also when the server is killed, and can do nothing about it."""
    heard, told = os.pipe()
    program = f"import os; os.write({told}, b'x'); os.read(0, 1)"
    command = jail.command([sys.executable, "-I", "-c", program], Policy(tmp_path))
    code = f"import subprocess; subprocess.Popen({command!r}, pass_fds=({told},), start_new_session=True).wait()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, pass_fds=(told,)) as server:
        os.close(told)
        assert os.read(heard, 1) == b"x"
        server.send_signal(signal.SIGKILL)
        server.wait()
        assert os.read(heard, 1) == b""
    os.close(heard)
