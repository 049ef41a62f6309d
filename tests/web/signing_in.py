"""People with accounts, as they come through the door."""

from __future__ import annotations

import re
from collections.abc import Mapping

from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.store import Role
from studio.web.auth.passwords import Passwords
from tests.web.doors import BASE_URL, client_of

PASSWORD = "correct horse battery"
COOKIE = "studio-8040"


def work_passwords_out_quickly(server: TestClient) -> None:
    """For tests with many people, which are not about passwords."""
    assert isinstance(server.app, FastAPI)
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    server.app.state.services.accounts.passwords = Passwords(hasher, hasher.hash("of nobody"))


def add(by: TestClient, name: str, role: Role = "viewer", *, headers: Mapping[str, str] | None = None) -> str:
    """Make a user; gives the id."""
    made = by.post("/api/users", json={"name": name, "role": role, "password": PASSWORD}, headers=headers)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def try_to_sign_in(server: TestClient, name: str, password: str, goes_to: str = "/teams"):
    form = {"name": name, "password": password, "next": goes_to}
    return client_of(server).post("/login", data=form, headers={"Origin": BASE_URL})


def signed_in(server: TestClient, name: str, password: str = PASSWORD) -> TestClient:
    """A browser in which somebody has signed in; its changes carry the CSRF value of its pages."""
    browser = client_of(server)
    form = {"name": name, "password": password, "next": "/teams"}
    answer = browser.post("/login", data=form, headers={"Origin": BASE_URL})
    assert answer.status_code == 303, answer.text
    browser.headers["X-Studio-CSRF"] = csrf_of(browser)
    return browser


def csrf_of(browser: TestClient) -> str:
    found = re.search(r'name="csrf-token" content="([0-9a-f]*)"', browser.get("/account").text)
    assert found
    return found[1]
