"""The openai package's errors as the studio's: what happened, and what to do."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import cast

from studio.errors import ModelRefused, ModelUnavailable, RunFailed

_FIXES = {
    400: "Check the model's name and the fields of the model client against what the service takes.",
    401: "Check the API key: the secret that the model client names may be missing, old or of another service.",
    403: "The key may not use this model or region; choose another, or ask the owner of the account.",
    404: "Check the model's name and the base URL; most services list their models under `/models`.",
    413: "The conversation is too long for the service; use a model context that trims it.",
    422: "Check the fields of the model client against what the service takes.",
    429: "Wait, raise `max_retries`, or check the quota of the account.",
}
_RETRY = "Try again; if it goes on, see the service's status page or log."
_RETRYABLE = frozenset((408, 409, 429))


@contextmanager
def translated(address: str, model: str) -> Generator[None]:
    """Turn errors of the SDK inside the block into `ModelUnavailable` or `ModelRefused`.

    Args:
        address: The service's base URL, for the message.
        model: The model's name, for the message.
    """
    import openai

    try:
        yield
    except openai.APITimeoutError as error:
        raise ModelUnavailable(
            f"The model service at {address} did not answer in time.",
            fix="Raise the client's `timeout`, or check the service.",
        ) from error
    except openai.APIStatusError as error:
        raise _from_status(error.status_code, _message_of(error), address, model) from error
    except openai.APIConnectionError as error:
        raise _from_connection(error, address) from error
    except (json.JSONDecodeError, openai.APIResponseValidationError) as error:
        raise ModelUnavailable(
            f"The service at {address} answered with something that is no chat completion.",
            fix="Check that the base URL is that of an OpenAI-compatible service; it usually ends in `/v1`.",
        ) from error
    except openai.APIError as error:  # sent as an event inside a stream
        raise ModelUnavailable(f"The model service reported: {error.message}", fix=_RETRY) from error


def _from_connection(error: Exception, address: str) -> ModelUnavailable:
    cause = error.__cause__
    if type(cause).__name__ in ("RemoteProtocolError", "ReadError", "WriteError"):
        return ModelUnavailable(f"The service at {address} cut the connection in the middle of its answer.", fix=_RETRY)
    reason = str(cause or "").strip()
    return ModelUnavailable(
        f"The model service at {address} cannot be reached{f': {reason}' if reason else ''}.",
        fix="Check the base URL and that the service is running.",
    )


def _from_status(status: int, message: str, address: str, model: str) -> RunFailed:
    text = f"The service at {address} refused the model {model!r} with status {status}: {message}"
    if status >= 500:
        return ModelUnavailable(f"The service at {address} failed with status {status}: {message}", fix=_RETRY)
    kind = ModelUnavailable if status in _RETRYABLE else ModelRefused
    return kind(text, fix=_FIXES.get(status, _RETRY))


def _message_of(error: Exception) -> str:
    """The service's own sentence out of OpenAI's error body."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        message = cast("dict[str, object]", body).get("message")
        if isinstance(message, str) and message:
            return message if message.endswith((".", "!", "?")) else f"{message}."
    return str(error)[:500]
