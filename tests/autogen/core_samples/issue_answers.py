"""Answers an issue of a code host: one agent reads it and its like, one drafts, a person decides."""

import asyncio
import json
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.request import Request, urlopen

from autogen_core import AgentId, MessageContext, RoutedAgent, SingleThreadedAgentRuntime, message_handler
from autogen_core.models import ChatCompletionClient, SystemMessage, UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient

ISSUES = {
    7: {"title": "Crash at start", "body": "It ends with code 3. Like #4.", "comments": []},
    4: {"title": "Code 3", "body": "The folder was read-only.", "comments": ["Make it writable."]},
}
POSTED: list[str] = []


class Host(BaseHTTPRequestHandler):
    """The code host: issues by number, and comments that are posted."""

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._answer(ISSUES[int(self.path.rpartition("/")[2])])

    def do_POST(self) -> None:
        POSTED.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])
        self._answer({})

    def _answer(self, data: object) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())


@dataclass
class Read:
    number: int


@dataclass
class Draft:
    number: int
    facts: str


@dataclass
class Decide:
    text: str


class Reader(RoutedAgent):
    def __init__(self, host: str) -> None:
        super().__init__("Reads an issue and those that it names.")
        self._host = host

    @message_handler
    async def on_read(self, message: Read, ctx: MessageContext) -> str:
        issue = await asyncio.to_thread(self._issue, message.number)
        others = [int(word.strip("#.,")) for word in issue["body"].split() if word.startswith("#")]
        found = [issue, *[await asyncio.to_thread(self._issue, each) for each in others]]
        facts = "\n".join(f"{each['title']}: {each['body']} {' '.join(each['comments'])}".strip() for each in found)
        return await self.send_message(Draft(message.number, facts), AgentId("writer", self.id.key))

    def _issue(self, number: int) -> dict[str, str]:
        with urlopen(f"{self._host}/issues/{number}") as answer:
            return json.load(answer)


class Writer(RoutedAgent):
    def __init__(self, model: ChatCompletionClient, host: str) -> None:
        super().__init__("Writes an answer until a person agrees.")
        self._model = model
        self._host = host

    @message_handler
    async def on_draft(self, message: Draft, ctx: MessageContext) -> str:
        said = [SystemMessage(content="Answer the issue."), UserMessage(content=message.facts, source="reader")]
        while True:
            reply = await self._model.create(said, cancellation_token=ctx.cancellation_token)
            verdict = await self.send_message(Decide(str(reply.content)), AgentId("person", self.id.key))
            print(f"draft: {reply.content} -> {verdict or 'agreed'}")
            if not verdict:
                break
            said.append(UserMessage(content=verdict, source="person"))
        await asyncio.to_thread(self._post, message.number, str(reply.content))
        return str(reply.content)

    def _post(self, number: int, text: str) -> None:
        url = f"{self._host}/issues/{number}/comments"
        urlopen(Request(url, json.dumps({"body": text}).encode(), method="POST")).close()


class Person(RoutedAgent):
    def __init__(self, verdicts: list[str]) -> None:
        super().__init__("Decides what is posted.")
        self._verdicts = verdicts

    @message_handler
    async def on_decide(self, message: Decide, ctx: MessageContext) -> str:
        return self._verdicts.pop(0)


async def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    Thread(target=server.serve_forever, daemon=True).start()
    host = f"http://127.0.0.1:{server.server_port}"
    model = ReplayChatCompletionClient(["Try again.", "Make the folder writable, as in #4."])
    runtime = SingleThreadedAgentRuntime()
    await Reader.register(runtime, "reader", lambda: Reader(host))
    await Writer.register(runtime, "writer", lambda: Writer(model, host))
    await Person.register(runtime, "person", lambda: Person(["Say what to do.", ""]))
    runtime.start()
    answer = await runtime.send_message(Read(7), AgentId("reader", "default"))
    await runtime.stop_when_idle()
    server.shutdown()
    assert [answer] == POSTED
    print("posted:", POSTED)


asyncio.run(main())
