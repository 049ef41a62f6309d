from __future__ import annotations

import pytest

from studio.errors import MissingSecret
from studio.models.headers import references_in, resolved_headers


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADER_KEY", "sk-{env:OTHER}")
    monkeypatch.setenv("STUDIO_SECRET_MY_KEY", "sk-2")


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("env:HEADER_KEY", "sk-{env:OTHER}"),
        ("Bearer {env:HEADER_KEY}", "Bearer sk-{env:OTHER}"),
        ("Bearer {secret:my-key}", "Bearer sk-2"),
        ("Bearer env:HEADER_KEY", "Bearer env:HEADER_KEY"),
        ("{HEADER_KEY}", "{HEADER_KEY}"),
    ],
)
def test_a_header_may_name_a_secret_as_a_whole_or_in_braces(written: str, sent: str) -> None:
    assert resolved_headers({"Authorization": written}) == {"Authorization": sent}


def test_every_secret_that_headers_name_is_known() -> None:
    headers = {"A": "Bearer {env:HEADER_KEY}", "B": "secret:my-key", "C": "{env:X}:{env:Y}", "D": "plain"}
    assert [each.reference for each in references_in(headers)] == ["env:HEADER_KEY", "secret:my-key", "env:X", "env:Y"]


def test_a_secret_without_a_value_is_told() -> None:
    with pytest.raises(MissingSecret, match="env:NOT_SET_ANYWHERE"):
        resolved_headers({"Authorization": "Bearer {env:NOT_SET_ANYWHERE}"})
