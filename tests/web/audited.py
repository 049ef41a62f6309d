"""Brings files into the studio through its HTTP door and writes down what Python was asked to do meanwhile.

Run as `python -m tests.web.audited DATA_FOLDER FILE...`; prints one JSON object per file. A process of its own, since
an audit hook cannot be taken away again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import CodeType

from fastapi.testclient import TestClient

from studio.components import Component, Opaque, envelopes, parse_document
from studio.components.base import opaque_class
from studio.settings import Settings
from studio.web.app import create_app
from tests.web.documents import assistant, function_tool, gallery, replay_model, team, termination
from tests.web.doors import BASE_URL, TOKEN, client_of

WATCHED = (
    "import",
    "exec",
    "compile",
    "ctypes.dlopen",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "pty.spawn",
    "socket.bind",
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "subprocess.Popen",
    "webbrowser.open",
)
SYNTAX_ONLY = "<unknown>"
"""The file name under which `ast.parse` compiles: it makes a syntax tree and no code."""


class Witness:
    """Notes the watched events while it is on."""

    def __init__(self) -> None:
        self.is_on = False
        self.seen: list[str] = []

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        if not self.is_on or event not in WATCHED:
            return
        if event == "compile" and args[1] == SYNTAX_ONLY:
            return
        shown = [arg.co_filename if isinstance(arg, CodeType) else str(arg)[:200] for arg in args[:2]]
        self.seen.append(f"{event} {' '.join(shown)}")


def bring_in(client: TestClient, name: str, content: bytes) -> dict[str, int]:
    """Do everything with a file that a person can do without running it; gives back how each step was answered."""
    files = {"file": (name, content)}
    steps = {
        "preview": client.post("/api/galleries/preview", files=files).status_code,
        "preview page": client.post("/fragments/galleries/preview", files=files).status_code,
        "as team": client.post("/api/teams", json={"text": content.decode("utf-8", "replace")}).status_code,
    }
    added = client.post("/api/galleries", files=files)
    steps["add"] = added.status_code
    if added.status_code == 201:
        steps |= look_at_gallery(client, added.json()["id"])
        client.delete(f"/api/galleries/{added.json()['id']}")
    for path in ("/galleries", "/settings", "/api/secrets", "/api/approvals", "/api/components"):
        steps[path] = client.get(path).status_code
    client.post("/api/approvals", json={"hashes": ["0" * 64]})
    return steps


def look_at_gallery(client: TestClient, gallery_id: str) -> dict[str, int]:
    """Open a gallery, each kind and each component in it."""
    steps: dict[str, int] = {"export": client.get(f"/api/galleries/{gallery_id}/export").status_code}
    components: dict[str, list[dict[str, object]]] = client.get(f"/api/galleries/{gallery_id}").json()["components"]
    for group, members in components.items():
        steps[f"page {group}"] = client.get(f"/galleries/{gallery_id}?kind={group}").status_code
        for index in range(len(members)):
            place: dict[str, object] = {"gallery_id": gallery_id, "group": group, "index": index}
            steps[f"places {group} {index}"] = client.post("/fragments/places", json=place).status_code
            steps |= open_component(client, place)
    return steps


def open_component(client: TestClient, place: dict[str, object]) -> dict[str, int]:
    """Open a component in the builder, look at its forms, its check and its Python."""
    made = client.post("/api/teams", json={"from_gallery": place}).json()
    component = made["component"]
    client.post("/api/galleries/library/components", json={"component": component})
    client.post("/api/validate", json={"component": component})
    code = client.post("/api/python", json={"component": component}).json().get("code", "import this")
    client.post("/api/python/read", json={"code": code})
    for where, _ in envelopes(component):
        client.post("/fragments/form", json={"component": component, "pointer": where})
    client.get(f"/api/teams/{made['id']}/python")
    client.get(f"/api/teams/{made['id']}/versions/1")
    name = f"{place['group']} {place['index']}"
    steps = {
        f"builder {name}": client.get(f"/teams/{made['id']}").status_code,
        f"list with {name}": client.get("/teams").status_code,
    }
    client.delete(f"/api/teams/{made['id']}")
    return steps


def harmless() -> bytes:
    """A gallery of every kind, brought in once so that all that is imported and compiled lazily is there."""
    tool = function_tool("def shout(text: str) -> str:\n    return text.upper()\n")
    return json.dumps(
        gallery(
            teams=[team(), team(max_messages="many")],
            agents=[assistant("one")],
            models=[replay_model("x")],
            tools=[tool],
            terminations=[termination(3)],
            others=[{"provider": "nobody.Knows", "config": {}}],
        )
    ).encode()


def build_classes(base: type[Component] = Component) -> None:
    """Let Pydantic evaluate our own annotations now; else it does when the first such component comes."""
    for cls in (base, opaque_class(base)):
        cls.model_rebuild()
    for cls in base.__subclasses__():
        if not issubclass(cls, Opaque):
            build_classes(cls)


def main(data_dir: Path, files: list[Path]) -> None:
    witness = Witness()
    sys.addaudithook(witness)
    app = create_app(Settings(data_dir=data_dir, token=TOKEN))
    with TestClient(app, base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        build_classes()
        bring_in(client, "harmless.json", harmless())
        bring_in(client, "broken.yaml", b"a: [")
        parse_document("a: 1")
        for file in files:
            content = file.read_bytes()
            witness.seen, witness.is_on = [], True
            steps = bring_in(client, file.name, content)
            witness.is_on = False
            print(json.dumps({"file": file.name, "seen": witness.seen, "steps": steps}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
