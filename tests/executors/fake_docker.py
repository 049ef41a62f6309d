"""What stands in for the `docker` command. First argument: its folder, with a diary and the state of its engine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

GATEWAY = Path(__file__).with_name("gateway.py")


def bound_folder(arguments: list[str]) -> str | None:
    if "--volume" not in arguments:
        return None
    return arguments[arguments.index("--volume") + 1].split(":")[0]


def run(home: Path, arguments: list[str]) -> int | str:
    image = arguments[-1] if "--publish" in arguments else arguments[-3]
    if image == "no-such-image":
        return "pull access denied"
    name = arguments[arguments.index("--name") + 1]
    kept = containers(home) / name
    if kept.exists():
        return f'Conflict. The container name "/{name}" is already in use.'
    labels = [arguments[place + 1] for place, part in enumerate(arguments) if part == "--label"]
    kept.write_text("\n".join([*(f"label={each}" for each in labels), "--rm" if "--rm" in arguments else "", ""]))
    (home / "workspace").write_text(bound_folder(arguments) or str(home))
    if "--publish" in arguments:
        file = Path(arguments[arguments.index("--env-file") + 1])
        assert file.parent.stat().st_mode & 0o077 == 0, "everybody can read the token"
        inside = dict(line.split("=", 1) for line in file.read_text().splitlines())
        (home / "environment").write_text("\n".join(inside))
        token = {name: value for name, value in inside.items() if "TOKEN" in name}
        # In a group of its own: it goes on when this command has ended.
        command, quiet = [sys.executable, str(GATEWAY)], subprocess.DEVNULL
        server = subprocess.Popen(
            command,
            stdin=quiet,
            stdout=subprocess.PIPE,
            stderr=quiet,
            start_new_session=True,
            env={**os.environ, **token},
        )
        assert server.stdout is not None
        (home / "port").write_bytes(server.stdout.readline())
        (home / "server").write_text(str(server.pid))
    return 0


def containers(home: Path) -> Path:
    """A file for each container, which holds all that a filter may ask for."""
    folder = home / "containers"
    folder.mkdir(exist_ok=True)
    return folder


def listed(home: Path, wanted: list[str]) -> int:
    for file in containers(home).iterdir():
        if set(wanted) <= set(file.read_text().splitlines()):
            print(file.name)
    return 0


def stop(home: Path, name: str) -> int:
    with (containers(home) / name).open("a") as kept:
        kept.write("status=exited\n")
    return 0


def remove(home: Path, names: list[str]) -> int:
    for name in names:
        (containers(home) / name).unlink(missing_ok=True)
    if (home / "server").exists():
        os.killpg(int((home / "server").read_text()), signal.SIGKILL)
        (home / "server").unlink()
    return 0


def port(home: Path) -> int:
    print(f"127.0.0.1:{(home / 'port').read_text().strip()}")
    return 0


def main(home: Path, arguments: list[str]) -> int | str:
    with (home / "diary").open("a") as diary:
        print(*arguments, file=diary)
    match arguments[0]:
        case "version" if (home / "no-engine").exists():
            return "Cannot connect to the Docker daemon."
        case "run":
            return run(home, arguments)
        case "exec" if "pip" in arguments:
            return 0
        case "exec":
            return subprocess.run(arguments[2:], cwd=(home / "workspace").read_text(), check=False).returncode
        case "image":
            return 0 if (home / "image").exists() else "No such image"
        case "build":
            (home / "image").write_text(Path(arguments[-1], "Dockerfile").read_text())
        case "port":
            return port(home)
        case "rm":
            return remove(home, arguments[2:])
        case "ps":
            return listed(home, arguments[4::2])
        case "stop":
            return stop(home, arguments[-1])
        case _:
            pass
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
