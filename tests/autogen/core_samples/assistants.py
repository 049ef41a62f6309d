"""An agent whose memory and model are a service of threads and runs, as OpenAI's Assistants; this one is its own."""

import asyncio
import json
import warnings
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from autogen_core import AgentId, MessageContext, RoutedAgent, SingleThreadedAgentRuntime, message_handler
from openai import AsyncAssistantEventHandler, AsyncOpenAI


@dataclass
class Said:
    text: str


@dataclass
class Forget:
    """Empties the thread."""


@dataclass
class Handed:
    path: str


class Service(BaseHTTPRequestHandler):
    """Threads with messages; a run answers with how many messages and files it has seen."""

    messages: list[dict[str, Any]] = []
    files: list[str] = []

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._answer({"object": "list", "data": self.messages[::-1], "has_more": False})

    def do_DELETE(self) -> None:
        name = self.path.rpartition("/")[2]
        self.messages[:] = [each for each in self.messages if each["id"] != name]
        self._answer({"id": name, "object": "thread.message.deleted", "deleted": True})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/files"):
            self.files.append(f"file-{len(self.files) + 1}")
            file = {
                "id": self.files[-1],
                "object": "file",
                "bytes": len(body),
                "filename": "facts.txt",
                "status": "processed",
            }
            self._answer({**file, "created_at": 0, "purpose": "assistants"})
        elif self.path.endswith("/messages"):
            self._answer(self._add("user", json.loads(body)["content"]))
        else:
            self._run()

    def _add(self, role: str, text: str) -> dict[str, Any]:
        content = [{"type": "text", "text": {"value": text, "annotations": []}}]
        made = {"id": f"msg-{len(self.messages) + 1}", "object": "thread.message", "role": role, "content": content}
        made |= {"thread_id": "thread-1", "created_at": 0, "status": "completed", "attachments": [], "metadata": {}}
        self.messages.append(made)
        return made

    def _run(self) -> None:
        text = f"{len(self.messages)} in the thread, {len(self.files)} on the desk."
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        made = self._add("assistant", text)
        begun = {**made, "status": "in_progress", "content": []}
        self._event("thread.message.created", begun)
        for word in text.split(" "):
            delta = {"content": [{"index": 0, "type": "text", "text": {"value": f"{word} "}}]}
            self._event("thread.message.delta", {"id": made["id"], "object": "thread.message.delta", "delta": delta})
        self._event("thread.message.completed", made)
        self.wfile.write(b"event: done\ndata: [DONE]\n\n")

    def _event(self, name: str, data: dict[str, Any]) -> None:
        self.wfile.write(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())

    def _answer(self, data: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())


class Aloud(AsyncAssistantEventHandler):
    """Prints each word as it comes."""

    async def on_text_delta(self, delta: Any, snapshot: Any) -> None:
        print(delta.value, end="")

    async def on_message_done(self, message: Any) -> None:
        print()


class Assistant(RoutedAgent):
    def __init__(self, client: AsyncOpenAI) -> None:
        super().__init__("Answers from a thread of the service.")
        self._client = client

    @message_handler
    async def on_said(self, message: Said, ctx: MessageContext) -> Said:
        threads = self._client.beta.threads
        adding = threads.messages.create("thread-1", content=message.text, role="user")
        await ctx.cancellation_token.link_future(asyncio.ensure_future(adding))
        async with threads.runs.stream(thread_id="thread-1", assistant_id="a", event_handler=Aloud()) as stream:
            await ctx.cancellation_token.link_future(asyncio.ensure_future(stream.until_done()))
        last = (await threads.messages.list("thread-1", order="desc", limit=1)).data[0].content[0]
        assert last.type == "text"
        return Said(last.text.value)

    @message_handler
    async def on_forget(self, message: Forget, ctx: MessageContext) -> None:
        threads = self._client.beta.threads
        async for each in threads.messages.list("thread-1"):
            assert (await threads.messages.delete(each.id, thread_id="thread-1")).deleted

    @message_handler
    async def on_handed(self, message: Handed, ctx: MessageContext) -> str:
        content = await asyncio.to_thread(Path(message.path).read_bytes)
        made = await self._client.files.create(file=("facts.txt", content), purpose="assistants")
        return made.id


async def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    Thread(target=server.serve_forever, daemon=True).start()
    client = AsyncOpenAI(api_key="none", base_url=f"http://127.0.0.1:{server.server_port}/v1", max_retries=0)
    runtime = SingleThreadedAgentRuntime()
    await Assistant.register(runtime, "assistant", lambda: Assistant(client))
    runtime.start()
    agent = AgentId("assistant", "default")
    first = await runtime.send_message(Said("Good morning."), agent)
    assert first == Said("1 in the thread, 0 on the desk."), first
    with TemporaryDirectory() as folder:
        file = Path(folder) / "facts.txt"
        file.write_text("The moon is round.")
        print("handed:", await runtime.send_message(Handed(str(file)), agent))
    second = await runtime.send_message(Said("Have a look."), agent)
    assert second == Said("3 in the thread, 1 on the desk."), second
    await runtime.send_message(Forget(), agent)
    third = await runtime.send_message(Said("And now?"), agent)
    assert third == Said("1 in the thread, 1 on the desk."), third
    await runtime.stop_when_idle()
    await client.close()
    server.shutdown()
    print("messages kept:", len(Service.messages))


with warnings.catch_warnings():  # the SDK calls its Assistants deprecated
    warnings.simplefilter("ignore", DeprecationWarning)
    asyncio.run(main())
