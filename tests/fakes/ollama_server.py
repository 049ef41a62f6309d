"""A server that speaks Ollama's chat API, and OpenAI's below /v1 as Ollama does; see `model_server.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.fakes.model_server import Exchange, ModelServer
from tests.fakes.openai_server import OpenAIExchange


class _OllamaExchange(Exchange):
    content_type = "application/x-ndjson"
    malformed = b'{"model": "m", "message": {"ro\n'

    @staticmethod
    def error_body(status: int, message: str) -> dict[str, Any]:
        del status
        return {"error": message}

    def is_streamed(self) -> bool:
        return self.request.body.get("stream", True)

    def misshapen(self) -> bytes:
        return b'{"message": 5}\n'

    def _line(self, message: dict[str, Any], **more: Any) -> dict[str, Any]:
        base = {"model": self.model, "created_at": "2025-01-01T00:00:00Z", "done": False}
        return {**base, "message": {"role": "assistant", "content": "", **message}, **more}

    def _done(self) -> dict[str, Any]:
        prompt, completion = self.reply.usage
        reason = self.reply.finish_reason or "stop"
        return {"done": True, "done_reason": reason, "prompt_eval_count": prompt, "eval_count": completion}

    def _calls(self) -> list[dict[str, Any]]:
        return [
            {"function": {"name": call.name, "arguments": json.loads(call.arguments_text)}} for call in self.reply.calls
        ]

    def whole(self) -> dict[str, Any]:
        message: dict[str, Any] = {"content": self.reply.text}
        if self.reply.calls:
            message["tool_calls"] = self._calls()
        if self.reply.thought:
            message["thinking"] = self.reply.thought
        return self._line(message, **self._done())

    def start(self) -> Iterator[bytes]:
        if self.reply.thought:
            yield _encoded(self._line({"thinking": self.reply.thought}))

    def pieces(self) -> list[bytes]:
        words = [_encoded(self._line({"content": word})) for word in self.words()]
        return [*words, *(_encoded(self._line({"tool_calls": [call]})) for call in self._calls())]

    def end(self) -> Iterator[bytes]:
        yield _encoded(self._line({}, **self._done()))


class OllamaServer(ModelServer):
    """Ollama's API; `url` is the host."""

    exchange = _OllamaExchange
    question_paths = ("/api/chat", "/v1/chat/completions")

    def exchange_at(self, path: str) -> type[Exchange]:
        return OpenAIExchange if path.startswith("/v1/") else self.exchange

    def other(self, path: str) -> tuple[int, dict[str, Any]]:
        if path.endswith("/api/tags"):
            return 200, {"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 5_000_000_000}]}
        return super().other(path)


def _encoded(line: dict[str, Any]) -> bytes:
    return json.dumps(line).encode() + b"\n"
