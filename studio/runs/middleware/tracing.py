"""Runs as OpenTelemetry spans, in the words of the GenAI conventions. Nothing of it is imported unless it is wanted.

Source: OpenTelemetry, "Semantic conventions for generative AI systems": `invoke_agent`, `chat`, `execute_tool`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue

from studio import effects
from studio.components import Component
from studio.effects import AsyncGeneratorLike, EffectRequest, Perform, StreamItem
from studio.errors import SetupError
from studio.runs.journal.log import JsonObject
from studio.runs.observer import RunObserver
from studio.runs.spending.costs import UNMEASURED, agent_of, name_of
from studio.runs.state import RunState

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

OPERATIONS = {"model": "chat", "tool": "execute_tool", "code": "execute_tool"}
"""What the conventions call an effect of this kind; others are called by their kind."""


@dataclass(frozen=True, slots=True)
class Tracing:
    """Where spans go. With `content`, what was said to models and tools, and by them, goes with them."""

    tracer: Tracer
    content: bool = False


_current: ContextVar[Tracing | None] = ContextVar("studio_tracing", default=None)


def tracing() -> Tracing | None:
    """Where the spans of runs go that begin here."""
    return _current.get()


@contextmanager
def use_tracing(found: Tracing | None) -> Generator[None]:
    """Let the supervisors that are entered inside the block send the spans of their runs there."""
    token = _current.set(found)
    try:
        yield
    finally:
        _current.reset(token)


def otlp_provider(endpoint: str) -> TracerProvider:
    """Sends spans to a collector, by OTLP over HTTP, without making anybody wait.

    Args:
        endpoint: Base URL of the collector; empty takes the standard `OTEL_EXPORTER_OTLP_*` variables.

    Raises:
        SetupError: The packages for it are not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise SetupError(
            "Spans cannot be sent: OpenTelemetry is not installed.", fix="Run `pip install 'team-studio[otel]'`."
        ) from error
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces") if endpoint else OTLPSpanExporter()
    provider = TracerProvider(resource=Resource.create({"service.name": "team-studio"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


class TracingEffects(effects.EffectsMiddleware):
    """A span for the run, one for each turn of an agent, and one for each call of a model or tool.

    Args:
        outer: The port behind it.
        found: Where the spans go.
        run_id: Named in the span of the run.
        player: What is run.
        names: For whom each component works.
    """

    def __init__(
        self, outer: effects.Effects, found: Tracing, run_id: str, player: object, names: Mapping[int, str]
    ) -> None:
        super().__init__(outer)
        self._tracer = found.tracer
        self._content = found.content
        self._names = names
        self._agents: dict[str, Span] = {}
        self._run_id = run_id
        team = names.get(id(player), "") if isinstance(player, Component) else ""
        self._run = self._start(f"invoke_agent {team}".strip(), None, {"gen_ai.operation.name": "invoke_agent"})
        self._run.set_attribute("gen_ai.agent.name", team or "part")

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        if request.kind in UNMEASURED:
            return await super().call(request, perform)
        with self._span(request) as span:
            result = await super().call(request, perform)
            self._set_attributes(span, request, result)
            return result

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        with self._span(request) as span:
            async with aclosing(cast("AsyncGeneratorLike", super().stream(request, perform))) as items:
                async for item in items:
                    if not isinstance(item, str):
                        self._set_attributes(span, request, item)
                    yield item

    def message_added(self, source: str) -> None:
        """End the turn of an agent with the message that it said."""
        if (span := self._agents.pop(source, None)) is not None:
            span.end()

    def effect_repeated(self, effect: JsonObject) -> None:
        """Nothing: what happens again was traced when it happened."""

    def add_elapsed(self, seconds: float) -> None:
        """Nothing: the span of a run that is taken up begins anew."""

    def state_changed(self, state: RunState) -> None:
        """End everything with the run."""
        if not state.is_final:
            return
        for span in (*self._agents.values(), self._run):
            if state is RunState.FAILED:
                self._fail(span, "run_failed")
            span.end()
        self._agents.clear()

    @contextmanager
    def _span(self, request: EffectRequest) -> Generator[Span]:
        agent, name = agent_of(request, self._names), name_of(request)
        operation = OPERATIONS.get(request.kind, request.kind)
        span = self._start(f"{operation} {name}", self._turn_of(agent), {"gen_ai.operation.name": operation})
        span.set_attribute("gen_ai.agent.name", agent)
        span.set_attribute("gen_ai.request.model" if request.kind == "model" else "gen_ai.tool.name", name)
        if self._content:
            self._set_request_attributes(span, request)
        try:
            yield span
        except BaseException as error:
            self._fail(span, type(error).__name__)
            raise
        finally:
            span.end()

    def _turn_of(self, agent: str) -> Span:
        """The span of an agent's turn, begun with its first call."""
        if not agent:
            return self._run
        if agent not in self._agents:
            self._agents[agent] = self._start(
                f"invoke_agent {agent}",
                self._run,
                {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent},
            )
        return self._agents[agent]

    def _start(self, name: str, parent: Span | None, attributes: Mapping[str, str]) -> Span:
        from opentelemetry.context import Context
        from opentelemetry.trace import SpanKind, set_span_in_context

        context = set_span_in_context(parent, Context()) if parent is not None else Context()
        is_remote = attributes["gen_ai.operation.name"] == OPERATIONS["model"]
        kind = SpanKind.CLIENT if is_remote else SpanKind.INTERNAL
        attributes_of_run = {"gen_ai.conversation.id": self._run_id, **attributes}
        return self._tracer.start_span(name, context, kind=kind, attributes=attributes_of_run)

    def _set_attributes(self, span: Span, request: EffectRequest, result: JsonValue) -> None:
        answer = result if isinstance(result, dict) else {}
        usage = answer.get("usage")
        counts = usage if request.kind == "model" and isinstance(usage, dict) else {}
        for ours, theirs in _USAGE.items():
            if isinstance(count := counts.get(ours), int):
                span.set_attribute(theirs, count)
        if isinstance(reason := answer.get("finish_reason"), str) and request.kind == "model":
            span.set_attribute("gen_ai.response.finish_reasons", (reason,))
        if self._content:
            name = "gen_ai.output.messages" if request.kind == "model" else "gen_ai.tool.call.result"
            span.set_attribute(name, json.dumps(answer.get("content") if request.kind == "model" else result))

    def _set_request_attributes(self, span: Span, request: EffectRequest) -> None:
        if request.kind == "model" and isinstance(request.body, dict):
            span.set_attribute("gen_ai.input.messages", json.dumps(request.body.get("messages")))
        elif request.tool is not None:
            span.set_attribute("gen_ai.tool.call.arguments", json.dumps(request.tool.arguments))

    def _fail(self, span: Span, kind: str) -> None:
        from opentelemetry.trace import StatusCode

        span.set_attribute("error.type", kind)  # without the error's text, which may hold what was said
        span.set_status(StatusCode.ERROR)


_USAGE = {
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "completion_tokens": "gen_ai.usage.output_tokens",
    "cached_tokens": "gen_ai.usage.cache_read.input_tokens",
}


@dataclass(frozen=True, slots=True)
class CompositeObserver:
    """Two that are told the same."""

    first: RunObserver
    second: RunObserver

    def message_added(self, source: str) -> None:
        self.first.message_added(source)
        self.second.message_added(source)

    def state_changed(self, state: RunState) -> None:
        self.first.state_changed(state)
        self.second.state_changed(state)

    def effect_repeated(self, effect: JsonObject) -> None:
        self.first.effect_repeated(effect)
        self.second.effect_repeated(effect)

    def add_elapsed(self, seconds: float) -> None:
        self.first.add_elapsed(seconds)
        self.second.add_elapsed(seconds)
