"""How much a jailed program can use up. A plain process does the same first, in harmless measure."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from studio.executors.program import Outcome, run_program
from studio.sandbox import Jail, JailUnavailable, Policy, Quota, ServerPaths, bare_environment, detect_jail, place_of
from studio.sandbox.linux import is_linux
from tests.sandbox.jailed import NAMES, PLAIN, jail_named

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not is_linux(), reason="the jails are those of Linux")]

QUOTA = Quota(memory_mb=200, address_space_mb=1000, processes=20, file_mb=8, disk_mb=16, open_files=64)
FORKS = """
import os, sys
told, tell = os.pipe()
children = 0
try:
    while children < 60:
        if os.fork() == 0:
            os.close(tell)
            os.read(told, 1)
            os._exit(0)
        children += 1
except BlockingIOError:
    print("refused")
print(children)
"""
MEMORY = """
held = bytearray(300_000_000)
print("held")
"""
SHARED_MEMORY = """
import mmap, os, time
told, tell = os.pipe()
children = [os.fork() for _ in range(1)]
held = mmap.mmap(-1, 150_000_000)
held.write(b"x" * 150_000_000)
os.write(tell, b"x")
if children[0]:
    os.read(told, 1), os.read(told, 1)
    print("held", flush=True)
time.sleep({patience})
"""
LARGE_FILE = "open('large', 'wb').write(bytes(12_000_000))\nprint('written')"
MANY_FILES = """
import os, time
for number in range(8):
    with open(f"{number}", "wb") as file:
        file.write(os.urandom(5_000_000))
        os.fsync(file.fileno())
print("written", flush=True)
time.sleep(PATIENCE)
"""
OPEN_FILES = """
files = []
try:
    while len(files) < 100: files.append(open("/dev/null"))
except OSError:
    print("refused")
print(len(files))
"""
LONG = 30


@pytest.fixture(params=NAMES)
def jail(request: pytest.FixtureRequest) -> Jail:
    return jail_named(request.param)


async def run(jail: Jail, code: str, folder: Path, *, is_kept: bool = True) -> Outcome:
    os.makedirs(folder, exist_ok=True)
    command = jail.command([sys.executable, "-I", "-c", code], Policy(folder, is_kept, quota=QUOTA))
    return await run_program(command, folder=folder, environment=bare_environment(folder), timeout_s=LONG)


async def test_a_fork_bomb_fizzles_out(jail: Jail, tmp_path: Path) -> None:
    assert (await run(PLAIN, FORKS, tmp_path / "plain")).stdout == "60\n"
    outcome = await run(jail, FORKS, tmp_path / "jailed")
    assert outcome.stdout.startswith("refused\n")
    assert int(outcome.stdout.split()[1]) <= QUOTA.processes + 3  # some of the launcher are counted too
    assert (await run(jail, "print(1)", tmp_path / "jailed")).stdout == "1\n"


async def test_one_process_cannot_fill_the_memory(jail: Jail, tmp_path: Path) -> None:
    assert (await run(PLAIN, MEMORY, tmp_path / "plain")).stdout == "held\n"
    assert "MemoryError" in (await run(jail, MEMORY, tmp_path / "jailed")).stderr


async def test_several_processes_cannot_either(jail: Jail, tmp_path: Path) -> None:
    plain = await run(PLAIN, SHARED_MEMORY.format(patience=0), tmp_path / "plain")
    assert plain.stdout == "held\n"
    outcome = await run(jail, SHARED_MEMORY.format(patience=LONG), tmp_path / "jailed")
    assert "more than 200 MB of memory" in outcome.stderr
    assert not outcome.stopped


@pytest.mark.parametrize("is_kept", [True, False])
async def test_one_file_cannot_fill_the_disk(jail: Jail, tmp_path: Path, is_kept: bool) -> None:
    assert (await run(PLAIN, LARGE_FILE, tmp_path / "plain")).stdout == "written\n"
    assert "File too large" in (await run(jail, LARGE_FILE, tmp_path / "jailed", is_kept=is_kept)).stderr


@pytest.mark.parametrize(("is_kept", "why"), [(True, "its folders hold more than 16 MB"), (False, "No space left")])
async def test_many_files_cannot_either(jail: Jail, tmp_path: Path, is_kept: bool, why: str) -> None:
    plain = await run(PLAIN, MANY_FILES.replace("PATIENCE", "0"), tmp_path / "plain")
    assert plain.stdout == "written\n"
    outcome = await run(jail, MANY_FILES.replace("PATIENCE", str(LONG)), tmp_path / "jailed", is_kept=is_kept)
    assert why in outcome.stderr
    assert not outcome.stopped


async def test_files_are_not_opened_without_end(jail: Jail, tmp_path: Path) -> None:
    assert (await run(PLAIN, OPEN_FILES, tmp_path / "plain")).stdout == "100\n"
    assert (await run(jail, OPEN_FILES, tmp_path / "jailed")).stdout.startswith("refused\n")


async def test_exit_code_and_streams_go_through(jail: Jail, tmp_path: Path) -> None:
    outcome = await run(jail, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)", tmp_path / "a")
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (7, "out\n", "err\n")
    ended = await run(jail, "import os; os.kill(os.getpid(), 9)", tmp_path / "b")
    assert ended.exit_code == 128 + 9


async def test_what_is_not_there_is_told_as_by_a_shell(jail: Jail, tmp_path: Path) -> None:
    outcome = await run_program(jail.command(["no-such-program"], Policy(tmp_path)), folder=tmp_path, environment={})
    assert outcome.exit_code == 127
    assert "'no-such-program' cannot be started" in outcome.stderr


def with_data(jail: Jail, data: Path) -> Jail:
    return detect_jail("landlock" if jail.name == "landlock" else "bubblewrap", ServerPaths(hidden=(data,)))


@pytest.mark.parametrize("where", ["data", "data/inside", "."])
def test_no_policy_opens_the_data_folder(jail: Jail, tmp_path: Path, where: str) -> None:
    data = tmp_path / "data"
    (data / "inside").mkdir(parents=True)
    with pytest.raises(JailUnavailable, match="keeps its own data"):
        with_data(jail, data).command(["true"], Policy(tmp_path / where))


async def test_the_data_folder_is_empty_within_a_readable_one(jail: Jail, tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "folder"
    for place in (data, folder):
        place.mkdir()
    for name in ("data/token", "note"):
        (tmp_path / name).write_text("x")
    os.chmod(tmp_path, 0o755)  # a jail of root runs as somebody else
    command = with_data(jail, data).command(["ls", str(tmp_path), str(data)], Policy(folder, readable=(tmp_path,)))
    outcome = await run_program(command, folder=folder, environment=bare_environment(folder))
    assert outcome.stdout.split() == [f"{tmp_path}:", "data", "folder", "note", f"{data}:"]


@pytest.mark.parametrize(
    "place",
    [
        Path("/"),
        Path("/usr"),
        Path("/usr/lib"),
        Path("/etc/ssl"),
        Path("/var/lib/x"),
        Path.home(),
        Path.home().parent,
        Path(sys.prefix),
    ],
)
def test_no_policy_lets_code_change_a_whole_machine(jail: Jail, place: Path) -> None:
    with pytest.raises(JailUnavailable, match="may not change"):
        jail.command(["true"], Policy(place))


def test_the_place_of_a_program_is_never_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "tools/bin/tool"
    tool.parent.mkdir(parents=True)
    tool.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tool.parent))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert place_of("tool") == (tmp_path / "tools/bin",)
    monkeypatch.setenv("HOME", str(tmp_path / "tools"))
    assert place_of("tool") == (tmp_path / "tools/bin",)
    monkeypatch.setenv("HOME", str(tmp_path / "tools/bin"))
    assert place_of("tool") == ()
    monkeypatch.setenv("HOME", "/home/somebody")
    assert place_of("tool") == (tmp_path / "tools",)
    assert place_of("no-such-program") == ()
