"""Programs are told of calls: signed, at least once under one ID, also when the studio is killed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.deployments.webhooks import RETRIES
from studio.services import webhook_deliveries
from studio.services.webhook_deliveries import Deliveries
from studio.settings import Settings
from studio.store import StorageUnavailable
from studio.store.webhooks import Webhooks
from tests.web.openai_clients import Server, writer
from tests.web.publishing import ASKS, Published, publish, running
from tests.web.receivers import Receiver, receiving
from tests.web.serving import studio

pytestmark = pytest.mark.timeout(90)


def soon(check: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "it does not hold"
        time.sleep(0.05)


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STUDIO_ALLOW_PRIVATE_URLS", "1")
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def unwatched(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> Published:
    """A deployment whose deliveries only a test sends: the one that looks by itself is asleep."""
    monkeypatch.setattr("studio.services.webhook_deliveries.LOOK_S", 3600)
    published = publish(client)
    time.sleep(1.1)
    return published


def added(published: Published, receiver: Receiver, **wanted: Any) -> str:
    """A webhook to the receiver; its secret."""
    answer = published.owner.post(
        f"/api/deployments/{published.name}/webhooks", json={"address": receiver.url, **wanted}
    )
    assert answer.status_code == 201, answer.text
    return answer.json()["secret"]


def deliveries(published: Published) -> list[Any]:
    return published.owner.get(f"/api/deployments/{published.name}/deliveries").json()


@pytest.mark.slow
def test_a_program_is_told_what_happened_and_reads_the_rest_itself(client: TestClient, receiver: Receiver):
    published = publish(client, ASKS, name="asks")
    secret = added(published, receiver)
    call = published.call(thread="customer-7")
    soon(lambda: len(receiver.got) == 1)
    published.caller.post(
        f"/d/asks/calls/{call['id']}/answers", json={"question_id": call["question"]["id"], "text": "Go on."}
    )
    soon(lambda: len(receiver.got) == 2)
    canceled = published.call(thread="customer-8")
    soon(lambda: len(receiver.got) == 3)  # deliveries that are due at the same time have no order
    published.caller.post(f"/d/asks/calls/{canceled['id']}/cancel")
    soon(lambda: len(receiver.got) == 4)
    events = receiver.events(secret)
    assert [each["type"] for each in events] == ["call.waiting", "call.finished", "call.waiting", "call.stopped"]
    assert events[1]["data"] == {"id": call["id"], "deployment": "asks", "thread": "customer-7", "protocol": "rest"}
    assert len({*receiver.ids}) == 4
    assert "draft" not in str(receiver.got)
    soon(lambda: all(each["is_delivered"] for each in deliveries(published)))
    [first, *_] = deliveries(published)
    assert (first["status"], first["attempts"], first["next_at"]) == (204, 1, None)


@pytest.mark.slow
def test_a_program_is_told_only_of_what_it_wants_and_the_answer_where_the_owner_says_so(
    client: TestClient, receiver: Receiver
):
    published = publish(client)
    secret = added(published, receiver, kinds=["call.finished"], shows_answer=True)
    off = published.owner.post("/api/deployments/support/webhooks", json={"address": receiver.url}).json()["id"]
    published.owner.patch(f"/api/deployments/support/webhooks/{off}", json={"is_on": False})
    client.post("/api/runs", json={"component": writer(), "task": "No call."})
    published.call()
    soon(lambda: receiver.got)
    [event] = receiver.events(secret)
    assert event["data"]["answer"] == "The answer."
    assert (event["data"]["question"], event["data"]["error"]) == (None, None)
    assert len(deliveries(published)) == 1


@pytest.mark.slow
def test_what_is_not_taken_is_tried_again_and_given_up_in_the_end(
    client: TestClient, server: TestClient, receiver: Receiver
):
    published = publish(client)
    receiver.statuses = [500]
    added(published, receiver, kinds=["call.finished"])
    published.call()
    soon(lambda: deliveries(published) and deliveries(published)[0]["attempts"] == 1)
    services = running(server)
    desk = Deliveries(services.store, services.calls)
    assert server.portal is not None
    now = datetime.now(UTC)
    for attempts, pause in enumerate(RETRIES, start=2):
        assert server.portal.call(desk.send_due, now + pause - timedelta(seconds=2)) == 0, "too early"
        now += pause
        assert server.portal.call(desk.send_due, now) == 1
        assert deliveries(published)[0]["attempts"] == attempts
    [failed] = deliveries(published)
    assert (failed["next_at"], failed["is_delivered"], failed["status"], failed["answer"]) == (None, False, 500, "ok!")
    receiver.statuses = [200]
    before = len(receiver.got)
    again = published.owner.post(f"/api/deployments/support/deliveries/{failed['id']}/send")
    assert again.is_success
    soon(lambda: deliveries(published)[0]["is_delivered"])
    assert len(receiver.got) == before + 1
    assert len({*receiver.ids}) == 1
    server.portal.call(services.store.webhooks.prune, datetime.now(UTC) + timedelta(days=8))
    assert deliveries(published) == []


@pytest.mark.slow
def test_several_processes_send_a_delivery_once_and_follow_no_redirect(
    unwatched: Published, server: TestClient, receiver: Receiver
):
    receiver.statuses, receiver.pause_s = [302], 0.3
    receiver.headers = {"Location": receiver.url.replace("hooks", "elsewhere")}
    added(unwatched, receiver, kinds=["call.finished"])
    unwatched.call()
    services = running(server)
    desks = [Deliveries(services.store, services.calls) for _ in range(4)]

    async def all_at_once() -> int:
        now = datetime.now(UTC)
        return sum(await asyncio.gather(*(desk.send_due(now) for desk in desks)))

    assert server.portal is not None
    assert server.portal.call(all_at_once) == 1
    assert len(receiver.got) == 1
    [delivery] = deliveries(unwatched)
    assert (delivery["status"], delivery["is_delivered"]) == (302, False)
    receiver.statuses = [410]
    now = datetime.now(UTC) + timedelta(seconds=6)
    assert server.portal.call(desks[0].send_due, now) == 1
    assert deliveries(unwatched)[0]["next_at"] is None, "it wants no more of it"


@pytest.mark.slow
def test_what_a_killed_sender_held_is_sent_within_half_a_minute(
    unwatched: Published, server: TestClient, receiver: Receiver
):
    added(unwatched, receiver, kinds=["call.finished"])
    unwatched.call()
    services, portal = running(server), server.portal
    assert portal is not None
    now = datetime.now(UTC)
    assert len(portal.call(services.store.webhooks.claim_due, now, 8)) == 1  # and then it is killed
    another = Deliveries(services.store, services.calls)
    assert portal.call(another.send_due, now + timedelta(seconds=webhook_deliveries.TRY_S)) == 0
    assert portal.call(another.send_due, now + timedelta(seconds=30)) == 1
    assert len(receiver.got) == 1


@pytest.mark.slow
def test_a_kill_between_the_end_of_a_call_and_its_delivery_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STUDIO_ALLOW_PRIVATE_URLS", "1")
    with receiving() as closed:
        port = closed.port  # nobody listens there until the studio is back
    with studio(tmp_path) as (process, owner), ExitStack() as clients:
        key = Server(owner, clients).published("plain", writer()).api_key
        body = {"address": closed.url, "kinds": ["call.finished"]}
        secret = owner.post("/api/deployments/plain/webhooks", json=body).json()["secret"]
        headers = {"Authorization": f"Bearer {key}"}
        calls = [
            owner.post("/d/plain/calls", params={"wait_s": 4}, json={"task": "Go."}, headers=headers).json()
            for _ in range(4)
        ]
        process.kill()
    with receiving(port) as receiver, studio(tmp_path) as (_, owner):
        soon(lambda: len({*receiver.ids}) == len(calls), 40)
        events = receiver.events(secret)
        assert sorted(each["data"]["id"] for each in events) == sorted(call["id"] for call in calls)
        assert all(call["state"] == "finished" for call in calls)
        soon(lambda: all(each["is_delivered"] for each in owner.get("/api/deployments/plain/deliveries").json()))


@pytest.mark.parametrize(
    "address",
    [
        "ftp://example.com/x",
        "http://u:p@example.com/",
        "example.com",
        "http://",
        "http://127.0.0.1:9/",
        "http://[::1]/",
        "http://169.254.169.254/",
        "https://example.com:0/",
        "\0",
    ],
)
def test_webhooks_lead_to_public_addresses_only(client: TestClient, address: str):
    published = publish(client)
    refused = published.owner.post("/api/deployments/support/webhooks", json={"address": address})
    assert (refused.status_code, refused.json()["error"]["where"]) == (422, "/address")


@pytest.mark.slow
def test_a_name_that_leads_inside_is_refused_when_it_is_sent(client: TestClient):
    """What a name leads to is known only then, and may change."""
    published = publish(client)
    with receiving() as inside:
        body = {"address": inside.url.replace("127.0.0.1", "localhost")}
        assert published.owner.post("/api/deployments/support/webhooks", json=body).status_code == 201
        published.call()
        soon(lambda: deliveries(published) and deliveries(published)[0]["attempts"])
        assert inside.got == []
    [delivery] = deliveries(published)
    assert delivery["status"] is None
    assert "private" in delivery["answer"] or "localhost" in delivery["answer"]


@pytest.mark.slow
def test_a_delivery_that_cannot_be_sent_ends_nothing_else(
    client: TestClient, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
):
    published = publish(client)
    broken = "https://broken.example/"
    sent = webhook_deliveries._sent  # pyright: ignore[reportPrivateUsage]

    async def breaks(address: str, *given: Any) -> Any:
        if address == broken:
            raise UnicodeError("A library's own error.")
        return await sent(address, *given)

    monkeypatch.setattr(webhook_deliveries, "_sent", breaks)
    body = {"address": broken}
    assert published.owner.post("/api/deployments/support/webhooks", json=body).status_code == 201
    added(published, receiver)
    published.call()
    soon(lambda: len(receiver.got) == 1 and all(each["attempts"] for each in deliveries(published)))
    assert sorted(each["answer"] for each in deliveries(published))[-1].startswith("It could not be sent.")


@pytest.mark.slow
def test_what_came_of_a_try_and_cannot_be_kept_is_found_out_by_another(
    client: TestClient, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
):
    published = publish(client)
    settle, lost = Webhooks.settle, list[str]()

    async def loses_the_first(self: Webhooks, delivery: Any, now: datetime, **given: Any) -> None:
        if not lost:
            lost.append(delivery.id)
            raise StorageUnavailable("The database does not answer.")
        await settle(self, delivery, now, **given)

    monkeypatch.setattr(Webhooks, "settle", loses_the_first)
    monkeypatch.setattr("studio.store.webhooks.CLAIM", timedelta(seconds=1))
    added(published, receiver, kinds=["call.finished"])
    published.call()
    soon(lambda: deliveries(published) and deliveries(published)[0]["is_delivered"])
    assert receiver.ids == lost * 2
    assert client.get("/readyz").is_success


def test_a_secret_is_told_once_and_kept_encrypted(client: TestClient, settings: Settings):
    published = publish(client)
    body = {"address": "https://example.com/hooks?token=cnry-address"}
    made = published.owner.post("/api/deployments/support/webhooks", json=body).json()
    told = published.owner.get("/api/deployments/support/webhooks").text
    page = published.owner.get("/deployments/support/webhooks").text
    files = b"".join(file.read_bytes() for file in settings.data_dir.rglob("*") if file.is_file())
    assert made["secret"].startswith("whsec_")
    assert made["secret"] not in told + page
    assert made["secret"].encode() not in files
    assert "example.com" in page
    assert "cnry-address" not in page
    url = f"/api/deployments/support/webhooks/{made['id']}"
    other = publish(published.owner, name="other")
    assert other.owner.patch(url.replace("support", "other"), json={"is_on": False}).status_code == 404
    assert published.owner.patch(url, json={"kinds": []}).status_code == 422
    assert published.owner.delete(url).status_code == 204
    assert published.owner.delete(url).status_code == 404
    assert published.owner.post("/api/deployments/support/deliveries/none/send").status_code == 404
