"""What code in a container gets at: tried in real containers of a real engine."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from studio.components import all_capabilities
from studio.executors import CodeExecutor, DockerCommandLineCodeExecutor, DockerJupyterCodeExecutor, DockerJupyterServer
from studio.executors.program import run_program
from studio.messages import CodeBlock
from studio.sandbox import JailUnavailable, UnavailableJail
from tests.executors.conftest import docker
from tests.sandbox.jailed import within
from tests.sandbox.sites import ASK, site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180), pytest.mark.usefixtures("engine")]

CONFINING = UnavailableJail(JailUnavailable("no other sandbox is needed"))
"""Stands for a studio that confines what it runs."""
ATTEMPTS = {
    "reach an address of the network": "import socket; socket.create_connection(('1.1.1.1', 53), 3); print('did it')",
    "reach this machine": "import socket; socket.create_connection(('{address}', {port}), 3); print('did it')",
    "have another network than its own": """
        import os
        if len(open('/proc/net/dev').readlines()) > 3: print('did it')""",
    "write to the root folder": "open('/x', 'w'); print('did it')",
    "write to its system": "open('/usr/bin/env', 'a'); print('did it')",
    "write to /etc": "open('/etc/passwd', 'a'); print('did it')",
    "be root": "import os; print('did it' if 0 in (os.getuid(), os.geteuid(), os.getgid()) else '')",
    "become root": "import os; os.setuid(0); print('did it')",
    "hold a capability": """
        for line in open('/proc/self/status'):
            if line.startswith('Cap') and int(line.split()[1], 16): print('did it')""",
    "become root by a program of root": """
        import os, subprocess
        found = subprocess.run(['find', '/usr', '-xdev', '-perm', '-4000'], capture_output=True, text=True).stdout
        assert '/usr/bin/su' in found.split()
        status = open('/proc/self/status').read()
        print('did it' if 'NoNewPrivs:\\t0' in status else '')""",
    "mount": """
        import ctypes
        if ctypes.CDLL(None, use_errno=True).mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0: print('did it')""",
    "make a user namespace": "import ctypes; print('did it' if ctypes.CDLL(None).unshare(0x10000000) == 0 else '')",
    "make a device": "import os, stat; os.mknod('/tmp/d', 0o666 | stat.S_IFBLK, os.makedev(254, 0)); print('did it')",
    "open the disk": """
        import glob
        for place in glob.glob('/dev/[svn]d*') + glob.glob('/dev/nvme*') + glob.glob('/dev/dm*'):
            open(place, 'rb'); print('did it')""",
    "speak to the engine": """
        import glob, socket
        for place in glob.glob('/var/run/docker*') + glob.glob('/run/*/*.sock') + glob.glob('/tmp/studio-docker-*'):
            print('did it')""",
    "see a file of this machine": "print(open({secret!r}).read() and 'did it')",
    "see processes of this machine": """
        import os
        for each in filter(str.isdigit, os.listdir('/proc')):
            if b'pytest' in open(f'/proc/{{each}}/cmdline', 'rb').read(): print('did it')""",
    "change the kernel": "open('/proc/sys/kernel/core_pattern', 'w').write('|/bin/true'); print('did it')",
    "restart the machine": "open('/proc/sysrq-trigger', 'w').write('h'); print('did it')",
    "read the kernel's memory": "open('/proc/kcore', 'rb').read(1); print('did it')",
    "change its control group": """
        import glob, os
        for place in glob.glob('/sys/fs/cgroup/**/*procs', recursive=True)[:20]:
            try: open(place, 'w').write('0'); print('did it')
            except OSError: pass""",
    "start more processes than it may": """
        import os, time
        children = 0
        try:
            while children < 400:
                if os.fork() == 0: time.sleep(20); os._exit(0)
                children += 1
            print('did it')
        except OSError: pass""",
    "hold more memory than it may": "x = bytearray(3_000_000_000); x[::4096] = b'1' * len(x[::4096]); print('did it')",
    "hold more memory than it may in files": """
        with open('/tmp/big', 'wb') as file:
            for _ in range(24): file.write(bytes(100_000_000))
        print('did it')""",
    "hold more memory than it may in shared memory": """
        import os
        data = bytes(10_000_000)
        for each in range(300):
            with open(f'/dev/shm/{{each}}', 'wb') as file: file.write(data)
        print('did it')""",
    "write a file of any size": "open('big', 'wb').truncate(1_000_000_000); print('did it')",
    "open any number of files": "files = [open('/dev/null') for _ in range(5000)]; print('did it')",
}

DONE_ELSEWHERE = (
    "write to the root folder",
    "write to its system",
    "write to /etc",
    "be root",
    "become root",
    "hold a capability",
    "become root by a program of root",
    "make a device",
    "start more processes than it may",
    "write a file of any size",
    "open any number of files",
)
"""What an ordinary container lets code do."""


@pytest.fixture(scope="session")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("of-this-machine") / "secret"
    file.write_text("x")
    file.chmod(0o644)
    file.parent.chmod(0o755)
    return file


def has_done_it(said: str) -> bool:
    return "did it" in said.splitlines()  # not in the text of an error


async def said_by(executor: CodeExecutor, code: str) -> str:
    return (await executor.execute_code_blocks([CodeBlock(language="python", code=dedent(code))])).output


async def test_code_in_a_container_can_do_none_of_it_and_goes_on(secret: Path, tmp_path: Path) -> None:
    done: list[str] = []
    async with site() as place:
        host, _, port = place.rpartition(":")
        with within(CONFINING):
            async with DockerCommandLineCodeExecutor(timeout=30, work_dir=str(tmp_path / "work")) as executor:
                for what, code in ATTEMPTS.items():
                    if has_done_it(await said_by(executor, code.format(secret=str(secret), address=host, port=port))):
                        done.append(what)
                    assert await said_by(executor, "print('goes on')") == "goes on\n", what
    assert done == []


async def test_code_that_ends_every_process_ends_neither_the_container_nor_its_room_for_more(tmp_path: Path) -> None:
    with within(CONFINING):
        async with DockerCommandLineCodeExecutor(timeout=30, work_dir=str(tmp_path / "work")) as executor:
            await executor.execute_code_blocks([CodeBlock(language="bash", code="kill -9 -1; kill -9 1")])
            assert await said_by(executor, "print('goes on')") == "goes on\n"
            leaving = "import os\nfor _ in range(300): os.system('true &')\nprint('done')"
            assert await said_by(executor, leaving) == "done\n", "more than it may have at once: each is collected"
            assert await said_by(executor, "print('goes on')") == "goes on\n"


async def test_processes_that_were_left_running_leave_room_for_the_next_code(tmp_path: Path) -> None:
    """They close what they print to, so the engine does not wait for them, and one takes each free place."""
    leaving = """
        import os, time
        if os.fork() == 0:
            os.closerange(0, 3)
            while True:
                try:
                    if os.fork() == 0: time.sleep(60); os._exit(0)
                except OSError: time.sleep(0.001)
        time.sleep(1)
        print('full')"""
    with within(CONFINING):
        async with DockerCommandLineCodeExecutor(timeout=30, work_dir=str(tmp_path / "work")) as executor:
            assert await said_by(executor, leaving) == "full\n"
            assert await said_by(executor, "print('goes on')") == "goes on\n"


@pytest.mark.parametrize("what", DONE_ELSEWHERE)
def test_an_ordinary_container_can(what: str) -> None:
    """So that the attempts above could fail."""
    code = dedent(ATTEMPTS[what].replace("{{", "{").replace("}}", "}"))
    assert has_done_it(docker("run", "--rm", "--network", "none", "python:3-slim", "python", "-c", code))


async def test_a_granted_host_is_reached_through_the_studio_and_no_other() -> None:
    executor = DockerCommandLineCodeExecutor(timeout=5)
    async with site("granted") as one, site("not granted") as other:
        with within(CONFINING, all_capabilities(executor), (one,)):
            async with executor:
                assert "granted GET / " in await said_by(executor, asked(one))
                assert "403" in await said_by(executor, asked(other))
                late = await executor.execute_code_blocks([CodeBlock(language="sh", code="sleep 60")])
                assert late.exit_code == 124
                assert "granted GET / " in await said_by(executor, asked(one))


@pytest.mark.usefixtures("jupyter_image")
async def test_a_kernel_reaches_a_granted_host_and_no_other() -> None:
    executor = DockerJupyterCodeExecutor(jupyter_server=DockerJupyterServer())
    async with site("granted") as one, site("not granted") as other:
        with within(CONFINING, all_capabilities(executor), (one,)):
            async with executor:
                assert "granted GET / " in await said_by(executor, asked(one))
                assert "403" in await said_by(executor, asked(other))


def asked(place: str) -> str:
    return f"import sys; sys.argv = ['', 'http://{place}/']\n{ASK}"


@pytest.mark.usefixtures("jupyter_image")
async def test_a_kernel_is_held_like_other_code() -> None:
    with within(CONFINING):
        async with DockerJupyterCodeExecutor(timeout=30) as executor:
            for what in ("reach an address of the network", "write to /etc", "be root", "hold a capability"):
                assert not has_done_it(await said_by(executor, ATTEMPTS[what]))
            assert await said_by(executor, "open('x', 'w').write('made')") == "4"


async def test_a_container_does_not_outlive_a_studio_that_is_killed() -> None:
    script = """
        import asyncio, os, signal
        from studio.executors import DockerCommandLineCodeExecutor
        async def main():
            await DockerCommandLineCodeExecutor().start()
            print("started", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        asyncio.run(main())"""
    killed = await run_program([sys.executable, "-c", dedent(script)])
    assert (killed.stdout, killed.exit_code) == ("started\n", -signal.SIGKILL)
    (left,) = docker("ps", "--quiet").split()
    async with DockerCommandLineCodeExecutor() as mine, DockerCommandLineCodeExecutor():
        assert left not in docker("ps", "--all", "--quiet")
        assert await said_by(mine, "print(1)") == "1\n"  # that of a studio that runs stays


async def test_a_folder_stays_of_a_user_who_is_not_root(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    os.chown(work, 12345, 12345)
    async with DockerCommandLineCodeExecutor(work_dir=str(work)) as executor:
        assert await said_by(executor, "import os; open('made', 'w'); print(os.getuid())") == "12345\n"
    assert (work / "made").stat().st_uid == 12345


async def test_volumes_are_given_as_they_are_named(secret: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o777)
    (tmp_path / "data").chmod(0o777)
    volumes = {
        str(secret.parent): {"bind": "/secret", "mode": "ro"},
        str(tmp_path / "data"): {"bind": "/data", "mode": "rw"},
    }
    async with DockerCommandLineCodeExecutor(extra_volumes=volumes) as executor:
        assert await said_by(executor, "print(open('/secret/secret').read())") == "x\n"
        assert "Read-only" in await said_by(executor, "open('/secret/new', 'w')")
        await said_by(executor, "open('/data/new', 'w')")
    assert (tmp_path / "data" / "new").exists()


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("/data:/etc", {"bind": "/data"}),
        ("/data", {"bind": "/data:rw,rshared"}),
        ("/data", {"bind": "/data", "mode": "rw,rshared"}),
        ("/data", {"bind": "data"}),
        ("", {"bind": "/data"}),
        ("/data", {"bind": "/data", "mode": "ro,rw"}),
        ("/data", {"bind": "/data", "options": "x"}),
    ],
)
def test_a_volume_that_says_more_than_one_place_is_refused(source: str, target: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="The volume"):
        DockerCommandLineCodeExecutor(extra_volumes={source: target})
