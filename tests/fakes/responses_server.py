"""A server that speaks OpenAI's Responses API; how a test tells it what to say stands in `model_server.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.fakes.model_server import Exchange, ModelServer


class _ResponsesExchange(Exchange):
    malformed = b'data: {"type": "response.output_te\n\n'

    @staticmethod
    def error_body(status: int, message: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": str(status)}}

    def whole(self) -> dict[str, Any]:
        text = {"type": "output_text", "text": self.reply.text, "annotations": list[object]()}
        message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
        calls = [
            {
                "type": "function_call",
                "id": f"fc_{index}",
                "call_id": self.call_id(index),
                "name": call.name,
                "arguments": call.arguments_text,
                "status": "completed",
            }
            for index, call in enumerate(self.reply.calls)
        ]
        prompt, completion = self.reply.usage
        return {
            **self._base("completed"),
            "output": [*([message] if self.reply.text else []), *calls],
            "usage": {
                "input_tokens": prompt,
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens": completion,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": prompt + completion,
            },
        }

    def _base(self, status: str) -> dict[str, Any]:
        return {
            "id": f"resp_{self.number}",
            "object": "response",
            "created_at": 1_700_000_000,
            "status": status,
            "model": self.model,
            "output": [],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }

    def start(self) -> Iterator[bytes]:
        yield self._event("response.created", response=self._base("in_progress"))

    def pieces(self) -> list[bytes]:
        return [
            self._event(
                "response.output_text.delta", item_id="msg_1", output_index=0, content_index=0, delta=word, logprobs=[]
            )
            for word in self.words()
        ]

    def end(self) -> Iterator[bytes]:
        yield self._event("response.completed", response=self.whole())

    def _event(self, kind: str, **fields: object) -> bytes:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, 'sequence_number': 0, **fields})}\n\n".encode()


class ResponsesServer(ModelServer):
    """OpenAI's Responses API, under a base URL that ends in /v1."""

    exchange = _ResponsesExchange
    question_paths = ("/responses",)
    base_path = "/v1"
