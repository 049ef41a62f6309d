"""`studio call`: one call of a deployment over HTTP, here or anywhere."""

from __future__ import annotations

import json
import sys
import time
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx

from studio.cli.terminal import Terminal, terminal
from studio.errors import ConfigError, RunFailed, SetupError

WAIT_S = 30
RETRIES = 8
FINAL = frozenset({"finished", "stopped", "cancelled", "failed"})


def call_deployment(at: str, key: str, name: str, task: str, *, thread: str, as_json: bool) -> None:
    """Call, wait for the answer and print it; questions of the team are asked on the terminal.

    Args:
        at: Address of the studio.
        key: Of the deployment.
        name: Of the deployment.
        task: What to do.
        thread: Continues a conversation; "" begins one.
        as_json: Print the call as JSON in place of its answer.

    Raises:
        SetupError: There is no key, the studio cannot be reached, or it refuses the call.
        RunFailed: The call ended without an answer, or asks something and nobody is at the terminal.
    """
    if not key:
        raise SetupError("There is no key.", fix="Give --key, or set `STUDIO_KEY`.")
    person = terminal(sys.stderr)
    base = f"{at.rstrip('/')}/d/{quote(name, safe='')}/calls"
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": str(uuid4())}
    with httpx.Client(headers=headers, timeout=WAIT_S + 30) as client:
        body = {"task": task, **({"thread": thread} if thread else {})}
        call = _send(client, "POST", base, params={"wait_s": WAIT_S}, json=body)
        is_told = False
        while call["state"] not in FINAL:
            question = call["question"]
            if question and question["to"] == "caller":
                call = _answer(client, f"{base}/{call['id']}", call, person)
            elif question and not is_told:
                print("The call waits for an operator of the studio.", file=sys.stderr)
                is_told = True
            call = _send(client, "GET", f"{base}/{call['id']}", params={"wait_s": WAIT_S})
    print(json.dumps(call, indent=2) if as_json else call["answer"])
    if call["error"]:
        raise RunFailed(f"{call['error']['message']} Call {call['id']}.")


def _answer(client: httpx.Client, url: str, call: Any, person: Terminal) -> Any:
    if call["answer"]:
        print(call["answer"], file=sys.stderr)
    print(call["question"]["prompt"] or "The team asks for your input.", file=sys.stderr)
    text = person.read_line() if person.is_person() else None
    if text is None:
        raise RunFailed(
            f"The team asks a question, but there is no terminal to answer it. Call {call['id']} is waiting."
        )
    return _send(client, "POST", f"{url}/answers", json={"question_id": call["question"]["id"], "text": text})


def _send(client: httpx.Client, method: str, url: str, **given: Any) -> Any:
    """Raises: SetupError, ConfigError."""
    for attempt in range(RETRIES):
        try:
            answer = client.request(method, url, **given)
        except httpx.InvalidURL as error:
            raise ConfigError(f"{url!r} is not an address.", fix="Check --at.") from error
        except httpx.TransportError as error:
            if attempt + 1 == RETRIES or (attempt == 0 and method == "POST" and isinstance(error, httpx.ConnectError)):
                raise SetupError(f"The studio cannot be reached: {error}.", fix="Check --at.") from error
            time.sleep(min(2**attempt, 10))  # it may be restarting; the call continues
            continue
        if answer.is_success:
            return answer.json()
        raise _refusal(answer)
    raise AssertionError


def _refusal(answer: httpx.Response) -> SetupError:
    try:
        error = answer.json()["error"]
        return SetupError(str(error["message"]), fix=str(error["fix"]))
    except (ValueError, KeyError, TypeError):
        return SetupError(f"The address answered with status {answer.status_code}.", fix="Check --at.")
