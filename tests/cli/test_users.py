"""Who may come in is said on the command line, and a studio that others can reach starts protected only."""

from __future__ import annotations

import io
import json
import re
import ssl
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from studio.settings import Settings
from tests.cli.conftest import Studio
from tests.processes import Outcome, StudioProcess

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]
PASSWORD = "correct horse battery"
Typed = Callable[..., Outcome]


@pytest.fixture
def typed(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Runs a command over one data folder, with text on standard input."""
    monkeypatch.setenv("STUDIO_DATA_DIR", str(tmp_path / "data"))

    def run(*arguments: str, stdin: str = "") -> Outcome:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        return studio(*arguments)

    return run


def test_users_are_added_changed_and_removed(typed: Typed):
    assert "access token" in typed("users", "list").out
    assert typed("users", "add", "Ada", "--role", "admin", stdin=PASSWORD + "\n").code == 0
    assert typed("users", "add", "bob@example.com", "--without-password").code == 0
    assert typed("users", "set-role", "BOB@example.com", "editor").code == 0
    listed = json.loads(typed("users", "list", "--json").out)
    assert [(user["name"], user["role"]) for user in listed] == [("Ada", "admin"), ("bob@example.com", "editor")]
    last = typed("users", "remove", "Ada")
    assert (last.code, "last admin" in last.err) == (2, True)
    log = [json.loads(line) for line in typed("audit").out.splitlines()]
    assert [(line["action"], line["object"]) for line in log] == [
        ("add a user", "Ada"),
        ("add a user", "bob@example.com"),
        ("set a role", "bob@example.com"),
    ]
    assert PASSWORD not in str(log)


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (("add", "Ada", "--role", "admin"), "short\n", "10 to 1000"),
        (("add", "Ada", "--role", "owner"), PASSWORD, "not a role"),
        (("add", "Ada"), PASSWORD, "must be an admin"),
        (("add", "<b>", "--role", "admin"), PASSWORD, "not a valid user name"),
        (("set-password", "Nobody"), PASSWORD, "no user"),
    ],
)
def test_what_cannot_be_is_one_line(typed: Typed, arguments: tuple[str, ...], stdin: str, said: str):
    _, _, err = done = typed("users", *arguments, stdin=stdin)
    assert done.code != 0
    assert said in err
    assert err.count("\n") == 1


def test_a_studio_that_others_reach_needs_accounts(studio: Studio, tmp_path: Path):
    for protected in (["--without-tls"], ["--behind-proxy", "127.0.0.1"]):
        code, _, err = studio("serve", "--host", "0.0.0.0", "--port", "0", "--data-dir", tmp_path, *protected)
        assert code == 2
        assert "studio users add" in err
        assert err.count("\n") == 1


def test_a_proxy_in_front_of_loopback_makes_it_reachable(studio: Studio, tmp_path: Path):
    code, _, err = studio("serve", "--port", "0", "--data-dir", tmp_path, "--behind-proxy", "127.0.0.1")
    assert code == 2
    assert "studio users add" in err


def test_a_certificate_that_does_not_work_is_one_line(studio: Studio, tmp_path: Path):
    file = tmp_path / "not.pem"
    file.write_text("no certificate", encoding="utf-8")
    for given in (["--tls-cert", file], ["--tls-key", file], ["--tls-cert", file, "--tls-key", file]):
        code, _, err = studio("serve", "--port", "0", "--data-dir", tmp_path / "data", *given)
        assert code == 2
        assert err.count("\n") == 1


@contextmanager
def serving(data_dir: Path, *arguments: object) -> Generator[str]:
    with StudioProcess.start("serve", "--port", "0", "--data-dir", data_dir, *arguments) as process:
        yield process.output.readline().strip()


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 that signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "cert.pem").write_bytes(signed.public_bytes(pem))
    (folder / "key.pem").write_bytes(key.private_bytes(pem, *plain))
    return folder / "cert.pem", folder / "key.pem"


def test_with_a_certificate_and_a_user_it_serves_others_by_https(typed: Typed, tmp_path: Path):
    assert typed("users", "add", "Ada", "--role", "admin", stdin=PASSWORD + "\n").code == 0
    cert, key = certificate(tmp_path)
    arguments = ("--host", "0.0.0.0", "--tls-cert", cert, "--tls-key", key)
    trusting = ssl.create_default_context()
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    with serving(tmp_path / "data", *arguments) as line, httpx.Client(verify=trusting) as browser:
        found = re.fullmatch(r"Team Studio is ready: (https://127\.0\.0\.1:\d+)", line)
        assert found, line
        form = {"name": "Ada", "password": PASSWORD}
        answer = browser.post(f"{found[1]}/login", data=form, headers={"Origin": found[1]})
        assert answer.status_code == 303
        assert "Secure" in answer.headers["Set-Cookie"]
        assert browser.get(f"{found[1]}/api/account").json()["name"] == "Ada"


def test_only_a_proxy_that_was_named_is_believed(typed: Typed, tmp_path: Path):
    assert typed("users", "add", "Ada", "--role", "admin", stdin=PASSWORD + "\n").code == 0
    said = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"}
    form = {"name": "Ada", "password": PASSWORD}
    for proxy, is_believed in (("127.0.0.1", True), ("192.0.2.1", False)):
        with serving(tmp_path / "data", "--behind-proxy", proxy) as line:
            url = line.removeprefix("Team Studio is ready: ")
            answer = httpx.post(f"{url}/login", data=form, headers=said)
            assert answer.status_code == 303
            assert ("Secure" in answer.headers["Set-Cookie"]) is is_believed
    log = [json.loads(entry) for entry in typed("audit").out.splitlines()]
    assert [entry["address"] for entry in log if entry["action"] == "sign in"] == ["203.0.113.9", "127.0.0.1"]


def test_settings_name_lists_by_commas():
    given = {"STUDIO_BEHIND_PROXY": "10.0.0.1,10.0.0.2", "STUDIO_OIDC_DOMAINS": "example.com"}
    settings = Settings.from_env(given)
    assert settings.behind_proxy == ("10.0.0.1", "10.0.0.2")
    assert settings.oidc_domains == ("example.com",)
