"""The smaller commands, and how the command line behaves as a whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from studio.components import JsonObject
from studio.store.form import newest_form
from tests.cli.conftest import Studio


def test_help_loads_neither_engine_nor_server():
    code = (
        "import sys\nfrom studio.cli import main\nmain(['--help'])\n"
        "heavy = {'pydantic', 'fastapi', 'openai', 'sqlalchemy', 'studio.components'} & set(sys.modules)\n"
        "sys.exit(1 if heavy else 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_components_are_listed_by_group(studio: Studio):
    code, out, _ = studio("components")
    assert code == 0
    assert "terminations\n" in out
    assert "autogen_agentchat.conditions.MaxMessageTermination" in out


def test_components_as_json_have_their_schema(studio: Studio):
    entries = json.loads(studio("components", "--json").out)
    limit = next(entry for entry in entries if entry["label"] == "MaxMessageTermination")
    assert limit["schema"]["properties"]["max_messages"]["title"] == "Max messages"


def test_a_shipped_component_can_be_printed_and_checked(studio: Studio, tmp_path: Path):
    assert "Writer and critic" in studio("gallery", "list").out
    file = tmp_path / "team.json"
    file.write_text(studio("gallery", "show", "Writer and critic").out, encoding="utf-8")
    assert "1 loaded, 0 opaque, 0 wrong" in studio("check", file).out
    assert studio("gallery", "show", "Nobody").code == 1


def test_a_team_is_exported_to_a_file(studio: Studio, tmp_path: Path, greeting: JsonObject):
    file, script = tmp_path / "team.json", tmp_path / "team.py"
    file.write_text(json.dumps(greeting), encoding="utf-8")
    assert studio("export", file, "-o", script) == (0, "", "")
    assert script.read_text(encoding="utf-8") == studio("export", file).out
    assert studio("export", file, "-o", tmp_path / "no" / "such" / "folder.py").code == 2


def test_a_team_is_exported_for_autogen_with_a_report(studio: Studio, tmp_path: Path, greeting: JsonObject):
    file = tmp_path / "team.json"
    file.write_text(json.dumps(greeting), encoding="utf-8")
    code = studio("export", file, "--to", "autogen").out
    assert "from autogen_agentchat.teams import" in code
    report = studio("export", file, "--to", "autogen", "--report").out
    assert report.startswith("AutoGen 0.7\n")
    assert "exact" in report
    told = json.loads(studio("export", file, "--to", "autogen", "--json").out)
    assert told["code"] == code
    assert told["counts"]["exact"] > 0
    assert studio("export", file, "--to", "nowhere").code == 2


def test_a_team_is_exported_for_agent_spec_and_imported_again(studio: Studio, tmp_path: Path, greeting: JsonObject):
    file, spec, team = (tmp_path / name for name in ("team.json", "agent.json", "back.json"))
    text = json.dumps(greeting)
    file.write_text(text, encoding="utf-8")
    assert studio("export", file, "--to", "agent-spec").code == 1  # its model is scripted
    model: JsonObject = {"model": "gpt-4o-mini"}
    document = json.loads(text)
    for each in document["config"]["participants"]:
        provider = "autogen_ext.models.openai.OpenAIChatCompletionClient"
        each["config"]["model_client"] = {"provider": provider, "config": model}
    file.write_text(json.dumps(document), encoding="utf-8")
    assert studio("export", file, "--to", "agent-spec", "-o", spec).code == 0
    assert studio("export", file, "--to", "agent-spec", "--report").out.startswith("Agent Spec\n")
    assert studio("import", spec, "--out", team).code == 0
    assert studio("check", team).code == 0


def test_an_exported_script_holds_references_in_place_of_keys(studio: Studio, tmp_path: Path):
    def client(key: str) -> JsonObject:
        headers: JsonObject = {"Authorization": f"Bearer {key}-gate", "Accept": "text/plain"}
        return {
            "provider": "OpenAIChatCompletionClient",
            "config": {"model": "gpt-4o", "api_key": key, "default_headers": headers},
        }

    cache: JsonObject = {
        "provider": "autogen_ext.models.cache.ChatCompletionCache",
        "config": {"client": client("sk-1")},
    }
    file = tmp_path / "client.json"
    file.write_text(json.dumps(cache), encoding="utf-8")
    code, out, err = studio("export", file)
    assert code == 0
    assert "sk-1" not in out + err
    assert 'env("OPENAI_API_KEY")' in out
    assert '"Bearer {env:STUDIO_SECRET_AUTHORIZATION_' in out
    assert "text/plain" in out
    assert "/config/client/config/api_key contains a key in plain text; the script reads OPENAI_API_KEY instead." in err
    assert err.count("\n") == 2


def test_doctor_looks_at_this_machine(studio: Studio, tmp_path: Path):
    code, out, _ = studio("doctor", "--data-dir", tmp_path / "new")
    assert code == 0
    assert "components are installed" in out
    assert "BAD" not in out


@pytest.mark.parametrize("arguments", [["bogus"], ["run"], ["serve", "--port", "many"], ["serve", "--port", "70000"]])
def test_a_mistyped_command_is_exit_code_two(studio: Studio, arguments: list[str]):
    assert studio(*arguments).code == 2


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "studio.example.org"])
def test_serving_other_machines_must_be_allowed(studio: Studio, tmp_path: Path, host: str):
    code, _, err = studio("serve", "--host", host, "--port", "0", "--data-dir", tmp_path)
    assert code == 2
    assert "--tls-cert" in err
    assert "--behind-proxy" in err
    assert err.count("\n") == 1


def test_the_version_is_told(studio: Studio):
    code, out, _ = studio("--version")
    assert code == 0
    assert out.startswith("Team Studio ")
    assert out.endswith("\n")


def test_a_database_is_migrated_on_its_own(studio: Studio, tmp_path: Path):
    first = studio("migrate", "--data-dir", tmp_path / "data")
    assert (first.code, first.out) == (0, f"Migrated the database to form {newest_form()}.\n")
    again = studio("migrate", "--data-dir", tmp_path / "data")
    assert (again.code, again.out) == (0, f"The database has the form {newest_form()}.\n")
