"""The bytes are those that AutoGen writes and reads."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from studio.actors import AgentId, TypePrefixSubscription, TypeSubscription
from studio.actors.grpc import wire

PAYLOAD = {"data_type": "T", "data_content_type": "application/json", "data": b"{}"}
WRITTEN_BY_AUTOGEN: dict[str, tuple[str, dict[str, Any], str]] = {
    "request": (
        "agents.Message",
        {
            "request": {
                "request_id": "1",
                "source": {"type": "a", "key": "k"},
                "target": {"type": "b", "key": "l"},
                "method": "m",
                "payload": PAYLOAD,
                "metadata": {"x": "y"},
            }
        },
        "0a390a013112060a016112016b1a060a016212016c22016d2a190a015412106170706c69636174696f6e2f6a736f6e1a027b7d32060a01"
        "78120179",
    ),
    "response": (
        "agents.Message",
        {"response": {"request_id": "1", "payload": PAYLOAD, "error": "e", "metadata": {"x": "y"}}},
        "12290a013112190a015412106170706c69636174696f6e2f6a736f6e1a027b7d1a016522060a0178120179",
    ),
    "event": (
        "agents.Message",
        {
            "cloudEvent": {
                "id": "1",
                "spec_version": "1.0",
                "type": "t",
                "source": "s",
                "attributes": {"datacontenttype": {"ce_string": "application/x-protobuf"}},
                "proto_data": {"type_url": "u", "value": b"v"},
            }
        },
        "1a430a01311201731a03312e302201742a2b0a0f64617461636f6e74656e747479706512181a166170706c69636174696f6e2f782d7072"
        "6f746f62756642060a0175120176",
    ),
    "subscriptions": (
        "agents.GetSubscriptionsResponse",
        {
            "subscriptions": [
                {"id": "1", "typeSubscription": {"topic_type": "t", "agent_type": "a"}},
                {"id": "2", "typePrefixSubscription": {"topic_type_prefix": "p", "agent_type": "a"}},
            ]
        },
        "0a0b0a013112060a01741201610a0b0a01321a060a0170120161",
    ),
}
"""Recorded with the messages of autogen-ext 0.7.5."""


@pytest.mark.parametrize("kind", WRITTEN_BY_AUTOGEN)
def test_messages_have_the_bytes_that_autogen_writes(kind: str):
    name, fields, written = WRITTEN_BY_AUTOGEN[kind]
    cls = wire.message_class(name)
    assert cls(**fields).SerializeToString(deterministic=True).hex() == written
    assert cls.FromString(bytes.fromhex(written)) == cls(**fields)


def test_subscriptions_come_back_as_they_were_sent():
    for made in (TypeSubscription("t", "a", "1"), TypePrefixSubscription("t:", "a", "2")):
        came = wire.subscription_from_message(wire.subscription_as_message(made))
        assert (came, came.id) == (made, made.id)
    with pytest.raises(ValueError, match="names no topics"):
        wire.subscription_from_message(wire.WireSubscription(id="1"))


def test_an_event_is_read_however_its_data_is_written():
    event = wire.event_message("1", ("t", "s"), None, "T", "application/json", b"{}").cloudEvent
    assert (wire.content_of_event(event), wire.sender_of_event(event)) == (("T", "application/json", b"{}"), None)
    event.text_data = "[]"
    assert wire.content_of_event(event)[2] == b"[]"
    sent = wire.event_message("1", ("t", "s"), AgentId("a", "k"), "T", "application/json", b"{}").cloudEvent
    assert wire.sender_of_event(sent) == AgentId("a", "k")


@pytest.mark.slow
def test_the_rest_of_the_package_needs_no_grpc_and_what_does_says_so():
    program = """
import sys
sys.modules["grpc"] = None
import studio.actors, studio.autogen.names
try:
    import studio.actors.grpc
except Exception as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout
    assert said == (
        "The runtime for several processes needs the package 'grpc', which is not installed. "
        'Run `pip install "team-studio[grpc]"`.\n'
    )
