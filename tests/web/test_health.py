"""The page that says whether the studio is in order."""

from __future__ import annotations

from fastapi.testclient import TestClient

from studio.settings import Settings
from tests.web.doors import TOKEN


def test_the_page_says_what_the_command_says(client: TestClient, settings: Settings):
    client.put("/api/secrets/openai", json={"value": "hunter2-hunter2"})
    page = client.get("/settings/health").text
    assert "Only this machine can reach the studio" in page
    assert "1 secret is stored, encrypted" in page
    assert "No errors" in page
    (settings.data_dir / "secret.key").chmod(0o644)
    page = client.get("/settings/health").text
    assert "No errors" not in page
    assert f"<code>chmod 600 {settings.data_dir / 'secret.key'}</code>" in page
    assert page.index("badge") < page.index("chmod 600") < page.index("Team Studio 0"), "the worst comes first"
    assert "hunter2" not in page
    assert TOKEN not in page


def test_settings_lead_there(client: TestClient):
    assert 'href="/settings/health"' in client.get("/settings").text
