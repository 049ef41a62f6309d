"""A server of models on this machine that answers by a script, as OpenAI's Chat Completions do."""

import json
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from autogen_ext.models.openai import OpenAIChatCompletionClient

INFO: Any = {
    "vision": False,
    "function_calling": True,
    "json_output": True,
    "family": "unknown",
    "structured_output": True,
}
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


class Service:
    """What was asked, and what is answered next."""

    def __init__(self, answers: Sequence[Any]) -> None:
        self.answers, self.asked = [*answers], list[dict[str, Any]]()
        self.server: Any = None

    def client(self, **options: Any) -> OpenAIChatCompletionClient:
        """A client of this server."""
        address = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        return OpenAIChatCompletionClient(
            model="local-model", base_url=address, api_key="none", model_info=INFO, **options
        )


def _message(answer: Any) -> dict[str, Any]:
    if isinstance(answer, str):
        return {"role": "assistant", "content": answer}
    calls = [
        {"id": f"call-{place}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for place, (name, arguments) in enumerate(answer)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _chunks(text: str) -> Generator[dict[str, Any]]:
    words = text.split(" ")
    for place, word in enumerate(words):
        given = word if place == len(words) - 1 else f"{word} "
        yield {"choices": [{"index": 0, "delta": {"role": "assistant", "content": given}, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {"choices": [], "usage": USAGE}


@contextmanager
def answering(answers: Sequence[Any]) -> Generator[Service]:
    """A server with these answers: texts, or lists of a tool's name and its arguments."""
    service = Service(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            service.asked.append(asked)
            answer = service.answers.pop(0)
            head = {"id": "1", "created": 1, "model": "local-model"}
            if asked.get("stream"):
                pieces = [{**head, "object": "chat.completion.chunk", **each} for each in _chunks(answer)]
                body = "".join(f"data: {json.dumps(each)}\n\n" for each in pieces) + "data: [DONE]\n\n"
                kind = "text/event-stream"
            else:
                reason = "stop" if isinstance(answer, str) else "tool_calls"
                choice = {"index": 0, "message": _message(answer), "finish_reason": reason}
                body = json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": USAGE})
                kind = "application/json"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

    service.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=service.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.server.shutdown()
        service.server.server_close()
        thread.join()
