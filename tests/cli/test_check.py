"""`studio check` says what files are worth and executes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.components import JsonObject
from tests.cli.conftest import Studio

STOP = {"provider": "autogen_agentchat.conditions.MaxMessageTermination", "config": {"max_messages": 3}}
WRONG = {"provider": "autogen_agentchat.conditions.MaxMessageTermination", "config": {"max_messages": "x"}}
OPAQUE = {"provider": "os.system", "config": {"command": "true"}}


def written(folder: Path, document: object, name: str = "file.json") -> Path:
    file = folder / name
    file.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return file


def test_what_loads_and_what_is_opaque_is_no_error(studio: Studio, tmp_path: Path):
    code, out, err = studio("check", written(tmp_path, [STOP, OPAQUE]))
    assert (code, err) == (0, "")
    assert "1 loaded, 1 opaque, 0 wrong" in out
    assert "/1" in out


def test_a_wrong_component_is_exit_code_one_with_the_place(studio: Studio, tmp_path: Path):
    code, out, _ = studio("check", written(tmp_path, {"components": {"terminations": [STOP, WRONG]}}))
    assert code == 1
    assert "/components/terminations/1/config/max_messages" in out


def test_json_is_for_programs(studio: Studio, tmp_path: Path):
    file = written(tmp_path, [STOP, WRONG])
    code, out, _ = studio("check", "--json", file)
    (report,) = json.loads(out)
    assert (code, report["file"], report["ok"]) == (1, str(file), False)
    assert [entry["status"] for entry in report["components"]] == ["loaded", "wrong"]
    assert report["components"][1]["errors"][0]["where"] == "/1/config/max_messages"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"provider": ', "Not JSON"),
        ("[" * 10_000 + "]" * 10_000, "levels deep"),
        ("a: &a [*a]", "aliases"),
        ("\x00\x01", "Neither JSON nor YAML"),
        ('{"name": "nothing"}', "no component"),
        ('[{"provider": "a", "config": {"x": NaN}}]', "NaN"),
    ],
    ids=["malformed", "deep", "cyclic", "binary", "empty", "nan"],
)
def test_a_bad_file_is_a_clear_message_and_the_next_file_is_still_checked(
    studio: Studio, tmp_path: Path, text: str, message: str
):
    bad, good = written(tmp_path, text), written(tmp_path, STOP, "good.json")
    code, out, err = studio("check", bad, good)
    assert (code, err) == (1, "")
    assert message in out
    assert f"{good}: 1 loaded" in out


def test_a_file_of_fifty_megabytes_is_refused_unread(studio: Studio, tmp_path: Path):
    file = tmp_path / "large.json"
    with file.open("wb") as out_file:
        out_file.truncate(50_000_000)
    code, out, _ = studio("check", file)
    assert code == 1
    assert "50 MB" in out


def test_a_missing_file_is_the_operators_error(studio: Studio, tmp_path: Path):
    code, out, err = studio("check", tmp_path / "missing.json")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "missing.json" in err


def test_what_a_team_could_do_is_listed(studio: Studio, tmp_path: Path, greeting: JsonObject):
    tool = {"provider": "autogen_core.tools.FunctionTool", "config": {"name": "f", "source_code": "def f(): ..."}}
    code, out, _ = studio("check", written(tmp_path, tool), written(tmp_path, greeting, "team.json"))
    assert code in (0, 1)
    assert "team.json: 1 loaded" in out
