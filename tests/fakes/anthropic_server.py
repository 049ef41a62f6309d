"""A server that speaks Anthropic's messages API, also as Amazon Bedrock wraps it; see `model_server.py`."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from typing import Any
from zlib import crc32

from tests.fakes.model_server import Exchange, ModelServer

_TYPES = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
SIGNATURE = "signed-by-the-fake"


class _AnthropicExchange(Exchange):
    malformed = b'event: content_block_delta\ndata: {"type": "content_bl\n\n'

    @staticmethod
    def error_body(status: int, message: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": _TYPES.get(status, "api_error"), "message": message}}

    def is_streamed(self) -> bool:
        return super().is_streamed() or self.request.path.endswith("-stream")

    @property
    def _stop_reason(self) -> str:
        return self.reply.finish_reason or ("tool_use" if self.reply.calls else "end_turn")

    def _message(self, **more: Any) -> dict[str, Any]:
        base = {"id": f"msg_{self.number}", "type": "message", "role": "assistant", "model": self.model}
        return {**base, "stop_sequence": None, **more}

    def whole(self) -> dict[str, Any]:
        content: list[dict[str, Any]] = []
        if self.reply.thought:
            content.append({"type": "thinking", "thinking": self.reply.thought, "signature": SIGNATURE})
        if self.reply.text:
            content.append({"type": "text", "text": self.reply.text})
        for index, call in enumerate(self.reply.calls):
            arguments = json.loads(call.arguments_text)
            content.append({"type": "tool_use", "id": self.call_id(index), "name": call.name, "input": arguments})
        usage = {"input_tokens": self.reply.usage[0], "output_tokens": self.reply.usage[1]}
        return self._message(content=content, stop_reason=self._stop_reason, usage=usage)

    def start(self) -> Iterator[bytes]:
        none: list[object] = []
        usage = {"input_tokens": self.reply.usage[0], "output_tokens": 1}
        yield self._event("message_start", message=self._message(content=none, stop_reason=None, usage=usage))
        yield self._event("ping")
        if self.reply.thought:
            yield self._begin({"type": "thinking", "thinking": "", "signature": ""})
            yield self._delta({"type": "thinking_delta", "thinking": self.reply.thought})
            yield self._delta({"type": "signature_delta", "signature": SIGNATURE})
            yield self._event("content_block_stop", index=0)

    def pieces(self) -> list[bytes]:
        pieces: list[bytes] = []
        stop = self._event("content_block_stop", index=0)
        for index, word in enumerate(self.words()):
            begin = self._begin({"type": "text", "text": ""}) if index == 0 else b""
            pieces.append(begin + self._delta({"type": "text_delta", "text": word}))
        if pieces:
            pieces[-1] += stop
        for index, call in enumerate(self.reply.calls):
            text = call.arguments_text
            half = len(text) // 2
            empty: dict[str, Any] = {}
            block = {"type": "tool_use", "id": self.call_id(index), "name": call.name, "input": empty}
            halves = [self._delta({"type": "input_json_delta", "partial_json": t}) for t in (text[:half], text[half:])]
            pieces += [self._begin(block), halves[0], halves[1] + stop]
        return pieces

    def end(self) -> Iterator[bytes]:
        delta = {"stop_reason": self._stop_reason, "stop_sequence": None}
        yield self._event("message_delta", delta=delta, usage={"output_tokens": self.reply.usage[1]})
        yield self._event("message_stop")

    def misshapen(self) -> bytes:
        return self._event("content_block_delta", index=0, delta=5)

    def _begin(self, block: dict[str, Any]) -> bytes:
        return self._event("content_block_start", index=0, content_block=block)

    def _delta(self, delta: dict[str, Any]) -> bytes:
        return self._event("content_block_delta", index=0, delta=delta)

    def _event(self, kind: str, **fields: Any) -> bytes:
        data = json.dumps({"type": kind, **fields})
        if self.request.path.endswith("-stream"):
            return _aws_frame(data.encode())
        return f"event: {kind}\ndata: {data}\n\n".encode()


class AnthropicServer(ModelServer):
    """Anthropic's API at the root of the server; Bedrock's two paths beside it."""

    exchange = _AnthropicExchange
    question_paths = ("/v1/messages", "/invoke", "/invoke-with-response-stream")


def _aws_frame(event: bytes) -> bytes:
    """One event in AWS's binary framing.

    Source: Amazon event stream encoding, `application/vnd.amazon.eventstream`.
    """
    payload = json.dumps({"bytes": base64.b64encode(event).decode()}).encode()
    named = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", 7, len(value)) + value.encode()
        for name, value in named.items()
    )
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    frame = prelude + struct.pack("!I", crc32(prelude)) + headers + payload
    return frame + struct.pack("!I", crc32(frame))
