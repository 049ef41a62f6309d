"""The studio's own settings are no secrets for teams, whoever approves them."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from studio.components import env
from studio.errors import MissingSecret
from tests.sandbox.jailed import best_jail
from tests.web.documents import function_tool, shouting
from tests.web.following import keeping, told

SETTINGS = ["STUDIO_TOKEN", "STUDIO_OIDC_CLIENT_SECRET", "STUDIO_DATABASE_URL"]
TELLS = """\
import os

def shout(text: str) -> str:
    return "told " + os.environ.get("NAME", "nothing")[::-1]
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SETTINGS, "OF_SOMETHING_ELSE"])
def test_no_code_is_given_a_setting_of_the_studio(client: TestClient, monkeypatch: pytest.MonkeyPatch, name: str):
    best_jail()
    monkeypatch.setenv(name, "a-value-of-its-own")
    agent = cast("Any", shouting())["config"]["participants"][0]
    agent["config"]["tools"] = [function_tool(TELLS.replace("NAME", name))]
    said = told(client, keeping(client, agent))
    assert f"told {'gnihton' if name in SETTINGS else 'nwo-sti-fo-eulav-a'}" in said


@pytest.mark.parametrize("name", [*SETTINGS, "studio_token"])
def test_no_component_resolves_a_setting_of_the_studio(monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setenv(name, json.dumps("a-value"))
    with pytest.raises(MissingSecret, match="setting of the studio"):
        env(name).resolve()
