"""Pictures that a person asks for, by way of the server."""

from __future__ import annotations

import base64

from fastapi.testclient import TestClient

from studio.settings import Settings
from studio.web.app import create_app
from tests.fakes.file_server import http_server
from tests.web.doors import BASE_URL, TOKEN, client_of

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def test_a_picture_comes_as_data_and_nothing_else_does(settings: Settings):
    allowing = settings.model_copy(update={"allow_private_urls": True})
    files = {"/dot.png": PNG, "/page.png": b"<html>"}
    with http_server(files) as port, TestClient(create_app(allowing), BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        dot = client.post("/api/pictures", json={"url": f"http://127.0.0.1:{port}/dot.png"})
        assert dot.json() == {"picture": f"data:image/png;base64,{base64.b64encode(PNG).decode()}"}
        page = client.post("/api/pictures", json={"url": f"http://127.0.0.1:{port}/page.png"})
        assert (page.status_code, page.json()["error"]["code"]) == (502, "url_unreachable")


def test_no_picture_is_fetched_from_the_network_of_the_server(client: TestClient):
    with http_server({"/dot.png": PNG}) as port:
        refused = client.post("/api/pictures", json={"url": f"http://127.0.0.1:{port}/dot.png"})
    assert refused.status_code == 422
    error = refused.json()["error"]
    assert error["code"] == "url_refused"
    assert error["fix"].startswith("Open the address in a browser.")
