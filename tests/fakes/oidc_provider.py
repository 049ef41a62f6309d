"""An identity provider over real HTTP: discovery, keys and the token endpoint. The test is its sign-in page."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from joserfc import jwk, jwt

CLIENT_ID = "team-studio"
CLIENT_SECRET = "a-secret-of-the-client"


@dataclass
class Provider:
    """What it answers. `claims` go over the right ones; `signs_with` over its own key."""

    issuer: str = ""
    key: jwk.RSAKey = field(default_factory=lambda: jwk.RSAKey.generate_key(2048, {"kid": "first"}))
    claims: dict[str, Any] = field(default_factory=dict[str, Any])
    signs_with: jwk.RSAKey | jwk.OctKey | None = None
    algorithm: str = "RS256"
    discovery: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    problems: list[str] = field(default_factory=list[str])

    def approve(self, address: str, **changed: str) -> str:
        """Somebody signs in there and is sent back: the query of the callback."""
        asked = dict(parse_qsl(urlsplit(address).query))
        assert address.startswith(f"{self.issuer}/authorize?")
        assert (asked["client_id"], asked["response_type"]) == (CLIENT_ID, "code")
        assert asked["code_challenge_method"] == "S256"
        code = f"code-{len(self.asked)}"
        self.asked[code] = asked
        back = {"code": code, "state": asked["state"], **changed}
        return "&".join(f"{name}={value}" for name, value in back.items())

    def answer(self, path: str, form: dict[str, str] | None) -> dict[str, Any] | None:
        if path == "/.well-known/openid-configuration":
            ends = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
            found = {name: f"{self.issuer}/{end}" for name, end in ends.items()}
            return {"issuer": self.issuer, **found, **self.discovery}
        if path == "/keys":
            return {"keys": [self.key.as_dict(private=False)]}
        return self._token(form) if path == "/token" and form else None

    def _token(self, form: dict[str, str]) -> dict[str, Any] | None:
        asked = self.asked.pop(form["code"], None)
        if asked is None:
            return None
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        right = {
            "grant_type": "authorization_code",
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "redirect_uri": asked["redirect_uri"],
        }
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != asked["code_challenge"]:
            self.problems.append("the verifier does not fit the challenge")
        self.problems += [f"{name} is {form.get(name)!r}" for name, value in right.items() if form.get(name) != value]
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "sub": "person-1",
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            "email": "grace@example.com",
            "email_verified": True,
            **self.claims,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        header = {"alg": self.algorithm, "kid": "first"}
        signed = jwt.encode(header, claims, self.signs_with or self.key, algorithms=[self.algorithm])
        return {"access_token": "not used", "token_type": "Bearer", "id_token": signed}


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, provider: Provider, *arguments: Any) -> None:
        self.provider = provider
        super().__init__(*arguments)

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(dict(parse_qsl(body.decode())))

    def _answer(self, form: dict[str, str] | None) -> None:
        found = self.provider.answer(self.path, form)
        content = json.dumps(found or {"error": "invalid_grant"}).encode()
        self.send_response(200 if found else 400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


@contextmanager
def identity_provider() -> Generator[Provider]:
    """A provider that runs for as long as the block."""
    provider = Provider()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, provider))
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
