"""Imports files while everything that Python could do on the side is watched.

`python -m tests.importers.watched FOLDER` prints one line for each thing that was done besides reading the folder. A
hook cannot be taken away again, so this has a process of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

from studio.components import Component, Opaque, catalogue
from studio.components.base import opaque_class
from studio.errors import StudioError
from studio.importers import import_bundle, read_bundle
from tests.importers.adk_samples import PIPELINE
from tests.importers.agent_framework_samples import CLERK, WORKFLOW
from tests.importers.agent_spec_samples import SPEC_SAMPLES
from tests.importers.classic_samples import RECORDED_SAMPLES
from tests.importers.crewai_samples import CREW_SAMPLES
from tests.importers.dify_samples import BRANCH as DIFY_BRANCH
from tests.importers.dify_samples import written
from tests.importers.langflow_samples import BRANCH, CHAIN
from tests.importers.letta_samples import LETTA_SAMPLES
from tests.importers.markdown_samples import MARKDOWN_SAMPLES
from tests.importers.n8n_samples import DESK as N8N_DESK
from tests.importers.samples import SAMPLES
from tests.importers.workflows import DESK

WATCHED = (
    "import",
    "exec",
    "compile",
    "subprocess",
    "os.",
    "socket",
    "shutil",
    "ctypes",
    "urllib",
    "http",
    "pty",
    "open",
)
READING = ("os.scandir", "os.listdir", "os.walk")
SYNTAX_ONLY = ("<unknown>", "/dev/null/source")
"""The file name under which `ast.parse` compiles: it makes a syntax tree and no code."""


class AuditHook:
    """Tells what is done besides reading below a folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if not event.startswith(WATCHED) or event in READING:
            return
        if event == "compile" and arguments[1] in SYNTAX_ONLY:
            return
        if event == "open" and (str(arguments[0]).startswith(self._folder) or arguments[0] in SYNTAX_ONLY):
            return
        print(event, str(arguments)[:200], flush=True)


def read(place: Path) -> None:
    """Import whatever is there; a refusal is an answer."""
    try:
        import_bundle(read_bundle(place))
    except StudioError as error:
        str(error)


def build_classes(base: type[Component] = Component) -> None:
    """Have Pydantic evaluate the studio's own annotations, which it otherwise does at the first use of a class."""
    for cls in (base, opaque_class(base)):
        cls.model_rebuild()
    for cls in base.__subclasses__():
        if not issubclass(cls, Opaque):
            build_classes(cls)


def main() -> None:
    """Read what is harmless first, for what the studio itself imports on the way; then watch."""
    folder = Path(sys.argv[1])
    catalogue()
    build_classes()
    harmless = sorted(folder.glob("harmless-*"))
    for place in harmless:
        read(place)
    sys.addaudithook(AuditHook(str(folder)))
    places = sorted(folder.iterdir())
    for place in places:
        read(place)
    print("read", len(places))


def samples() -> dict[str, str]:
    """Files without anything hostile, by name."""
    import json

    scripts = {f"harmless-{sample.name}.py": sample.code for sample in (*SAMPLES, *RECORDED_SAMPLES)}
    crews = {f"harmless-{each.name}/{name}": text for each in CREW_SAMPLES for name, text in each.files.items()}
    agents = {
        f"harmless-{folder}/{name}": text for folder, files in MARKDOWN_SAMPLES.items() for name, text in files.items()
    }
    files = {f"harmless-{name}.af": text for name, text in LETTA_SAMPLES.items()}
    files |= {f"harmless-adk/{name}": text for name, text in PIPELINE.items()}
    files |= {"harmless-workflow.yaml": WORKFLOW, "harmless-clerk.yaml": CLERK}
    specs = {f"harmless-{name}.yaml": text for name, text in SPEC_SAMPLES.items()}
    flows = {"harmless-chain.json": json.dumps(CHAIN), "harmless-branch.json": json.dumps(BRANCH)}
    apps = {
        "harmless-n8n.json": json.dumps(N8N_DESK),
        "harmless-desk.json": json.dumps(DESK),
        "harmless-dify.yml": written(DIFY_BRANCH),
    }
    return scripts | flows | apps | crews | agents | files | specs


if __name__ == "__main__":
    main()
