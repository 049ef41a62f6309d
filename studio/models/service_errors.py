"""What went wrong at a model service, in the studio's words: what happened, and what to do.

Each SDK has its own exceptions; here are the sentences that they all end in, and the translation for the SDKs of
OpenAI and Anthropic, which one generator wrote.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from importlib import import_module
from typing import Protocol, TypeVar, cast

from studio.egress import HostRefused
from studio.errors import ModelRefused, ModelUnavailable, RunFailed

_FIXES = {
    400: "Check the model's name and the fields of the model client against what the service takes.",
    401: "Check the API key. It may be missing, expired, or for another provider.",
    403: "The key has no access to this model or region. Choose another, or ask the owner of the account.",
    404: "Check the model's name and the base URL; most services list their models under `/models`.",
    413: "The conversation is too long for the model. Use a model context that trims it.",
    422: "Check the fields of the model client against what the service takes.",
    429: "Wait, raise `max_retries`, or check the quota of the account.",
}
RETRY = "Try again. If it keeps failing, check the provider's status page."
RETRYABLE = frozenset((408, 409, 429))
_CUT = ("RemoteProtocolError", "ReadError", "WriteError", "ClientPayloadError", "ServerDisconnectedError")
"""Names of what HTTP libraries raise when the other side hangs up."""


Piece = TypeVar("Piece")


class SdkErrors(Protocol):
    """The exceptions of an SDK that was generated with Stainless, as its module holds them."""

    @property
    def Timeout(self) -> type[object]: ...
    @property
    def APIError(self) -> type[Exception]: ...
    @property
    def APITimeoutError(self) -> type[Exception]: ...
    @property
    def APIStatusError(self) -> type[Exception]: ...
    @property
    def APIConnectionError(self) -> type[Exception]: ...
    @property
    def APIResponseValidationError(self) -> type[Exception]: ...


class HttpErrors(Protocol):
    """The exceptions of the HTTP library below an SDK: httpx, or a later one of the same make."""

    @property
    def TimeoutException(self) -> type[Exception]: ...
    @property
    def TransportError(self) -> type[Exception]: ...


class _HasStatus(Protocol):
    status_code: int


@contextmanager
def translated(sdk: SdkErrors, address: str, model: str) -> Generator[None]:
    """Turn errors of the SDK inside the block into `ModelUnavailable` or `ModelRefused`.

    Args:
        sdk: The SDK's module.
        address: The service's base URL, for the message.
        model: The model's name, for the message.
    """
    http = cast("HttpErrors", import_module(sdk.Timeout.__init__.__module__.partition(".")[0]))
    try:
        with translated_http(http, address):
            yield
    except sdk.APITimeoutError as error:
        raise timed_out(address) from error
    except sdk.APIStatusError as error:
        # An error inside a stream comes with the status of the stream, which was fine.
        status = cast("_HasStatus", error).status_code
        message = _message_of(error)
        raise (refused(status, message, address, model) if status >= 300 else reported(message)) from error
    except sdk.APIConnectionError as error:
        if isinstance(error.__cause__, HostRefused):
            raise error.__cause__ from None
        raise disconnected(error.__cause__, address) from error
    except (json.JSONDecodeError, sdk.APIResponseValidationError) as error:
        raise no_completion(address) from error
    except sdk.APIError as error:  # sent as an event inside a stream
        raise reported(_message_of(error)) from error


def texts_in(add: Callable[[Piece], Iterable[str]], piece: Piece, address: str) -> list[str]:
    """The texts that a piece of a streamed answer adds.

    Raises:
        ModelUnavailable: It has not the shape that the service's API has.
    """
    try:
        return [*add(piece)]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise no_completion(address) from error


@contextmanager
def translated_http(http: HttpErrors, address: str) -> Generator[None]:
    """Turn errors of the connection, which come bare out of the middle of a stream, into `ModelUnavailable`."""
    try:
        yield
    except http.TimeoutException as error:
        raise timed_out(address) from error
    except http.TransportError as error:
        raise disconnected(error, address) from error


def timed_out(address: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"The model service at {address} did not answer in time.",
        fix="Raise the client's `timeout`, or check the service.",
    )


def no_completion(address: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"The service at {address} did not return a chat completion.",
        fix="Check that the address and path are those of a service with this client's API.",
    )


def reported(message: str) -> ModelUnavailable:
    return ModelUnavailable(f"The model service reported: {message}", fix=RETRY)


def no_answer() -> ModelUnavailable:
    return ModelUnavailable("The model service returned an empty answer.", fix="Try again.")


def cut_short() -> ModelUnavailable:
    return ModelUnavailable("The model's answer ended before it was complete.", fix="Try again.")


def disconnected(cause: BaseException | None, address: str) -> ModelUnavailable:
    """A connection that was cut, or never came about."""
    if type(cause).__name__ in _CUT:
        return ModelUnavailable(
            f"The service at {address} closed the connection in the middle of its answer.", fix=RETRY
        )
    reason = str(cause or "").strip()
    return ModelUnavailable(
        f"The model service at {address} cannot be reached{f': {reason}' if reason else ''}.",
        fix="Check the base URL and that the service is running.",
    )


def refused(status: int, message: str, address: str, model: str) -> RunFailed:
    """An answer with an error status."""
    if status >= 500:
        return ModelUnavailable(f"The service at {address} failed with status {status}: {message}", fix=RETRY)
    kind = ModelUnavailable if status in RETRYABLE else ModelRefused
    text = f"The service at {address} refused the model {model!r} with status {status}: {message}"
    return kind(text, fix=_FIXES.get(status, RETRY))


def _message_of(error: Exception) -> str:
    """The service's own sentence out of the error body."""
    body = getattr(error, "body", None)
    while isinstance(body, dict):
        fields = cast("dict[str, object]", body)
        message = fields.get("message")
        if isinstance(message, str) and message:
            return sentence(message)
        body = fields.get("error")
    return str(error)[:500]


def sentence(text: str) -> str:
    """The text with a full stop, if it ends without any."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
