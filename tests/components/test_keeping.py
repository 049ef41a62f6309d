"""Keys in the open are taken out of a document wherever they usually stand, and told before."""

from __future__ import annotations

import json

import pytest
from pydantic import JsonValue

from studio.components import extract_secrets, validate_component

HTTP_TOOL = "autogen_ext.tools.http.HttpTool"
SCHEMA: JsonValue = {"type": "object", "properties": {"password": {"type": "string"}}}


def http_tool(**headers: str) -> dict[str, JsonValue]:
    config: dict[str, JsonValue] = {"name": "f", "host": "example.com", "port": 443, "json_schema": SCHEMA}
    return {"provider": HTTP_TOOL, "component_type": "tool", "config": {**config, "headers": {**headers}}}


def headers_of(document: JsonValue) -> dict[str, str]:
    assert isinstance(document, dict)
    config = document["config"]
    assert isinstance(config, dict)
    headers = config["headers"]
    assert isinstance(headers, dict)
    return {name: str(value) for name, value in headers.items()}


@pytest.mark.parametrize("name", ["Authorization", "api-key", "X-Api-Key", "Cookie", "X-Auth-Token", "apiKey"])
def test_a_header_that_carries_a_key_is_taken_out(name: str):
    clean, found = extract_secrets(http_tool(**{name: "sk-hidden"}))
    assert [(secret.where, secret.value) for secret in found] == [(f"/config/headers/{name}", "sk-hidden")]
    assert headers_of(clean)[name] == found[0].reference


def test_the_scheme_before_a_key_stays():
    clean, found = extract_secrets(http_tool(Authorization="Bearer sk-hidden"))
    assert [secret.value for secret in found] == ["sk-hidden"]
    assert headers_of(clean)["Authorization"] == f"Bearer {{{found[0].reference}}}"
    assert extract_secrets(clean) == (clean, [])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Accept", "application/json"),
        ("Authorization", "env:KEY"),
        ("Authorization", "Bearer {secret:key}"),
        ("Authorization", ""),
        ("Authorization", "**********"),
        ("X-Max-Tokens", "many"),
    ],
)
def test_what_is_no_key_stays_as_it_is(name: str, value: str):
    document = http_tool(**{name: value})
    assert extract_secrets(document) == (document, [])


def test_variables_and_headers_of_a_tool_server_are_taken_out():
    params: JsonValue = {
        "type": "StdioServerParams",
        "command": "x",
        "env": {"GITHUB_TOKEN": "ghp-hidden", "LANG": "C"},
    }
    document: JsonValue = {"provider": "autogen_ext.tools.mcp.McpWorkbench", "config": {"server_params": params}}
    clean, found = extract_secrets(document)
    assert [secret.where for secret in found] == ["/config/server_params/env/GITHUB_TOKEN"]
    assert "ghp-hidden" not in json.dumps(clean)


@pytest.mark.parametrize("key", ["api_key", "apiKey", "token", "password", "client_secret", "AWS_SECRET_ACCESS_KEY"])
def test_keys_inside_an_unknown_component_are_taken_out(key: str):
    inside: JsonValue = {"options": [{key: "sk-hidden", "max_tokens": "5", "eos_token": "</s>"}]}
    clean, found = extract_secrets({"provider": "elsewhere.Client", "config": inside})
    assert [(secret.where, secret.value) for secret in found] == [(f"/config/options/0/{key}", "sk-hidden")]
    assert "sk-hidden" not in json.dumps(clean)


def test_keys_in_fields_that_nobody_knows_are_taken_out():
    document = http_tool()
    config = document["config"]
    assert isinstance(config, dict)
    _, found = extract_secrets({**document, "config": {**config, "extra/": {"token": "sk-hidden"}}})
    assert [secret.where for secret in found] == ["/config/extra~1/token"]


def test_keys_in_the_open_are_told_before_anything_is_stored():
    documents: list[JsonValue] = [
        http_tool(Authorization="Bearer sk-hidden"),
        {"provider": "elsewhere.Client", "config": {"api_key": "sk-hidden"}},
    ]
    for document in documents:
        warnings = validate_component(document).warnings
        assert warnings[0].code == "secret_in_clear"
        assert "sk-hidden" not in warnings[0].message
