"""Run as a script: reads gallery files with everything the interpreter could do on the side being watched.

Prints one line for each import, execution, process, socket or file written that reading caused. A hook cannot be taken
away again, so this has a process of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

from studio.code import export_python
from studio.components import Component, Opaque, catalogue, load_component
from studio.components.base import opaque_class
from studio.errors import ConfigError
from studio.galleries import parse_gallery

WATCHED = ("import", "exec", "subprocess", "os.", "socket", "shutil", "ctypes", "urllib", "http", "pty", "open")
READING = ("os.scandir", "os.listdir", "open")


def watch(event: str, arguments: tuple[object, ...]) -> None:
    """Report what is watched; reading a file is no side effect."""
    if not event.startswith(WATCHED):
        return
    is_read = event in READING and (event != "open" or arguments[1] in ("r", "rb", None))
    if not is_read:
        print(event, str(arguments)[:200], flush=True)


def read(file: Path) -> None:
    """Everything that opening a gallery in the studio does with its content."""
    gallery = parse_gallery(file.read_bytes(), name=file.stem)
    gallery.check()
    for entry in gallery.entries:
        try:
            component = load_component(entry.component)
            component.dump_component()
            export_python(component)
        except ConfigError:
            continue


def build_classes(base: type[Component] = Component) -> None:
    """Have Pydantic evaluate the studio's own annotations, which it otherwise does at the first use of a class."""
    for cls in (base, opaque_class(base)):
        cls.model_rebuild()
    for cls in base.__subclasses__():
        if not issubclass(cls, Opaque):
            build_classes(cls)


def main() -> None:
    """Load what the studio itself needs, then watch."""
    catalogue()
    build_classes()
    files = [Path(name) for name in sys.argv[1:]]
    read(files[0])  # what Pydantic and the standard library import on first use
    sys.addaudithook(watch)
    for file in files:
        read(file)
    print("read", len(files))


main()
