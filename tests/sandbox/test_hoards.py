"""Code that holds memory beside that of its processes, or stops whoever looks. A plain process does the same first, in
harmless measure."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from pathlib import Path

import pytest

from studio.executors.program import Outcome, run_program
from studio.sandbox import Jail, Policy, Quota, ServerPaths, bare_environment, linux
from studio.sandbox.linux import is_linux
from tests.sandbox.jailed import FIRST_NAMES, NAMES, PLAIN, jail_named

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_linux() or platform.machine() != "x86_64", reason="calls of Linux by their numbers"),
]

LONG_S = 30
# A process that begins or ends hides its files for a moment and counts as one with all that it may open; two may.
QUOTA = Quota(memory_mb=200, processes=20, disk_mb=64, files=2_000, open_files=256, all_open_files=600)
PREPARED = """
import ctypes, fcntl, mmap, os, resource, signal, socket, sys, tempfile, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
MB = 1_000_000

def called(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def pour(place):
    for _ in range(len(place) // MB):
        place.write(b"x" * MB)

def fill(handle, size):
    os.ftruncate(handle, size)
    for _ in range(size // MB):
        os.write(handle, b"x" * MB)
"""
REFUSED = {
    "files of memory": "fill(os.memfd_create('x'), 5 * MB)",
    "sealed files of memory": "fill(called(319, b'x', 2), 5 * MB)",
    "secret memory": "called(447, 0)",
    "memory of System V": "called(29, 0, 5 * MB, 0o1600)",
    "semaphores of System V": "called(64, 0, 1, 0o1600)",
    "messages of System V": "called(68, 0, 0o1600)",
    "messages of POSIX": "called(240, b'x', 0o102, 0o600, None)",
    "pages of another process": "called(279, 1, 1, 0, 0, 0, 0)",
    "limits of who watches": "resource.prlimit(WATCHER, resource.RLIMIT_NOFILE, (3, 3))",
    "reading limits of who watches": "resource.prlimit(WATCHER, resource.RLIMIT_NOFILE)",
    "stop who watches": "os.kill(WATCHER, signal.SIGSTOP)",
    "end who watches": "os.kill(WATCHER, signal.SIGKILL)",
    "probe who watches": "os.kill(WATCHER, 0)",
    "stop all": "os.kill(-1, signal.SIGSTOP)",
    "stop the group of who watches": "os.kill(-WATCHER, signal.SIGSTOP)",
    "stop a thread of who watches": "called(200, WATCHER, signal.SIGSTOP)",
    "stop it by thread and group": "called(234, WATCHER, WATCHER, signal.SIGSTOP)",
    "queue a signal for who watches": "called(129, WATCHER, signal.SIGSTOP, ctypes.create_string_buffer(128))",
    "queue one for its thread": "called(297, WATCHER, WATCHER, signal.SIGSTOP, ctypes.create_string_buffer(128))",
    "signal by a handle": "signal.pidfd_send_signal(os.pidfd_open(WATCHER), signal.SIGSTOP)",
    "signal by a folder": "signal.pidfd_send_signal(os.open(f'/proc/{WATCHER}', os.O_RDONLY), signal.SIGSTOP)",
    "make who watches wait": "os.sched_setscheduler(WATCHER, os.SCHED_IDLE, os.sched_param(0))",
    "push who watches to one processor": "os.sched_setaffinity(WATCHER, [0])",
    "attributes of who watches": "called(314, WATCHER, ctypes.create_string_buffer(56), 0)",
    "make who watches nice": "os.setpriority(os.PRIO_PROCESS, WATCHER, 19)",
    "make all of the group nice": "os.setpriority(os.PRIO_PGRP, 0, 19)"
    + "; assert os.getpriority(os.PRIO_PROCESS, WATCHER) > 18",
    "make all of the user nice": "os.setpriority(os.PRIO_USER, 0, 19)"
    + "; assert os.getpriority(os.PRIO_PROCESS, WATCHER) > 18",
    "disk of who watches": "called(251, 1, WATCHER, 3 << 13)",
    "trace who watches": "assert libc.ptrace(0x4206, WATCHER, None, None) == 0",
    "memory of who watches": "open(f'/proc/{WATCHER}/mem', 'r+b').close()",
    "score of who watches": "open(f'/proc/{WATCHER}/oom_score_adj', 'w').write('1000')",
    "read the plan of the jail": "assert '--' in open(f'/proc/{WATCHER}/cmdline').read()",
}
"""What must fail at once. WATCHER is the parent of the process, which a plain one starts for this."""
HELD = {
    "shared memory": ("held = mmap.mmap(-1, SIZE); pour(held)", "memory"),
    "shared memory out of sight": (
        "held = mmap.mmap(-1, SIZE); pour(held); held.madvise(mmap.MADV_DONTNEED)",
        "memory",
    ),
    "shared memory of many": (
        "all = [mmap.mmap(-1, SIZE // 10) for _ in range(10)]; [(pour(o), o.madvise(4)) for o in all]",
        "memory",
    ),
    "shared memory of a process that hides": (
        "libc.prctl(4, 0); held = mmap.mmap(-1, SIZE); pour(held); held.madvise(4)",
        "memory",
    ),
    "shared memory by a device": (
        "held = mmap.mmap(os.open('/dev/zero', os.O_RDWR), SIZE); pour(held); held.madvise(4)",
        "memory",
    ),
    "tables of pages": (
        "place = libc.mmap(None, ctypes.c_size_t(PAGES << 21), 1, 0x4022, -1, 0)\n"
        "for each in range(PAGES): ctypes.string_at(place + (each << 21), 1)",
        "memory",
    ),
    "files in memory": (
        "[open(f'/tmp/{n}', 'wb').write(bytes(MB)) for n in range(40)];"
        "[open(f'/dev/shm/{n}', 'wb').write(bytes(MB)) for n in range(40)]",
        "folders hold more than 64 MB",
    ),
    "deleted files in memory": (
        "held = [tempfile.TemporaryFile(dir=d) for d in ('/tmp', '/dev/shm') for _ in range(40)];"
        "[(file.write(bytes(MB)), file.flush()) for file in held]",
        "folders hold more than 64 MB",
    ),
    "empty files in memory": ("[open(f'/tmp/{n}', 'x').close() for n in range(COUNT)]", "2000 files|No space"),
    "empty folders": ("[os.mkdir(f'/dev/shm/{n}') for n in range(COUNT)]", "2000 files|No space"),
    "links": ("[os.symlink('x', f'/tmp/{n}') for n in range(COUNT)]", "2000 files|No space"),
    "files in the folder": ("[open(f'{n}', 'x').close() for n in range(COUNT)]", "2000 files|No space"),
    "pipes": (
        "held = [os.pipe() for _ in range(100)]; os.fork(); os.fork(); os.fork(); [os.close(w) for _, w in held]",
        "600 files",
    ),
    "sockets": ("held = [socket.socketpair() for _ in range(100)]; os.fork(); os.fork()", "600 files"),
    "files of a process that hides": ("libc.prctl(4, 0); os.fork(); os.fork()", "600 files"),
}
"""What is ended, or fails, for the reason given."""
WITHIN = {
    "shared memory": "held = mmap.mmap(-1, 50 * MB); pour(held); held.madvise(4)",
    "a file": "open('/tmp/x', 'wb').write(bytes(30 * MB))",
    "its own limits": "resource.prlimit(0, resource.RLIMIT_NOFILE, (100, 100))",
    "its own place": "os.sched_setaffinity(0, os.sched_getaffinity(0)); os.setpriority(os.PRIO_PROCESS, 0, 2)",
    "its own threads": "import threading as t; os.sched_setscheduler(t.get_native_id(), 0, os.sched_param(0))",
    "its own children": "child = os.fork() or time.sleep(60); os.kill(child, 9); os.waitpid(child, 0)",
    "pipes of many": "assert os.system('ulimit -n 50; nice true | cat') == 0",
    "shared values": "import multiprocessing as m; v = m.get_context('fork').Value('i', 0); v.value = 3",
    "shared memory by name": "import multiprocessing.shared_memory as m; m.SharedMemory(create=True, size=MB).unlink()",
    "callbacks": "ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1)()",
    "certificates": "import ssl; assert os.path.exists('/etc/ssl/certs'); ssl.create_default_context()",
}
"""What ordinary programs do."""


@pytest.fixture(params=NAMES)
def jail(request: pytest.FixtureRequest) -> Jail:
    return jail_named(request.param)


@pytest.fixture(params=FIRST_NAMES)
def first_jail(request: pytest.FixtureRequest) -> Jail:
    return jail_named(request.param)


async def run(jail: Jail, code: str, folder: Path, *, is_kept: bool = True, readable: tuple[Path, ...] = ()) -> Outcome:
    os.makedirs(folder, exist_ok=True)
    command = jail.command(
        [sys.executable, "-I", "-c", PREPARED + code], Policy(folder, is_kept, readable, quota=QUOTA)
    )
    return await run_program(command, folder=folder, environment=bare_environment(folder), timeout_s=LONG_S)


def attempt(what: str) -> str:
    tried = f"try:\n    {REFUSED[what]}\nexcept (OSError, AssertionError):\n    print('refused')\n"
    return f"WATCHER = os.getppid()\n{tried}"


@pytest.mark.parametrize("what", REFUSED)
async def test_no_memory_is_had_past_the_processes_and_nobody_touches_the_watcher(
    jail: Jail, tmp_path: Path, what: str
) -> None:
    assert (await run(jail, attempt(what), tmp_path)).stdout == "refused\n"


@pytest.mark.parametrize("what", [what for what in REFUSED if what.split()[0] in ("files", "stop", "make", "limits")])
async def test_a_plain_process_can(tmp_path: Path, what: str) -> None:
    code = f"WATCHER = os.fork() or time.sleep({LONG_S})\n{REFUSED[what]}\nos.kill(WATCHER, 9)\nprint('did it')"
    if not re.search("GRP|USER|-1|-WATCHER", code):
        assert (await run(PLAIN, code, tmp_path)).stdout == "did it\n"


@pytest.mark.parametrize("what", HELD)
async def test_what_is_held_is_counted_wherever_it_is(jail: Jail, tmp_path: Path, what: str) -> None:
    code, why = HELD[what]
    here = code.replace("/tmp/", "").replace("/dev/shm/", "s")
    plain = f"os.chdir({str(tmp_path)!r})\nSIZE, PAGES, COUNT = 4 * MB, 20, 3\n{here}"
    plain = re.sub(r"os\.fork\(\)(; os\.fork\(\))+", "pass", plain).replace("'/tmp', '/dev/shm'", "'.', '.'")
    assert (await run(PLAIN, f"{plain}\nprint('held')", tmp_path / "plain")).stdout == "held\n"
    held = f"SIZE, PAGES, COUNT = 400 * MB, 70_000, 3_000\n{code}\ntime.sleep({LONG_S})"
    outcome = await run(jail, held, tmp_path / "jailed", is_kept=False)
    assert re.search(why, outcome.stderr), outcome
    assert not outcome.stopped


@pytest.mark.parametrize("what", WITHIN)
async def test_what_ordinary_programs_do_is_let_be(first_jail: Jail, tmp_path: Path, what: str) -> None:
    outcome = await run(first_jail, f"{WITHIN[what]}\ntime.sleep(0.7)\nprint('did it')", tmp_path, is_kept=False)
    assert (outcome.stdout, outcome.stderr) == ("did it\n", "")


async def test_many_files_do_not_fill_a_folder_that_stays(jail: Jail, tmp_path: Path) -> None:
    code = f"[open(f'{{n}}', 'x').close() for n in range(3_000)]; time.sleep({LONG_S})"
    outcome = await run(jail, code, tmp_path)
    assert "more than 2000 files" in outcome.stderr or "No space" in outcome.stderr


async def test_the_watcher_is_out_of_reach_also_where_landlock_knows_no_signals(
    jail: Jail, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Linux 6.7 to 6.11."""
    launcher = shutil.copytree(linux.LAUNCHER, tmp_path / "launcher")
    shown = (launcher,)
    source = (launcher / "landlock.py").read_text()
    (launcher / "landlock.py").write_text(source.replace("HAS_TCP, HAS_SCOPES = 4, 6", "HAS_TCP, HAS_SCOPES = 4, 99"))
    assert (launcher / "landlock.py").read_text() != source
    monkeypatch.setattr(linux, "START", (*linux.START[:-1], str(launcher)))
    names = [what for what in REFUSED if "WATCHER" in REFUSED[what]]
    for what in names:
        assert (await run(jail, attempt(what), tmp_path / "work", readable=shown)).stdout == "refused\n", what
    code = f"os.fork()\nheld = bytearray(b'x') * (150 * MB)\ntime.sleep({LONG_S})"
    outcome = await run(jail, code, tmp_path / "work", readable=shown)
    assert "more than 200 MB of memory" in outcome.stderr, outcome


@pytest.mark.parametrize("readable", [True, False])
async def test_private_keys_of_the_system_and_of_the_studio_are_out_of_sight(
    jail: Jail, tmp_path: Path, readable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, private = keys_in(tmp_path)
    monkeypatch.setattr(linux, "PRIVATE", (private,))
    outside = ServerPaths((shown,) if readable else (), hidden=(shown / "tls.key",))
    held = type(jail)(**{**vars(jail), "outside": outside})
    look = "try: print(repr(open(each).read()))\n    except OSError as error: print(type(error).__name__)"
    places = [str(shown / name) for name in ("tls.key", "private/k.key", "other")]
    code = f"for each in {places}:\n    {look}\n"
    said = (await run(held, code, tmp_path / "work")).stdout.split("\n")[:3]
    assert "SECRET" not in str(said)
    assert said[2] == ("'fine'" if readable else "FileNotFoundError")


def keys_in(folder: Path) -> tuple[Path, Path]:
    """A folder as `/etc/ssl`, and that of the private keys in it; whoever is shown a file may read it."""
    shown, private = folder / "etc" / "ssl", folder / "etc" / "ssl" / "private"
    private.mkdir(parents=True)
    (private / "k.key").write_text("SECRET")
    (shown / "tls.key").write_text("SECRET")
    (shown / "other").write_text("fine")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    return shown, private
