"""A script is read with the files that it imports from: by name, within its folder, in bounds, nothing executed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from studio.code import read_python
from studio.code.other_files import MAX_ALL_CHARACTERS, MAX_FILES
from tests.cli.conftest import Studio

IMPORTS = """
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient
"""
TEAM = f"""{IMPORTS}
from parts.agents import make_writer
from parts import prompts
import settings
team = RoundRobinGroupChat([make_writer("poet", prompts.WRITER)], max_turns=settings.TURNS)
"""
AGENTS = f"""{IMPORTS}
import datetime
from .models import fast
from .prompts import ABOUT as described

def today() -> str:
    \"\"\"The date.\"\"\"
    return datetime.date.today().isoformat()

def make_writer(name, prompt):
    return AssistantAgent(name, fast, system_message=prompt, description=described, tools=[today])
"""
FILES = {
    "team.py": TEAM,
    "settings.py": "TURNS = 3\nprint('never')\nopen('x', 'w')\n",
    "parts/__init__.py": "",
    "parts/agents.py": AGENTS,
    "parts/models.py": f"{IMPORTS}\nfast = OpenAIChatCompletionClient(model='gpt-4o')\n",
    "parts/prompts.py": "ABOUT = 'Writes.'\nWRITER = f'{ABOUT} Briefly.'\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def exported(studio: Studio, script: str = "team.py") -> tuple[Any, str]:
    """The config of the team of a script, and what is said of it."""
    code, out, err = studio("export", script)
    assert code == 0, err
    config: Any = read_python(out)["config"]
    return config, err


def test_names_of_files_beside_a_script_are_read(studio: Studio, folder: Path):
    write(folder, FILES)
    config, err = exported(studio)
    writer = config["participants"][0]["config"]
    assert (writer["name"], writer["system_message"], writer["description"]) == ("poet", "Writes. Briefly.", "Writes.")
    assert writer["model_client"]["config"]["model"] == "gpt-4o"
    (tool,) = writer["workbench"][0]["config"]["tools"] if "workbench" in writer else writer["tools"]
    assert (tool["config"]["name"], tool["config"]["global_imports"]) == ("today", ["datetime"])
    assert config["max_turns"] == 3
    assert "stands in" not in err
    assert not (folder / "x").exists(), "nothing is executed"


def test_a_script_of_a_package_finds_what_the_current_folder_has(studio: Studio, folder: Path):
    moved = {"settings.py": FILES["settings.py"], "app/team.py": TEAM.replace("parts", "app.parts")}
    write(folder, moved | {f"app/{name}": text for name, text in FILES.items() if name.startswith("parts")})
    config, _ = exported(studio, "app/team.py")
    assert config["participants"][0]["config"]["name"] == "poet"


def test_what_another_file_cannot_tell_has_a_stand_in_that_names_its_line(studio: Studio, folder: Path):
    agents = AGENTS.replace("description=described", "description=described, model_client_stream=(1 > 2)")
    write(folder, FILES | {"parts/agents.py": agents, "parts/prompts.py": "ABOUT = ''\nfor WRITER in 'abc': pass\n"})
    config, err = exported(studio)
    assert config["participants"][0]["provider"].endswith("UserProxyAgent")
    line = agents[: agents.index("return Ass")].count("\n") + 1
    assert f"`make_writer` of {Path('parts/agents.py')} is not read: line {line}" in err
    code, _, err = studio("run", "team.py", "--task", "x")
    assert code == 1
    assert "stands in for it" in err


def test_what_another_file_may_change_afterwards_is_not_taken_for_known(studio: Studio, folder: Path):
    models = FILES["parts/models.py"] + "tune(fast)\n"
    write(folder, FILES | {"parts/models.py": models})
    config, err = exported(studio)
    assert config["participants"][0]["config"]["model_client"]["config"]["model"] == "fast"
    assert "may be changed here" in err


def test_files_that_import_each_other_are_read_once_each(studio: Studio, folder: Path):
    write(
        folder,
        {
            "team.py": f"{IMPORTS}\nfrom a import agent\nteam = RoundRobinGroupChat([agent])\n",
            "a.py": f"{IMPORTS}\nNAME = 'ann'\nimport b\nfrom b import model\nagent = AssistantAgent(b.NAME, model)\n",
            "b.py": f"{IMPORTS}\nfrom a import NAME\nmodel = OpenAIChatCompletionClient(model='gpt-4o')\n",
        },
    )
    config, _ = exported(studio)
    assert config["participants"][0]["config"]["name"] == "ann"


OUTSIDE = f"{IMPORTS}\nfrom outside import agent\nteam = RoundRobinGroupChat([agent])\n"


@pytest.mark.parametrize("itself", ["import agents.me as me", "import agents.me.me as me"])
def test_a_module_that_is_a_name_of_itself_leads_nowhere(studio: Studio, folder: Path, itself: str):
    script = f"{IMPORTS}\nfrom agents import me\nteam = RoundRobinGroupChat([me.poet])\n"
    write(folder, {"team.py": script, "agents.py": f"{itself}\n"})
    done = studio("check", "team.py")
    assert done.code == 0, done.err
    assert "another file" in done.err


def _link(folder: Path) -> None:
    (folder / "outside.py").symlink_to(folder.parent / "secret.py")


def _folder_link(folder: Path) -> None:
    (folder / "outside").symlink_to(folder.parent, target_is_directory=True)


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "outside.py")


def _huge(folder: Path) -> None:
    (folder / "outside.py").write_text(f"agent = '{'x' * 3_000_000}'\n")


def _device(folder: Path) -> None:
    (folder / "outside.py").symlink_to("/dev/zero")


def _no_text(folder: Path) -> None:
    (folder / "outside.py").write_bytes(b"\xff\xfe")


def _no_python(folder: Path) -> None:
    (folder / "outside.py").write_text("agent = (\n")


@pytest.mark.parametrize("makes", [_link, _folder_link, _pipe, _huge, _device, _no_text, _no_python])
def test_what_may_not_or_cannot_be_read_beside_a_script_has_a_stand_in(studio: Studio, folder: Path, makes: Any):
    secret = f"{IMPORTS}\nagent = AssistantAgent('secret', OpenAIChatCompletionClient(model='gpt-4o'))\n"
    inner = folder / "inner"
    write(folder, {"secret.py": secret, "__init__.py": secret, "inner/team.py": OUTSIDE})
    makes(inner)
    code, out, err = studio("export", inner / "team.py")
    assert code == 0, err
    assert "secret" not in out
    config: Any = read_python(out)["config"]
    assert config["participants"][0]["config"]["name"] == "agent"
    assert "agent" in err


@pytest.mark.parametrize("dots", ["..", "...", "." * 40])
def test_a_relative_import_does_not_leave_the_current_folder(studio: Studio, folder: Path, dots: str):
    write(folder, {"secret.py": "X = 'secret'\n", "a/b/team.py": OUTSIDE.replace("outside", f"{dots}secret")})
    os.chdir(folder / "a" / "b")
    code, out, _ = studio("export", "team.py")
    assert code == 0
    assert "'secret'" not in out


def test_a_folder_of_ten_thousand_files_costs_no_more_than_what_is_imported(studio: Studio, folder: Path):
    write(folder, {f"m{number}.py": f"from m{number + 1} import X\n" for number in range(10_000)})
    write(folder, {"team.py": f"{IMPORTS}\nfrom m0 import X\nteam = RoundRobinGroupChat([X])\n"})
    config, err = exported(studio)
    assert config["participants"][0]["config"]["name"] == "X"
    assert "more files than are read" in err


def test_files_are_bounded_together(studio: Studio, folder: Path):
    text = f"A = '{'x' * 400_000}'\n"
    assert len(text) * MAX_FILES > MAX_ALL_CHARACTERS
    names = [f"m{number}" for number in range(20)]
    write(folder, {f"{name}.py": text for name in names})
    imports = "".join(f"import {name}\nx{name} = {name}.A\n" for name in names)
    agent = "AssistantAgent('a', OpenAIChatCompletionClient(model='gpt-4o'), system_message=xm19)"
    write(folder, {"team.py": f"{IMPORTS}\n{imports}\nteam = RoundRobinGroupChat([{agent}])\n"})
    config, err = exported(studio)
    assert config["participants"][0]["config"]["system_message"] == "A"
    assert "more files than are read" in err
