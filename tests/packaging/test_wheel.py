"""`pip install .` alone gives a working `studio`, away from the checkout."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener
from zipfile import ZipFile

import pytest

from studio.help import SECTIONS
from tests.packaging.conftest import ROOT
from tests.packaging.dockerfile import json_form, of, settings_of, stages

pytestmark = [pytest.mark.packaging, pytest.mark.slow, pytest.mark.timeout(240)]

INSIDE = {
    "frontend/templates": "studio/_frontend/templates",
    "frontend/static": "studio/_frontend/static",
    "frontend/vendor": "studio/_frontend/vendor",
    "gallery": "studio/_gallery",
    **{f"docs/{section}": f"studio/_docs/{section}" for section in SECTIONS},
    "studio/store/migrations": "studio/store/migrations",
}


@dataclass(frozen=True)
class Served:
    """A studio that runs from the wheel; `opener` holds its cookie after the first page."""

    origin: str
    first_page: str
    opener: OpenerDirector

    def get(self, path: str) -> tuple[bytes, str]:
        with self.opener.open(self.origin + path, timeout=20) as answer:
            return answer.read(), answer.headers["Content-Type"]


@contextmanager
def serving(command: list[str], folder: Path, environment: dict[str, str]) -> Generator[Served]:
    """Run the command, which must start a studio, and stop it at the end."""
    log = folder / "stderr"
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=stderr, text=True, cwd=folder, env=environment
        ) as server,
    ):
        try:
            yield _first_page(server, log)
        finally:
            server.terminate()
            server.wait(20)


def _first_page(server: subprocess.Popen[str], log: Path) -> Served:
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.search(r"(http://[^/\s]+)/\?token=\S+", line):
            opener = build_opener(HTTPCookieProcessor(CookieJar()))
            with opener.open(found.group(), timeout=20) as page:
                return Served(found.group(1), page.read().decode(), opener)
    server.wait(20)
    pytest.fail(f"The studio printed no address.\n{log.read_text()}")


@pytest.fixture(scope="module")
def served(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    command = [str(installed / "bin" / "studio"), "serve", "--port", "0", "--data-dir", str(folder / "data")]
    with serving(command, folder, clean_env()) as studio:
        yield studio


def clean_env() -> dict[str, str]:
    """The environment without what would let the checkout or the settings of this machine in."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STUDIO_", "VIRTUAL_"))}


def test_every_file_the_pages_need_is_inside(wheel: Path):
    inside = set(ZipFile(wheel).namelist())
    missing = [
        str(file.relative_to(ROOT))
        for source, target in INSIDE.items()
        for file in (ROOT / source).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
        if f"{target}/{file.relative_to(ROOT / source).as_posix()}" not in inside
    ]
    assert missing == []
    assert "studio/_frontend/vendor.lock.json" in inside


def test_nothing_else_is_inside(wheel: Path):
    tops = {name.split("/")[0] for name in ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"studio"}


def test_the_installed_studio_is_not_the_checkout(installed: Path, tmp_path: Path):
    code = "import studio, sys; print(studio.__file__)"
    command = [str(installed / "bin" / "python"), "-c", code]
    where = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=clean_env()).stdout
    assert Path(where.strip()).is_relative_to(installed)


def test_the_first_page_comes_with_its_style_script_and_import_map(served: Served):
    assert "Team Studio" in served.first_page
    addresses = re.findall(r'(?:href|src)="(/static/[^"]+)"', served.first_page)
    kinds = {address.rpartition(".")[2]: served.get(address)[1].split(";")[0] for address in addresses}
    assert {"css", "js"} <= kinds.keys()
    assert kinds["css"] == "text/css"
    assert kinds["js"] == "text/javascript"


def test_each_module_of_the_import_map_is_served(served: Served):
    modules = re.findall(r'"(/static/[^"]+/vendor/[^"]+\.js)":"sha384-', served.first_page)
    assert len(modules) > 10
    assert all(served.get(module)[0] for module in modules)


def test_the_galleries_that_ship_are_there(served: Served):
    assert b"Team Studio" in served.get("/api/galleries")[0]


def test_help_is_there_with_its_pictures(served: Served):
    page, _ = served.get("/help/tutorial/first-team")
    assert b"Your first team" in page
    [picture, *_] = re.findall(r'src="(/help/pictures/[^"]+)"', page.decode())
    assert served.get(picture)[1] == "image/png"


def test_the_command_and_the_health_check_of_the_container_work(installed: Path, tmp_path: Path):
    final = stages(ROOT / "Dockerfile")[-1]
    program, *arguments = json_form(of(final, "CMD")[0])
    settings = {f"STUDIO_{name}": value for name, value in settings_of(final).items()}
    environment = {**clean_env(), **settings, "STUDIO_PORT": "0", "STUDIO_DATA_DIR": str(tmp_path / "data")}
    with serving([str(installed / "bin" / program), *arguments], tmp_path, environment) as studio:
        assert "Team Studio" in studio.first_page
        port = studio.origin.rpartition(":")[2]
        assert health_check(installed, {**clean_env(), "STUDIO_PORT": port}) == 0
    assert health_check(installed, {**clean_env(), "STUDIO_PORT": port}) != 0


def health_check(installed: Path, environment: dict[str, str]) -> int:
    (text,) = of(stages(ROOT / "Dockerfile")[-1], "HEALTHCHECK")
    program, *arguments = json_form(text.partition("CMD")[2])
    command = [str(installed / "bin" / program), *arguments]
    return subprocess.run(command, cwd=installed, env=environment, stderr=subprocess.DEVNULL).returncode
