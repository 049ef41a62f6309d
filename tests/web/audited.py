"""Brings files into the studio through its HTTP door and writes down what Python was asked to do meanwhile.

Run as `python -m tests.web.audited DATA_FOLDER FILE...`; prints one JSON object per file. A process of its own, since
an audit hook cannot be taken away again. What it does not find imported and made ready, it makes ready first.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Any

import httpx
from fastapi.testclient import TestClient

from studio.components import Component, JsonObject, Opaque, envelopes, parse_document
from studio.components.base import opaque_class
from studio.components.deferred_model import DeferredModel, make_validators
from studio.errors import StudioError
from studio.settings import Settings
from studio.web.app import ROUTES, create_app
from studio.web.requests import StudioRoute
from tests.web.documents import assistant, function_tool, gallery, replay_model, team, termination
from tests.web.doors import BASE_URL, TOKEN, client_of

WATCHED = frozenset(
    {
        "import",
        "exec",
        "compile",
        "open",
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
    }
)
SYNTAX_ONLY = ("<unknown>", "/dev/null/source")
"""The file name under which `ast.parse` compiles: it makes a syntax tree and no code."""

TEMPLATES = str(Path(__file__).parents[2] / "frontend/templates")
"""Templates of our own are compiled when they are first needed."""

MARK = re.compile(r"mark-\d+-")
"""What tells one document from the others, in answers that should speak of this one alone."""

OWN_FOLDERS = (
    *SYNTAX_ONLY,
    str(Path(__file__).parents[2]),
    sys.prefix,
    sys.base_prefix,
    tempfile.gettempdir() + "/studio-",
)
"""Where the studio and Python lie, and where uploads do. All else, but its data folder, is not its own to open. The
first is no folder: Python looks for a file of that name when it warns of a line that it parsed."""


for name in (
    "studio.exporters.agent_framework",
    "studio.exporters.agent_spec",
    "studio.exporters.autogen",
    "studio.help.rendering",
    "studio.importers.importing",
):
    import_module(name)  # a server imports them when they are first needed

TEAM = {"component": team()}
"""What each component is compared with."""


class Witness:
    """Notes the watched events while it is on. Files in `folders` may be opened."""

    def __init__(self, *folders: str) -> None:
        self.is_on = False
        self.seen: list[str] = []
        self._folders = (*OWN_FOLDERS, *folders)

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        if not self.is_on or event not in WATCHED:
            return
        if event == "compile" and args[1] in SYNTAX_ONLY:
            return
        if event in ("compile", "exec") and _file_of(args).startswith(TEMPLATES):
            return
        if event == "open" and (isinstance(args[0], int) or str(args[0]).startswith(self._folders)):
            return
        shown = [arg.co_filename if isinstance(arg, CodeType) else str(arg)[:200] for arg in args[:2]]
        self.seen.append(f"{event} {' '.join(shown)}")


class Visitor:
    """Looks at one file after the other. What it left of the one before goes when the next one has been looked at."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.opened: set[str] = set()
        """Components, and parts of them, as JSON: the same one is not opened again."""
        self.left: list[str] = []

    def is_new(self, part: object) -> bool:
        text = json.dumps(part, sort_keys=True)
        is_new = text not in self.opened
        self.opened.add(text)
        return is_new

    def leave(self, team: str) -> None:
        """Take away what the file before left; keep the team of this one, and what it brought into the library."""
        for address in self.left:
            self.client.delete(address)
        self.left = [*([team] if team else []), *in_library(self.client)]


def bring_in(visitor: Visitor, name: str, content: bytes) -> dict[str, int]:
    """Do everything with a file that a person can do without running it; gives back how each step was answered."""
    client, files = visitor.client, {"file": (name, content)}
    as_team = client.post("/api/teams", json={"text": content.decode("utf-8", "replace")})
    steps = {
        "preview": client.post("/api/galleries/preview", files=files).status_code,
        "preview page": client.post("/fragments/galleries/preview", files=files).status_code,
        "as team": as_team.status_code,
    }
    added = client.post("/api/galleries", files=files)
    steps["add"] = added.status_code
    if added.status_code == 201:
        steps |= look_at_gallery(visitor, added.json()["id"])
        client.delete(f"/api/galleries/{added.json()['id']}")
    for path in ("/galleries", "/settings", "/settings/approvals", "/api/secrets", "/api/approvals", "/api/components"):
        steps[path] = client.get(path).status_code
    client.post("/api/approvals", json={"hashes": ["0" * 64]})
    visitor.leave(f"/api/teams/{as_team.json()['id']}" if as_team.status_code == 201 else "")
    return steps


def in_library(client: TestClient) -> list[str]:
    """The addresses of all that is in the library, the last of each kind first: the others then keep theirs."""
    components: dict[str, list[object]] = client.get("/api/galleries/library").json()["components"]
    return [
        f"/api/galleries/library/components/{group}/{index}"
        for group, members in components.items()
        for index in reversed(range(len(members)))
    ]


def look_at_gallery(visitor: Visitor, gallery_id: str) -> dict[str, int]:
    """Open a gallery, each kind and each component in it."""
    client = visitor.client
    steps: dict[str, int] = {
        "export": client.get(f"/api/galleries/{gallery_id}/export").status_code,
        "review": client.get(f"/galleries/{gallery_id}/review").status_code,
    }
    components: dict[str, list[dict[str, object]]] = client.get(f"/api/galleries/{gallery_id}").json()["components"]
    for group, members in ((group, members) for group, members in components.items() if members):
        steps[f"page {group}"] = client.get(f"/galleries/{gallery_id}?kind={group}").status_code
        for index, member in enumerate(members):
            if not visitor.is_new(member):
                continue
            place: dict[str, object] = {"gallery_id": gallery_id, "group": group, "index": index}
            steps[f"places {group} {index}"] = client.post("/fragments/places", json=place).status_code
            steps |= open_component(visitor, place)
    return steps


def open_component(visitor: Visitor, place: dict[str, object]) -> dict[str, int]:
    """Open a component in the builder, look at its forms, its check and its Python."""
    client = visitor.client
    made = client.post("/api/teams", json={"from_gallery": place}).json()
    component = made["component"]
    client.post("/api/galleries/library/components", json={"component": component})
    steps: dict[str, int] = {}
    for before, after in (({"team_id": made["id"], "version": 1}, component), ({"document": TEAM}, component)):
        compared = {"before": before, "after": {"document": {"component": after}}}
        steps["diff"] = client.post("/fragments/diff", json=compared).status_code
    code = client.post("/api/python", json={"component": component}).json().get("code", "import this")
    client.post("/api/python/read", json={"code": code})
    for where, part in envelopes(component):
        if visitor.is_new([part]):
            client.post("/fragments/form", json={"component": component, "pointer": where})
    client.get(f"/api/teams/{made['id']}/python")
    client.get(f"/api/teams/{made['id']}/versions/1")
    name = f"{place['group']} {place['index']}"
    steps |= {
        f"builder {name}": client.get(f"/teams/{made['id']}").status_code,
        f"review {name}": client.get(f"/teams/{made['id']}/review").status_code,
        f"list with {name}": client.get("/teams").status_code,
    }
    client.delete(f"/api/teams/{made['id']}")
    return steps


def _file_of(args: tuple[object, ...]) -> str:
    """The file whose code is compiled or executed."""
    return args[0].co_filename if isinstance(args[0], CodeType) else str(args[-1])


class Listener:
    """Notes which other documents an answer speaks of."""

    def __init__(self, client: TestClient) -> None:
        self.leaked: set[str] = set()
        self._own: set[str] = set()
        client.event_hooks["response"].append(self._hear)

    def listen(self, content: bytes) -> None:
        """From now on the answers are about this document."""
        self._own = set(MARK.findall(content.decode("utf-8", "replace")))
        self.leaked = set()

    def _hear(self, answer: httpx.Response) -> None:
        answer.read()
        self.leaked |= set(MARK.findall(answer.text)) - self._own


def capabilities(client: TestClient, content: bytes) -> list[dict[str, Any]]:
    """What the studio says that the document could do."""
    try:
        component = parse_document(content)
    except StudioError:
        return []
    answer = client.post("/api/validate", json={"component": component})
    return answer.json()["capabilities"] if answer.status_code == 200 else []


def harmless() -> bytes:
    """A gallery of every kind, brought in once so that all that is imported and compiled lazily is there."""
    tool = function_tool("def shout(text: str) -> str:\n    return text.upper()\n")
    memory: JsonObject = {
        "provider": "autogen_core.memory.ListMemory",
        "component_type": "memory",
        "config": {"memory_contents": [{"content": {"a": 1}, "mime_type": "application/json"}]},
    }
    return json.dumps(
        gallery(
            teams=[team(), team(max_messages="many")],
            agents=[assistant("one")],
            models=[replay_model("x")],
            tools=[tool],
            terminations=[termination(3)],
            others=[{"provider": "nobody.Knows", "config": {}}, memory],
        )
    ).encode()


def build_routes() -> None:
    """Let FastAPI and Pydantic evaluate the annotations of our own routes now; else they do when one is first used."""
    for route in ROUTES:
        assert isinstance(route, StudioRoute)
        route.make_ready()
    for _ in make_validators(DeferredModel):
        pass


def build_classes(base: type[Component] = Component) -> None:
    """Let Pydantic evaluate our own annotations now; else it does when the first such component comes."""
    for cls in (base, opaque_class(base)):
        cls.model_rebuild()
    for cls in base.__subclasses__():
        if not issubclass(cls, Opaque):
            build_classes(cls)


def main(arguments: list[str]) -> None:
    data_dir, *files = map(Path, arguments)
    witness = Witness(str(data_dir))
    sys.addaudithook(witness)
    app = create_app(Settings(data_dir=data_dir, token=TOKEN))
    with TestClient(app, base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        build_classes()
        build_routes()
        visitor = Visitor(client)
        bring_in(visitor, "harmless.json", harmless())
        bring_in(visitor, "broken.yaml", b"a: [")
        parse_document("a: 1")
        listener = Listener(client)
        for file in files:
            content = file.read_bytes()
            listener.listen(content)
            witness.seen, witness.is_on = [], True
            steps = bring_in(visitor, file.name, content)
            could = capabilities(client, content)
            witness.is_on = False
            result = {"seen": witness.seen, "steps": steps, "leaked": sorted(listener.leaked), "capabilities": could}
            print(json.dumps({"file": file.name, **result}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
