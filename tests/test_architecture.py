"""The rules of docs/design/ that a reader of one file cannot see: who may import whom, how long things may be, and
what is forbidden everywhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from html.parser import HTMLParser
from pathlib import Path
from typing import get_type_hints

import pytest

from studio.runs import PreparedRun, RunSupervisor
from studio.runs.driver import drive

ROOT = Path(__file__).resolve().parent.parent
STUDIO = ROOT / "studio"
TEMPLATES = ROOT / "frontend/templates"
SCRIPTS = ROOT / "frontend/static/js"

LAYERS = [
    {"errors", "version"},
    {"settings", "components", "egress", "files", "knowledge"},
    {"effects"},
    {"messages"},
    {"models", "sandbox", "console"},
    {"contexts", "executors"},
    {"tools"},
    {"memory"},
    {"agents", "conditions", "actors"},
    {"teams"},
    {"runs", "code", "galleries"},
    {"deployments", "importers", "exporters"},
    {"evaluation"},
    {"store"},
    {"services"},
    {"doctor", "help"},
    {"web"},
    {"cli", "autogen", "testing", "__init__"},
    {"__main__"},
]
"""From the bottom up. A package imports packages of lower layers only: neither higher ones nor its neighbours."""

MAX_LINES_OF_A_MODULE = 700
MAX_LINES_OF_A_FUNCTION = 60
MAX_LINES_OF_A_SCRIPT = 700

BROAD_CATCHES = {
    "actors/runtime.py",  # the handlers of agents are not ours either
    "actors/dispatcher.py",  # what is thrown into a handler that waits is for the handler
    "actors/grpc/worker.py",  # nor are they there; the sender in another process gets the error
    "runs/replay/reexecute.py",  # how a run failed is part of what happened, whatever its team raised
    "agents/cleanup.py",
    "components/advice.py",
    "components/loading.py",
    "components/registry.py",  # a package of somebody else must not keep the studio from starting
    "runs/driver.py",
    "runs/fleet/worker.py",  # nor one command all others
    "runs/supervisor.py",  # one damaged run must not keep the studio from starting
    "runs/sharing/cassette.py",
    "sandbox/worker.py",
    "services/evaluation_runs.py",  # nor one evaluation all others
    "services/knowledge_refresh.py",  # nor one web page all others
    "services/schedule_calls.py",  # nor one schedule all others, or the server that calls for them
    "services/webhook_deliveries.py",  # nor one delivery all others, or the process that sends them
    "store/appender.py",
    "store/notifications.py",  # nor may an error of a driver end the one task that hears for all
    "tools/base.py",
    "tools/mcp/connection.py",
    "tools/workbench.py",
    "web/protocols/mcp.py",  # what goes on when its request is over has nobody to raise to
    "web/observability.py",  # a log call of foreign code must not fail what called it
}
"""Where any error may be caught for good: a run must not end its siblings, the code of a tool is not ours, and one bad
document must not take down the pages that list it. Advice is a courtesy that must not stop a run.
So is that of a session with a tool server, whose task has nobody to raise to. One writer serves the logs of all runs,
and a part that cannot be released must not cover up how its run ended. A failed run that is repeated fails again."""

GENERATED = {"store/migrations/versions"}


def python_files(folder: Path = STUDIO) -> list[Path]:
    return sorted(file for file in folder.rglob("*.py") if file.parent.relative_to(folder).as_posix() not in GENERATED)


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(), file.name)


def imported_modules(file: Path, *, for_types: bool = True) -> Iterator[tuple[int, str]]:
    """Line and full name of everything of ours that a file imports, wherever in the file.

    Args:
        for_types: Whether to count what only the type checker imports.
    """
    unseen: set[ast.AST] = set() if for_types else nodes_for_types(file)
    for node in ast.walk(parsed(file)):
        if node in unseen:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name.split(".")[0] == "studio")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "studio":
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield node.lineno, full if module_file(full) else node.module or ""


def nodes_for_types(file: Path) -> set[ast.AST]:
    blocks = (node for node in ast.walk(parsed(file)) if isinstance(node, ast.If))
    return {node for block in blocks if ast.unparse(block.test) == "TYPE_CHECKING" for node in ast.walk(block)}


def module_file(name: str) -> Path | None:
    path = STUDIO.parent.joinpath(*name.split("."))
    found = [file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()]
    return found[0] if found else None


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def test_packages_import_lower_packages_only():
    rank = {package: index for index, layer in enumerate(LAYERS) for package in layer}
    upward = [
        f"{file.relative_to(ROOT)}:{line} imports {module}"
        for file in python_files()
        for line, module in imported_modules(file)
        if (here := file.relative_to(STUDIO).parts[0].removesuffix(".py")) != room_of(module)
        and rank[room_of(module)] >= rank[here]
    ]
    assert upward == []


def test_every_room_has_a_layer():
    packages = {file.relative_to(STUDIO).parts[0].removesuffix(".py") for file in python_files()}
    assert packages - {package for layer in LAYERS for package in layer} == set()


def test_the_table_for_contributors_has_every_room():
    """In the order of the layers, so that "the above" is true."""
    text = (ROOT / "CONTRIBUTING.md").read_text().partition("| Folder |")[2].partition("| `frontend/`")[0]
    lines = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    named = [
        {name.removeprefix("studio/").rstrip("/").removesuffix(".py") for name in re.findall(r"`([^`]+)`", line)}
        for line in lines
    ]
    assert set[str]().union(*named) == {each for layer in LAYERS for each in layer if not each.startswith("__")}
    rank = {package: index for index, layer in enumerate(LAYERS) for package in layer}
    ranks = [rank[package] for packages in named for package in sorted(packages, key=rank.__getitem__)]
    assert ranks == sorted(ranks)


def test_no_modules_import_each_other_in_a_circle():
    graph = {
        file: {
            target
            for _, module in imported_modules(file, for_types=False)
            if (target := module_file(module)) not in (None, file)
        }
        for file in python_files()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(str(file.relative_to(ROOT)) for file in error.args[1]))


def part_of(module: str, package: str) -> str:
    """The folder or module right below a package that a module belongs to; empty for the package itself."""
    parts = module.split(".")
    return parts[2] if parts[1:2] == [package] and len(parts) > 2 else ""


@pytest.mark.parametrize(
    "package", sorted(folder.name for folder in STUDIO.iterdir() if (folder / "__init__.py").is_file())
)
def test_the_parts_of_a_package_stand_one_above_the_other(package: str):
    """Counts what only the type checker imports, too; the facade in `__init__` may import everything."""
    graph: dict[str, set[str]] = {}
    for file in python_files(STUDIO / package):
        here = part_of(".".join(file.relative_to(ROOT).with_suffix("").parts), package)
        if here != "__init__":
            below = {
                part_of(module, package) for _, module in imported_modules(file, for_types=package != "components")
            }
            graph.setdefault(here, set()).update(below - {"", here})
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"in {package}: " + " -> ".join(error.args[1]))


def test_modules_and_scripts_stay_short():
    python = [
        (file, MAX_LINES_OF_A_MODULE)
        for folder in ("studio", "tests", "scripts")
        for file in python_files(ROOT / folder)
    ]
    scripts = [(file, MAX_LINES_OF_A_SCRIPT) for file in sorted(SCRIPTS.rglob("*.js"))]
    long = [
        f"{file.relative_to(ROOT)} has {lines} lines, {most} are allowed"
        for file, most in python + scripts
        if (lines := len(file.read_text().splitlines())) > most
    ]
    assert long == []


def test_functions_stay_short():
    long = [
        f"{file.relative_to(ROOT)}:{node.lineno} {node.name} has {lines} lines"
        for folder in ("studio", "tests", "scripts")
        for file in python_files(ROOT / folder)
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > MAX_LINES_OF_A_FUNCTION
    ]
    assert long == []


def test_what_tests_share_stands_in_modules_without_tests():
    """To rename or split a test breaks no other."""
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in python_files(ROOT / "tests")
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.ImportFrom | ast.Import)
        for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
        if name.startswith("tests.") and name.rpartition(".")[2].startswith("test_")
    ]
    assert found == []


def test_imports_are_absolute():
    relative = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in python_files()
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def is_broad(handler: ast.ExceptHandler) -> bool:
    """True for a handler that takes any error and does not end by passing it on, whatever way it takes."""
    names = (
        {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)} if handler.type else {"Exception"}
    )
    return bool(names & {"Exception", "BaseException"}) and not always_raises(handler.body)


def always_raises(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and always_raises(last.body) and always_raises(last.orelse)
    if isinstance(last, ast.With | ast.AsyncWith):
        return always_raises(last.body)
    if isinstance(last, ast.Try):
        return always_raises(last.body) and all(always_raises(each.body) for each in last.handlers)
    return isinstance(last, ast.Raise)


@pytest.mark.parametrize(
    ("body", "is_caught"),
    [
        ("raise", False),
        ("log()\nraise Other() from error", False),
        ("if again:\n raise\nelse:\n raise Other()", False),
        ("if again:\n raise", True),
        ("try:\n raise\nfinally:\n close()", False),
        ("def later():\n raise", True),
        ("pass", True),
    ],
)
def test_a_catch_is_broad_unless_each_way_through_it_raises(body: str, is_caught: bool):
    indented = "\n".join(f" {line}" for line in body.splitlines())
    tree = ast.parse(f"try:\n f()\nexcept Exception as error:\n{indented}")
    assert is_broad(next(node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler))) is is_caught


def test_any_error_is_caught_in_one_home_only():
    broad = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in python_files()
        if file.relative_to(STUDIO).as_posix() not in BROAD_CATCHES
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.ExceptHandler) and is_broad(node)
    ]
    assert broad == []


TASKS_OF_A_LOOP = {
    "actors/runtime.py",  # its `stop` cancels and awaits them
    "actors/dispatcher.py",  # so does it with those of handlers
    "actors/grpc/host.py",  # so does that of a host
    "actors/grpc/worker.py",  # and of a worker
    "executors/published.py",  # a context manager cancels and awaits them as it is left
    "sandbox/processes.py",  # awaited to its end, whatever is cancelled meanwhile
    "sandbox/proxy.py",  # a context manager cancels and awaits it as it is left
    "teams/branches.py",  # a generator ends them in its `finally`, in an order of its own
    "web/server.py",  # awaited at once; it has a context of its own
}
"""Where the event loop itself makes a task that is awaited in the same function."""


def test_no_task_is_without_an_owner():
    """`asyncio.TaskGroup` awaits its tasks; these do not, or lose errors, whatever the loop is called."""
    ownerless = {"create_task", "ensure_future", "gather"}

    def is_group(node: ast.expr) -> bool:
        return "loop" not in ast.unparse(node).lower() and ast.unparse(node) != "asyncio"

    found = {
        f"{file.relative_to(STUDIO).as_posix()}:{node.lineno}"
        for file in python_files()
        for node in ast.walk(parsed(file))
        if (isinstance(node, ast.Attribute) and node.attr in ownerless and not is_group(node.value))
        or (isinstance(node, ast.ImportFrom) and node.module == "asyncio" and ownerless & {a.name for a in node.names})
        if file.relative_to(STUDIO).as_posix() not in TASKS_OF_A_LOOP
    }
    assert found == set()


def test_a_run_begins_only_when_it_was_prepared():
    """What is driven has loaded, was allowed and holds no secret: only `studio/runs/prepare.py` makes such a thing."""
    assert get_type_hints(RunSupervisor.play)["prepared"] is get_type_hints(drive)["prepared"] is PreparedRun
    calls = [
        (file.relative_to(STUDIO).as_posix(), ast.unparse(node.func).rpartition(".")[2])
        for file in python_files()
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.Call)
    ]
    assert {file for file, name in calls if name == "PreparedRun"} == {"runs/prepare.py"}
    assert {file for file, name in calls if name == "drive"} <= {"runs/supervisor.py", "teams/branches.py"}


class _Forbidden(HTMLParser):
    """Collects what the Content-Security-Policy would block, or what htmx could only do with `eval`."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and "src" not in given and given.get("type") != "importmap":
            self._add("a script without src")
        for name, value in attrs:
            if name == "style" or name.startswith(("on", "hx-on")):
                self._add(f"the attribute {name}")
            if (value or "").strip().startswith(("js:", "javascript:")):
                self._add(f"script in {name}")
            if name == "hx-trigger" and "[" in (value or ""):
                self._add("a filter in hx-trigger")

    def _add(self, what: str) -> None:
        self.found.append(f"line {self.getpos()[0]}: {what}")


JINJA = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)


def forbidden_in(template: str) -> list[str]:
    parser = _Forbidden()
    parser.feed(JINJA.sub(lambda tag: "\n" * tag.group().count("\n"), template))
    return parser.found


def test_templates_hold_nothing_that_the_policy_would_block():
    found = {
        str(file.relative_to(ROOT)): problems
        for file in sorted(TEMPLATES.rglob("*.html"))
        if (problems := forbidden_in(file.read_text()))
    }
    assert found == {}


@pytest.mark.parametrize(
    "template",
    [
        '<p style="color: {{ colour }}">',
        "<button onclick=save()>",
        "<div hx-on:click='x()'>",
        '<a href="javascript:void(0)">',
        '<div hx-vals="js:{a: 1}">',
        "<script>start()</script>",
        "<input {% if a %}hx-trigger=\"keyup[key=='Enter']\"{% endif %}>",
    ],
)
def test_each_forbidden_thing_in_a_template_is_seen(template: str):
    assert len(forbidden_in(template)) == 1


FORBIDDEN_IN_SCRIPTS = re.compile(
    r"\beval\(|\bnew Function\b|setAttribute\(['\"]style|document\.write\(|insertAdjacentHTML\(|\.outerHTML\s*=[^=]"
)


def test_scripts_hold_nothing_that_the_policy_would_block():
    found = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in sorted(SCRIPTS.rglob("*.js"))
        for number, line in enumerate(file.read_text().splitlines(), start=1)
        if FORBIDDEN_IN_SCRIPTS.search(line)
    ]
    assert found == []
