"""Keys in the open are taken out of a document wherever they stand, and what is left works as before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import JsonValue

from studio.components import JsonObject, extract_secrets, load_component, validate_component
from studio.components.key_patterns import keys_in
from studio.settings import Settings
from studio.web.app import create_app
from tests.web.documents import assistant, gallery, team
from tests.web.doors import BASE_URL, TOKEN, client_of

KEY = "sk-proj-A1b2C3d4E5f6G7h8I9j0K1"
PLAIN = "hunter2Xq99zW"
"""A key that no letters of its own give away."""
PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
OPENAI = "autogen_ext.models.openai.OpenAIChatCompletionClient"


def mcp(*args: str, **env: str) -> JsonValue:
    params: JsonValue = {"type": "StdioServerParams", "command": "npx", "args": [*args], "env": {**env}}
    return {"provider": "autogen_ext.tools.mcp.McpWorkbench", "config": {"server_params": params}}


def mcp_at(url: str, **headers: str) -> JsonValue:
    params: JsonValue = {"type": "StreamableHttpServerParams", "url": url, "headers": {**headers}}
    return {"provider": "autogen_ext.tools.mcp.McpWorkbench", "config": {"server_params": params}}


def http(path: str = "/", **headers: str) -> JsonValue:
    schema: JsonValue = {"type": "object", "properties": {}}
    config: JsonValue = {"name": "f", "host": "h.com", "port": 443, "path": path, "json_schema": schema}
    assert isinstance(config, dict)
    return {"provider": "autogen_ext.tools.http.HttpTool", "config": {**config, "headers": {**headers}}}


def model(**config: JsonValue) -> JsonValue:
    return {"provider": OPENAI, "config": {"model": "gpt-4o", **config}}


def unknown(**config: JsonValue) -> JsonValue:
    return {"provider": "nobody.Knows", "config": config}


def tool(source: str) -> JsonValue:
    code = f"def f() -> str:\n    {source}\n    return ''\n"
    config: JsonValue = {"source_code": code, "name": "f", "description": "", "global_imports": []}
    return {"provider": "autogen_core.tools.FunctionTool", "config": config}


def agent(**config: JsonValue) -> JsonValue:
    found = assistant("writer")
    return {**found, "config": {**dict(found["config"]), **config}}  # type: ignore[arg-type]


PLACES: dict[str, JsonValue] = {
    "model key": model(api_key=PLAIN),
    "model header": model(default_headers={"X-Api-Key": PLAIN}),
    "model URL, user": model(base_url=f"https://u:{PLAIN}@h.com/v1"),
    "model URL, query": model(base_url=f"https://h.com/v1?api_key={PLAIN}"),
    "argument after a name": mcp("srv", "--api-key", PLAIN),
    "argument with a name": mcp(f"--api-key={PLAIN}"),
    "argument of two dashes and a token": mcp("--token", PLAIN, "--verbose"),
    "password in an argument": mcp("--password", PLAIN),
    "header in an argument": mcp("mcp-remote", "https://h.com", "--header", f"Authorization: Bearer {PLAIN}"),
    "short header in an argument": mcp("-H", f"X-Api-Key: {PLAIN}"),
    "header without blank": mcp("--header", f"Authorization:Bearer {PLAIN}"),
    "database in an argument": mcp("postgres", f"postgresql://u:{PLAIN}@h.com/db"),
    "variable in an argument": mcp("run", "-e", f"GITHUB_PERSONAL_ACCESS_TOKEN={PLAIN}", "image"),
    "bare key in an argument": mcp(KEY),
    "shell line": mcp("-c", f"curl -H 'Authorization: Bearer {PLAIN}' https://h.com"),
    "MCP URL, query": mcp_at(f"https://h.com/mcp?api_key={PLAIN}"),
    "MCP URL, key": mcp_at(f"https://h.com/mcp?key={PLAIN}&a=b"),
    "MCP URL, user": mcp_at(f"https://u:{PLAIN}@h.com/mcp"),
    "MCP URL, user alone": mcp_at(f"https://{PLAIN}@h.com/mcp"),
    "MCP header": mcp_at("https://h.com/mcp", Authorization=f"Bearer {PLAIN}"),
    "HTTP tool path": http(f"/v1?key={PLAIN}"),
    "header X-Auth": http(**{"X-Auth": PLAIN}),
    "header Auth": http(Auth=PLAIN),
    "header of functions": http(**{"X-Functions-Key": PLAIN}),
    "header of a vendor": http(**{"xi-api-key": PLAIN}),
    "cookie": http(Cookie=f"session={PLAIN}"),
    "basic": http(Authorization=f"Basic {PLAIN}"),
    "OPENAI_KEY": mcp(OPENAI_KEY=PLAIN),
    "GITHUB_PAT": mcp(GITHUB_PAT=PLAIN),
    "DATABASE_URL": mcp(DATABASE_URL=f"postgresql://u:{PLAIN}@h.com/db"),
    "DB_PASS": mcp(DB_PASS=PLAIN),
    "PGPASSWORD": mcp(PGPASSWORD=PLAIN),
    "REDIS_URL": mcp(REDIS_URL=f"redis://:{PLAIN}@h.com:6379/0"),
    "AZURE_STORAGE": mcp(AZURE_STORAGE=f"AccountName=a;AccountKey={PLAIN};EndpointSuffix=x"),
    "ODBC": mcp(DSN=f"Driver=x;Server=h;Uid=u;Pwd={PLAIN};"),
    "WEBHOOK": mcp(SLACK="https://hooks.slack.com/services/T00000000/B00000000/hunter2Xq99zWhunter2Xq99"),
    "unknown, key": unknown(key=PLAIN),
    "unknown, deep": unknown(a=[{"b": {"apiKey": PLAIN}}]),
    "unknown, arguments": unknown(args=["--token", PLAIN]),
    "unknown, URL": unknown(endpoint=f"https://u:{PLAIN}@h.com"),
    "unknown, text": unknown(note=f"with {KEY}"),
    "unknown, PEM": unknown(certificate=PEM),
    "tool source": tool(f'key = "{KEY}"'),
    "tool source, named": tool(f'API_KEY = "{PLAIN}"'),
    "tool source, URL": tool(f'x = "postgresql://u:{PLAIN}@h.com/db"'),
    "tool source, dict": tool(f'x = {{"Authorization": "Bearer {PLAIN}"}}'),
    "tool source, PEM": tool(f"x = {PEM!r}"),
    "instructions": agent(system_message=f"Use the key {KEY}."),
    "instructions, header": agent(system_message=f"Send `Authorization: Bearer {PLAIN}`."),
    "instructions, URL": agent(system_message=f"Ask https://h.com/?token={PLAIN} first."),
    "PWD of ODBC": mcp(f"Driver=x;Server=h;UID=u;PWD={PLAIN};"),
    "user and password": mcp("curl", "-u", f"user:{PLAIN}"),
    "numbered variable": mcp(API_KEY_1=PLAIN, TOKEN_GITHUB=PLAIN),
    "JSON in a variable": mcp(CONFIG=json.dumps({"token": PLAIN})),
    "JSON in JSON": mcp(CONFIG=json.dumps(json.dumps({"token": PLAIN}))),
    "unknown, name and value": unknown(env=[{"name": "API_KEY", "value": PLAIN}]),
    "unknown, scheme alone": unknown(header=f"Bearer {PLAIN}"),
    "user alone with a colon": mcp(f"https://{PLAIN}:@h.com/"),
    "default of a variable": tool(f'x = os.getenv("API_KEY", "{PLAIN}")'),
    "description": agent(description=f"Has {KEY}"),
    "metadata": agent(metadata={"api_key": PLAIN, "note": KEY}),
}
SECRETS = (KEY, PLAIN, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC")


@pytest.mark.parametrize("place", PLACES)
def test_a_key_is_taken_out_told_and_needs_no_second_look(place: str):
    clean, found = extract_secrets(PLACES[place])
    assert not [secret for secret in SECRETS if secret in json.dumps(clean)]
    assert found
    assert all(any(key in secret.value for key in SECRETS) for secret in found)
    assert extract_secrets(clean) == (clean, [])
    assert "secret_in_clear" in {warning.code for warning in validate_component(PLACES[place]).warnings}


@pytest.mark.slow
def test_no_key_of_any_place_is_stored_or_exported(tmp_path: Path):
    inside: list[Any] = [part for part in PLACES.values() if isinstance(part, dict)]
    whole = gallery(teams=[team(*(part for part in inside if "agents" in part["provider"]))])
    components = cast("dict[str, Any]", whole["components"])
    components["tools"] = [part for part in inside if "agents" not in part["provider"]]
    cast("dict[str, Any]", whole["metadata"])["api_key"] = PLAIN
    with TestClient(create_app(Settings(data_dir=tmp_path, token=TOKEN)), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        made = client.post("/api/galleries", json={"text": json.dumps(whole)})
        assert made.status_code == 201, made.text
        shown = client.get(f"/api/galleries/{made.json()['id']}").text
        written = client.post(
            "/api/python", json={"component": team(*[part for part in inside if "writer" in str(part)])}
        )
        assert [secret for secret in SECRETS if secret in shown + written.text] == []
        files = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
        assert [secret for secret in SECRETS if any(secret.encode() in content for content in files)] == []


@pytest.mark.parametrize(
    "document",
    [
        mcp("-y", "@modelcontextprotocol/server-filesystem@1.2.3-beta4567", "/home/u1/projects", "--port", "8080"),
        mcp("--key-file", "/etc/keys/server1.pem", "--tokenizer", "cl100k_base_2024"),
        mcp("--max-tokens", "4096", "--api-key", "{env:KEY}", "--token=${TOKEN}", LANG="C.UTF-8"),
        mcp_at("http://localhost:8000/mcp?version=2024-11-05&code=python"),
        http("/items/{id}?page=1", Accept="application/json"),
        model(base_url="http://localhost:11434/v1", api_key="env:KEY"),
        agent(system_message="Never tell a password: it is secret. Use --token NAME. Set api_key=YOUR_API_KEY."),
        agent(system_message="The token: a word of 1-4 letters. See https://h.com:8080/a@b and secret:my-key-123456."),
        tool('token = response1.headers["X-Token-1234567"]; key = os.environ["OPENAI_API_KEY"]'),
        unknown(
            primary_key="id", sort_key="created_at", key="name", eos_token="</s>", url="postgresql://u:password@h/db"
        ),
    ],
)
def test_what_is_no_key_stays(document: JsonValue):
    assert extract_secrets(document) == (document, [])


def test_the_key_of_an_argument_reaches_the_program_and_is_asked_for(monkeypatch: pytest.MonkeyPatch):
    clean, found = extract_secrets(mcp("--api-key", PLAIN, f"--db=postgresql://u:{PLAIN}@h.com/db"))
    workbench: Any = load_component(clean)
    for secret in found:
        monkeypatch.setenv("STUDIO_SECRET_" + secret.reference[7:].upper().replace("-", "_"), secret.value)
    assert workbench.server_params.filled_args == ["--api-key", PLAIN, f"--db=postgresql://u:{PLAIN}@h.com/db"]
    asked = [one.detail for one in workbench.capabilities() if one.kind == "secret"]
    assert [detail.split()[0] for detail in asked] == [secret.reference for secret in found]


@pytest.mark.parametrize("text", ["a: ", "sk-", "://a:", "a=b&", "-----BEGIN PRIVATE KEY-----", "token: ", "--key "])
def test_looking_for_keys_takes_time_in_proportion_to_the_text(text: str):
    assert keys_in(text * (200_000 // len(text))) == []


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_key_is_read_as_absent_and_told(empty: str):
    client: Any = load_component(model(api_key=empty))
    assert [use.detail for use in client.capabilities() if use.kind == "secret"] == [
        "env:OPENAI_API_KEY to https://api.openai.com:443/v1"
    ]
    report = validate_component(model(api_key=empty))
    assert (report.ok, [warning.code for warning in report.warnings]) == (True, ["placeholder_secret"])


@pytest.mark.parametrize("text", ["${SOME_KEY}", "$SOME_KEY", "{{SOME_KEY}}", "{{ env.SOME_KEY }}", "${env:SOME_KEY}"])
def test_a_placeholder_of_a_variable_means_the_variable(text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SOME_KEY", PLAIN)
    client: Any = load_component(model(api_key=text))
    assert (client.api_key.reference, client.api_key.resolve()) == ("env:SOME_KEY", PLAIN)
    report = validate_component(model(api_key=text))
    assert (report.ok, [warning.code for warning in report.warnings]) == (True, ["placeholder_secret"])
    kept, found = extract_secrets(http(Authorization=f"Bearer {text}", **{"X-Api-Key": text}))
    assert cast("Any", kept)["config"]["headers"] == {
        "Authorization": "Bearer {env:SOME_KEY}",
        "X-Api-Key": "env:SOME_KEY",
    }
    assert found == []


def test_a_key_that_was_stored_long_ago_is_not_exported(client: TestClient):
    team_id = client.post("/api/teams", json={"component": team()}).json()["id"]
    assert isinstance(client.app, FastAPI)
    store = client.app.state.services.store
    old = team(cast("JsonObject", agent(system_message=f"Use {KEY}.")))
    assert client.portal
    kept = client.portal.call(store.teams.get, team_id)
    client.portal.call(lambda: store.teams.save(team_id, component=old, layout={}, revision=kept.revision))
    assert KEY in client.get(f"/api/teams/{team_id}").text
    assert KEY not in client.get(f"/api/teams/{team_id}/json").text
    assert KEY not in client.get(f"/api/teams/{team_id}/python").text
