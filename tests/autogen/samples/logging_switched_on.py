"""The loggers of AgentChat and of its core: what tools and models of a service were asked, and the tokens in all."""

import asyncio
import json
import logging
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from autogen_agentchat import EVENT_LOGGER_NAME, TRACE_LOGGER_NAME
from autogen_agentchat.agents import AssistantAgent
from autogen_core import EVENT_LOGGER_NAME as CORE_EVENTS
from autogen_core import ROOT_LOGGER_NAME
from autogen_core import TRACE_LOGGER_NAME as CORE_TRACE
from autogen_core.logging import LLMCallEvent, LLMStreamEndEvent, LLMStreamStartEvent, ToolCallEvent
from autogen_core.models import UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from scripting import ABLE, calls, model, show

print(EVENT_LOGGER_NAME, TRACE_LOGGER_NAME, CORE_EVENTS, CORE_TRACE, ROOT_LOGGER_NAME)
logging.basicConfig(level=logging.WARNING)
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
HEAD = {"id": "chat-1", "created": 0, "model": "small"}


class Service(BaseHTTPRequestHandler):
    """Answers every question of a model client alike."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        if asked.get("stream"):
            self.send_header("Content-Type", "text/event-stream")
            delta = {"index": 0, "delta": {"role": "assistant", "content": "Come in."}, "finish_reason": "stop"}
            chunk = {**HEAD, "object": "chat.completion.chunk", "choices": [delta]}
            last = {**HEAD, "object": "chat.completion.chunk", "choices": [], "usage": USAGE}
            body = "".join(f"data: {text}\n\n" for text in (json.dumps(chunk), json.dumps(last), "[DONE]"))
        else:
            self.send_header("Content-Type", "application/json")
            message = {"role": "assistant", "content": "Come in."}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            body = json.dumps({**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE})
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format, *args):
        """Say nothing."""


class Seen(logging.Handler):
    """Notes what is written of models and tools, and adds up the tokens."""

    def __init__(self):
        super().__init__()
        self.kinds, self.tokens = [], 0

    def emit(self, record):
        event = record.msg
        if isinstance(event, ToolCallEvent):
            known = json.loads(str(event))
            print(known["type"], known["tool_name"], known["arguments"], known["result"])
        if isinstance(event, LLMCallEvent | LLMStreamEndEvent):
            self.tokens += event.prompt_tokens + event.completion_tokens
        if isinstance(event, ToolCallEvent | LLMCallEvent | LLMStreamStartEvent | LLMStreamEndEvent):
            self.kinds.append(json.loads(str(event))["type"])


def knock(times: int) -> str:
    """Knock on the door."""
    return "Who is there?" * times


async def main(address):
    guest = AssistantAgent("guest", model_client=model(calls(("knock", {"times": 1}))), tools=[knock])
    show(await guest.run(task="Knock."))
    client = OpenAIChatCompletionClient(model="small", base_url=address, api_key="none", model_info=ABLE)
    question = [UserMessage(content="May I?", source="user")]
    print((await client.create(question)).content)
    options = {"include_usage": True}
    async for piece in client.create_stream(question, extra_create_args={"stream_options": options}):
        print(piece if isinstance(piece, str) else piece.usage)
    await client.close()


seen = Seen()
logger = logging.getLogger(CORE_EVENTS)
logger.addHandler(seen)
logger.setLevel(logging.INFO)
server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
Thread(target=server.serve_forever, daemon=True).start()
asyncio.run(main(f"http://127.0.0.1:{server.server_port}/v1"))
server.shutdown()
server.server_close()
logger.removeHandler(seen)
logger.setLevel(logging.NOTSET)
print(seen.kinds, seen.tokens)
assert seen.kinds == ["ToolCall", "LLMCall", "LLMStreamStart", "LLMStreamEnd"] and seen.tokens == 20
