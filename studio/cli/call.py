"""`studio call`: one call of a deployment over HTTP, here or anywhere."""

from __future__ import annotations

import json
import sys
import time
from typing import Any, Literal
from urllib.parse import quote
from uuid import uuid4

import httpx
from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from studio.cli.terminal import Terminal, terminal
from studio.console import printable
from studio.deployments import Failure
from studio.errors import ConfigError, RunFailed, SetupError

WAIT_S = 30
RETRIES = 8
MAX_REPLY = 64 * 1024 * 1024
"""Bytes that are read of what another server sends."""
FINAL = frozenset({"finished", "stopped", "cancelled", "failed"})


class NotAStudio(SetupError):
    """What answers speaks something else."""

    def __init__(self) -> None:
        super().__init__("What answers at this address is not a studio.", fix="Check --at.")


class _Question(BaseModel):
    to: Literal["caller", "operator"]
    id: str
    prompt: str


class ToldCall(BaseModel):
    """What is used of a call as its studio tells it."""

    id: str
    state: str
    answer: str | None
    question: _Question | None
    error: Failure | None


_JSON = TypeAdapter[JsonValue](JsonValue)


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
    check_key(key)
    person = terminal(sys.stderr)
    base = f"{at.rstrip('/')}/d/{quote(name, safe='')}/calls"
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": str(uuid4())}
    with httpx.Client(headers=headers, timeout=WAIT_S + 30) as client:
        body = {"task": task, **({"thread": thread} if thread else {})}
        call, reply = _send(client, "POST", base, params={"wait_s": WAIT_S}, json=body)
        is_told = False
        while call.state not in FINAL:
            url = f"{base}/{quote(call.id, safe='')}"
            if call.question and call.question.to == "caller":
                if call.answer:
                    print(printable(call.answer), file=sys.stderr)
                text = answer_of(person, call.question.prompt, call.id)
                _send(client, "POST", f"{url}/answers", json={"question_id": call.question.id, "text": text})
            elif call.question and not is_told:
                print("The call waits for an operator of the studio.", file=sys.stderr)
                is_told = True
            call, reply = _send(client, "GET", url, params={"wait_s": WAIT_S})
    print_call(call, reply, as_json=as_json)


def check_key(key: str) -> None:
    """Raises: SetupError: There is none."""
    if not key:
        raise SetupError("There is no key.", fix="Give --key, or set `STUDIO_KEY`.")


def print_call(call: ToldCall, reply: JsonValue, *, as_json: bool) -> None:
    """Print a call that has ended, or its answer.

    Raises:
        RunFailed: It has none.
    """
    if as_json:
        print(json.dumps(reply, indent=2))
    elif call.answer is not None:
        print(printable(call.answer))
    if call.error:
        raise RunFailed(f"{call.error.message} Call {call.id}.")


def answer_of(person: Terminal, prompt: str, call_id: str) -> str:
    """What a person at the terminal answers.

    Raises:
        RunFailed: Nobody is there.
    """
    print(printable(prompt) or "The team asks for your input.", file=sys.stderr)
    text = person.read_line() if person.is_person() else None
    if text is None:
        which = f" Call {call_id} is waiting." if call_id else ""
        raise RunFailed(f"The team asks a question, but there is no terminal to answer it.{which}")
    return text


def _send(client: httpx.Client, method: str, url: str, **given: Any) -> tuple[ToldCall, JsonValue]:
    """The call, and all that was said of it.

    Raises:
        SetupError: The address cannot be reached, refuses, or is not that of a studio.
        ConfigError: It is no address.
    """
    for attempt in range(RETRIES):
        try:
            with client.stream(method, url, **given) as answer:
                body = _read(answer)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise ConfigError(f"{url!r} is not an address.", fix="Check --at.") from error
        except httpx.DecodingError as error:
            raise NotAStudio from error
        except httpx.TransportError as error:
            if attempt + 1 == RETRIES or (attempt == 0 and method == "POST" and isinstance(error, httpx.ConnectError)):
                raise SetupError(f"The studio cannot be reached: {error}.", fix="Check --at.") from error
            time.sleep(min(2**attempt, 10))  # it may be restarting; the call continues
            continue
        if not answer.is_success:
            raise refusal_of(answer.status_code, body)
        try:
            return ToldCall.model_validate_json(body), _JSON.validate_json(body)
        except ValidationError as error:
            raise NotAStudio from error
    raise AssertionError


def _read(answer: httpx.Response) -> bytes:
    """Raises: SetupError: It is too much."""
    body = bytearray()
    for part in answer.iter_bytes():
        body += part
        if len(body) > MAX_REPLY:
            raise SetupError(f"The answer has more than {MAX_REPLY // 2**20} MB.", fix="Check --at.")
    return bytes(body)


def refusal_of(status: int, body: bytes) -> SetupError:
    """What a studio says that does not take a request."""
    try:
        error = json.loads(body)["error"]
        return SetupError(printable(str(error["message"])), fix=printable(str(error["fix"])))
    except (ValueError, KeyError, TypeError, RecursionError):
        return SetupError(f"The address answered with status {status}.", fix="Check --at.")
