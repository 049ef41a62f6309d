"""Runs as OpenTelemetry spans."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from studio.components import JsonObject
from studio.runs import Tracing, use_tracing
from studio.settings import Settings
from studio.web.app import create_app
from tests.runs.middleware.budgeted import TEAM, Studio, agent, in_turn, opened
from tests.web.documents import function_tool
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.following import start, stream

SECRET = "sk-never-in-a-span"


@asynccontextmanager
async def traced(exporter: InMemorySpanExporter, *, content: bool = False) -> AsyncGenerator[Studio]:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with use_tracing(Tracing(provider.get_tracer("test"), content=content)):
        async with opened({}) as studio:
            yield studio
    provider.shutdown()


def caller() -> JsonObject:
    """An agent that calls a tool and then speaks."""
    made: dict[str, Any] = agent("caller", (10, 5), (20, 6))
    config, client = made["config"], made["config"]["model_client"]["config"]
    call = {"id": "1", "name": "shout", "arguments": '{"text": "hi"}'}
    client["chat_completions"][0] |= {"content": [call], "finish_reason": "function_calls"}
    info = {"vision": False, "function_calling": True, "json_output": False, "structured_output": False}
    client["model_info"] = {**info, "family": "unknown"}
    config["tools"] = [function_tool("def shout(text: str) -> str:\n    return text.upper()\n")]
    config["reflect_on_tool_use"] = True
    return made


async def spans_of(document: JsonObject, *, content: bool = False) -> list[ReadableSpan]:
    exporter = InMemorySpanExporter()
    async with traced(exporter, content=content) as studio:
        await studio.until_question_or_end(await studio.supervisor.start(document, SECRET, team_id=TEAM))
    return list(exporter.get_finished_spans())


def attribute(span: ReadableSpan, name: str) -> object:
    return (span.attributes or {}).get(name)


async def test_a_run_is_a_tree_of_spans() -> None:
    spans = await spans_of(in_turn(caller(), turns=1))
    by_id = {span.context.span_id: span for span in spans if span.context}
    tree = [(span.name, by_id[span.parent.span_id].name if span.parent else "") for span in spans]
    assert tree == [
        ("chat ReplayChatCompletionClient", "invoke_agent caller"),
        ("execute_tool shout", "invoke_agent caller"),
        ("chat ReplayChatCompletionClient", "invoke_agent caller"),
        ("invoke_agent caller", "invoke_agent RoundRobinGroupChat"),
        ("invoke_agent RoundRobinGroupChat", ""),
    ]


async def test_every_span_tells_its_run_and_calls_of_models_are_those_of_a_client() -> None:
    spans = await spans_of(in_turn(caller(), turns=1))
    assert len({attribute(span, "gen_ai.conversation.id") for span in spans} - {None}) == 1
    assert all(attribute(span, "gen_ai.conversation.id") for span in spans)
    assert [span.name.split()[0] for span in spans if span.kind is SpanKind.CLIENT] == ["chat", "chat"]


async def test_a_model_call_tells_its_model_and_tokens() -> None:
    chat = (await spans_of(in_turn(caller(), turns=1)))[0]
    assert {name: told for name, told in (chat.attributes or {}).items() if name != "gen_ai.conversation.id"} == {
        "gen_ai.operation.name": "chat",
        "gen_ai.agent.name": "caller",
        "gen_ai.request.model": "ReplayChatCompletionClient",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.response.finish_reasons": ("function_calls",),
    }


async def test_what_was_said_is_only_sent_when_that_is_wished() -> None:
    document = in_turn(caller(), turns=1)
    assert SECRET not in str([span.to_json() for span in await spans_of(document)])
    told = await spans_of(document, content=True)
    assert SECRET in str(attribute(told[0], "gen_ai.input.messages"))
    assert attribute(told[1], "gen_ai.tool.call.arguments") == '{"text": "hi"}'


async def test_a_failed_call_is_an_error_without_its_words() -> None:
    spans = await spans_of(in_turn(agent("a"), turns=1))
    assert [(span.name.split()[0], span.status.is_ok, attribute(span, "error.type")) for span in spans] == [
        ("chat", False, "NoMoreReplies"),
        ("invoke_agent", False, "run_failed"),
        ("invoke_agent", False, "run_failed"),
    ]


class _Collector(HTTPServer):
    """Takes spans as a collector does."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.names: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, _Collector)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            raise AssertionError("nobody asked for that")
        request = ExportTraceServiceRequest.FromString(body)
        scopes = [scope for resource in request.resource_spans for scope in resource.scope_spans]
        self.server.names += [span.name for scope in scopes for span in scope.spans]
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[_Collector]:
    with _Collector() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_server_sends_the_spans_of_its_runs_to_the_collector(collector: _Collector, tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{collector.server_port}"
    settings = Settings(data_dir=tmp_path, token=TOKEN, otlp_endpoint=address)
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        stream(client, start(client, in_turn(agent("a", (1, 1)), turns=1)))
    assert sorted(collector.names) == [
        "chat ReplayChatCompletionClient",
        "invoke_agent RoundRobinGroupChat",
        "invoke_agent a",
    ]


@pytest.mark.slow
def test_nothing_of_it_is_imported_when_nobody_wants_it() -> None:
    code = """import sys, studio.web.app
print([name for name in sys.modules if name.startswith(("opentelemetry.sdk", "opentelemetry.exporter"))])"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
