"""A server that speaks OpenAI's chat completion API; how a test tells it what to say stands in `model_server.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.fakes.model_server import HEADERS as HEADERS
from tests.fakes.model_server import Call as Call
from tests.fakes.model_server import Exchange, ModelServer
from tests.fakes.model_server import Reply as Reply


class OpenAIExchange(Exchange):
    """How OpenAI words its answers."""

    malformed = b'data: {"id": "chatcmpl-1", "choices": [{"del\n\n'

    @staticmethod
    def error_body(status: int, message: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": str(status)}}

    @property
    def _finish_reason(self) -> str:
        return self.reply.finish_reason or ("tool_calls" if self.reply.calls else "stop")

    @property
    def _usage(self) -> dict[str, int]:
        prompt, completion = self.reply.usage
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}

    def _base(self, kind: str) -> dict[str, Any]:
        return {"id": f"chatcmpl-{self.number}", "object": kind, "created": 1_700_000_000, "model": self.model}

    def whole(self) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": self.reply.text or None, "refusal": None}
        if self.reply.calls:
            message["tool_calls"] = [
                {
                    "id": self.call_id(index),
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments_text},
                }
                for index, call in enumerate(self.reply.calls)
            ]
        if self.reply.thought:
            message["reasoning_content"] = self.reply.thought
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self._finish_reason}
        return {**self._base("chat.completion"), "choices": [choice], "usage": self._usage}

    def start(self) -> Iterator[bytes]:
        yield self._delta({"role": "assistant", "content": ""})
        if self.reply.thought:
            yield self._delta({"reasoning_content": self.reply.thought})

    def pieces(self) -> list[bytes]:
        pieces: list[dict[str, Any]] = [{"content": word} for word in self.words()]
        for index, call in enumerate(self.reply.calls):
            text = call.arguments_text
            half = len(text) // 2
            named = {"name": call.name, "arguments": ""}
            pieces.append(
                {"tool_calls": [{"index": index, "id": self.call_id(index), "type": "function", "function": named}]}
            )
            pieces += [
                {"tool_calls": [{"index": index, "function": {"arguments": t}}]} for t in (text[:half], text[half:])
            ]
        return [self._delta(piece) for piece in pieces]

    def end(self) -> Iterator[bytes]:
        yield self._delta({}, self._finish_reason)
        options: dict[str, Any] = self.request.body.get("stream_options") or {}
        if options.get("include_usage"):
            none: list[object] = []
            yield _event(json.dumps({**self._base("chat.completion.chunk"), "choices": none, "usage": self._usage}))
        yield _event("[DONE]")

    def _delta(self, delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return _event(json.dumps({**self._base("chat.completion.chunk"), "choices": [choice]}))


class OpenAIServer(ModelServer):
    """OpenAI's API, under a base URL that ends in /v1."""

    exchange = OpenAIExchange
    question_paths = ("/chat/completions",)
    base_path = "/v1"

    def other(self, path: str) -> tuple[int, dict[str, Any]]:
        if path.endswith("/models"):
            return 200, {"object": "list", "data": [{"id": "fake", "object": "model", "created": 0}]}
        return super().other(path)


def _event(data: str) -> bytes:
    return f"data: {data}\n\n".encode()
