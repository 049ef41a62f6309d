"""`studio doctor` finds what is not in order, says what to do, and changes nothing."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from studio.components import Capability
from studio.store import Store, open_store
from tests.cli.conftest import Studio
from tests.processes import Outcome

Examine = Callable[..., Outcome]
VALUE = "hunter2-hunter2"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def doctor(studio: Studio, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Examine:
    """Runs the command with settings, given as `host="0.0.0.0"` for `STUDIO_HOST`."""

    def run(*arguments: object, **settings: object) -> Outcome:
        for name, value in settings.items():
            monkeypatch.setenv(f"STUDIO_{name.upper()}", str(value))
        return studio("doctor", "--data-dir", folder, *arguments)

    return run


def with_store(folder: Path, act: Callable[[Store], Awaitable[object]]) -> None:
    async def run() -> None:
        async with open_store(folder) as store:
            await act(store)

    asyncio.run(run())


def lines(out: str, level: str) -> list[str]:
    return [line.strip().removeprefix(level).strip() for line in out.splitlines() if line.strip().startswith(level)]


def test_nothing_is_made(doctor: Examine, folder: Path):
    code, out, _ = doctor()
    assert code == 0
    assert "will be created at the first start" in out
    assert not folder.exists()


def test_a_studio_of_ones_own_is_in_order(doctor: Examine, folder: Path):
    with_store(folder, lambda store: store.secrets.set("openai", VALUE))
    code, out, _ = doctor()
    assert code == 0
    assert not lines(out, "BAD")
    assert "Only this machine can reach the studio" in out
    assert "1 secret is stored, encrypted" in out


def test_json_has_each_finding_with_what_to_do(doctor: Examine, folder: Path):
    folder.mkdir(mode=0o755)
    code, out, _ = doctor("--json")
    found = json.loads(out)
    assert code == 1
    assert found["ok"] is False
    assert all(set(each) == {"area", "level", "text", "fix"} for each in found["findings"])
    assert {each["level"] for each in found["findings"]} <= {"ok", "warn", "BAD"}
    assert [each["fix"] for each in found["findings"] if each["level"] == "BAD"] == [f"Run `chmod 700 {folder}`."]


def test_what_others_can_read_is_told_with_the_command_that_mends_it(doctor: Examine, folder: Path):
    with_store(folder, lambda store: store.secrets.set("openai", VALUE))
    (folder / "token").write_text("t" * 40)
    folder.chmod(0o750)
    for name in ("token", "studio.db"):
        (folder / name).chmod(0o644)
    code, out, _ = doctor()
    assert code == 1
    for fix in (f"chmod 700 {folder}", f"chmod 600 {folder / 'token'}", f"chmod 600 {folder / 'studio.db'}"):
        assert fix in out
    folder.chmod(0o700)
    (folder / "token").chmod(0o600)
    code, out, _ = doctor()
    assert code == 0, "nobody gets to the database through a closed folder"


def test_a_key_that_others_can_read_is_bad_and_its_secrets_are_closed(doctor: Examine, folder: Path):
    with_store(folder, lambda store: store.secrets.set("openai", VALUE))
    (folder / "secret.key").chmod(0o640)
    code, out, _ = doctor()
    assert code == 1
    assert f"chmod 600 {folder / 'secret.key'}" in out


def test_a_secret_of_another_key_is_bad(doctor: Examine, folder: Path):
    with_store(folder, lambda store: store.secrets.set("openai", VALUE))
    (folder / "secret.key").write_bytes(Fernet.generate_key())
    code, out, _ = doctor()
    assert code == 1
    assert "The secret 'openai' was encrypted with a different key" in out
    assert VALUE not in out


def test_a_short_secret_is_told_by_name_only(doctor: Examine, folder: Path):
    with_store(folder, lambda store: store.secrets.set("pin", "qzx7"))
    code, out, _ = doctor()
    assert code == 0
    assert any(line.endswith("run output: pin") for line in lines(out, "warn"))
    assert "qzx7" not in out


def test_a_studio_that_others_reach_needs_tls_and_accounts(doctor: Examine, folder: Path, tmp_path: Path):
    code, out, _ = doctor(host="0.0.0.0")
    assert code == 1
    assert [line.split(":")[0] for line in lines(out, "BAD")] == [
        "Other machines can reach the studio at 0.0.0.0",
        "There are no users",
    ]
    assert "STUDIO_ALLOWED_HOSTS" in out
    with_store(folder, lambda store: store.users.add("ada", "admin", password="a long enough one"))
    cert, key = certificate(tmp_path, timedelta(days=90))
    code, out, _ = doctor(tls_cert=cert, tls_key=key, allowed_hosts="studio.example.org")
    assert (code, lines(out, "BAD")) == (0, [])
    assert "1 account" in out


def test_it_is_told_what_serve_is_told(doctor: Examine, folder: Path, tmp_path: Path):
    others = ("--host", "0.0.0.0", "--port", "443")
    in_container = doctor(*others, "--without-tls", "--without-accounts")
    assert in_container.code == 0, "as the image starts it, behind a port that is published on 127.0.0.1"
    allowed = [line.rpartition("(")[2] for line in lines(in_container.out, "warn") if "allowed by" in line]
    assert allowed == ["allowed by --without-tls)", "allowed by --without-accounts)"]
    with_store(folder, lambda store: store.users.add("ada", "admin", password="a long enough one"))
    cert, key = certificate(tmp_path, timedelta(days=90))
    _, out, _ = with_tls = doctor(*others, "--tls-cert", cert, "--tls-key", key)
    assert (with_tls.code, lines(out, "BAD")) == (0, [])
    assert "at 0.0.0.0:443, over TLS" in out
    found = json.loads(doctor("--json", "--behind-proxy", "10.0.0.7", "--behind-proxy", "10.0.0.8").out)
    assert found["ok"]
    assert any("A proxy at 10.0.0.7, 10.0.0.8" in each["text"] for each in found["findings"])


def test_what_was_chosen_in_the_environment_counts_as_said(doctor: Examine):
    assert doctor(host="0.0.0.0", without_tls="1", without_accounts="1").code == 0
    assert doctor("--host", "127.0.0.1").out.count("allowed by") == 0


@pytest.mark.parametrize(
    ("days", "code", "said"), [(-1, 1, "expired on"), (3, 0, "expires on"), (90, 0, "is valid until")]
)
def test_the_end_of_a_certificate_is_told(doctor: Examine, tmp_path: Path, days: int, code: int, said: str):
    cert, key = certificate(tmp_path, timedelta(days=days))
    found = doctor(tls_cert=cert, tls_key=key)
    assert said in found.out
    assert found.code == code


def test_a_token_that_can_be_guessed_is_bad_and_not_repeated(doctor: Examine):
    code, out, _ = doctor(token="swordfish")
    assert code == 1
    assert "9 characters" in out
    assert "swordfish" not in out


def test_settings_that_open_doors_are_told(doctor: Examine):
    code, out, _ = doctor(allow_private_urls="1", trace_content="1", sandbox="process")
    assert code == 0
    said = "\n".join(lines(out, "warn"))
    for part in ("private network", "trace collector", "all rights of the studio's user"):
        assert part in said
    assert doctor(host="0.0.0.0").out.count("BAD") == 3, "without a sandbox nobody else should reach it"


def test_broad_approvals_and_programs_that_are_gone_are_told(doctor: Examine, folder: Path):
    program = json.dumps({"command": ["no-such-program-7"], "folder": None, "environment": []}, sort_keys=True)
    code = Capability("python", "Runs code.", "print()", is_open=True)
    started = Capability("process", "Starts a program.", program)

    async def approve(store: Store) -> None:
        await store.approvals.approve([code, started], by="ada", hosts={code.hash: ["*"]})

    with_store(folder, approve)
    said = "\n".join(lines(doctor().out, "warn"))
    assert "1 approval lets code reach any host" in said
    assert "'no-such-program-7' is not installed on this machine" in said


def test_a_database_of_another_version_is_left_as_it_is(doctor: Examine, folder: Path):
    with_store(folder, lambda store: store.users.count())
    with closing(sqlite3.connect(folder / "studio.db")) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.commit()
    assert any("the form 9999" in line for line in lines(doctor().out, "warn"))


def certificate(folder: Path, left: timedelta) -> tuple[Path, Path]:
    """A certificate that ends after this time, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=100))
        .not_valid_after(now + left)
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = folder / "cert.pem", folder / "key.pem"
    cert_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    pem = serialization.PrivateFormat.PKCS8
    key_file.write_bytes(key.private_bytes(serialization.Encoding.PEM, pem, serialization.NoEncryption()))
    key_file.chmod(0o600)
    return cert_file, key_file
