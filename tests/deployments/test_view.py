"""What callers see of a run is what the allow-list lets through, whatever stands in the log."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.components import JsonObject
from studio.deployments import CallState, CallView, DeploymentSettings
from studio.runs import EntryKind, LogEntry, RunState, Usage
from studio.services.calls import Answering, CallStatus
from studio.store.deployment_tables import Call, CallerKey, Deployment
from studio.store.deployments import OpenedDeployment
from studio.web.protocols.a2a_tasks import a2a_task, card_of, last_updates, update_of
from studio.web.protocols.agui import RunInput, RunLog
from studio.web.protocols.mcp_server import result_of, task_of
from studio.web.protocols.openai_conversation import said_by
from studio.web.protocols.openai_responses import ResponseLog
from studio.web.protocols.rest import event_data, shown_call
from studio.web.protocols.ui_stream import MessageParts

CANARY = "cnry-7f3a"
ANSWER = "The answer."
QUESTION = "Which color?"
KINDS = get_args(EntryKind)
Log = list[tuple[str, JsonObject]]
NOW = datetime(2026, 11, 1, tzinfo=UTC)

fields = ("type", "source", "content", "prompt", "detail", "error", "arguments", "result", "text", "name", "pending")
canaries = st.integers(0, 9).map(lambda number: f"{CANARY}-{number}")
texts = st.one_of(canaries, st.sampled_from(("TextMessage", "user", "writer", "paused", "input", "running")))
documents: st.SearchStrategy[Any] = st.recursive(
    st.one_of(texts, st.none(), st.booleans(), st.integers()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)
anything: st.SearchStrategy[JsonObject] = st.dictionaries(st.sampled_from(fields), documents, max_size=6)
INNER = ("ToolCallSummaryMessage", "HandoffMessage", "StopMessage", "ToolCallExecutionEvent", "ThoughtEvent", CANARY)
QUESTIONS = ("approval", "budget", "outcome", "breakpoint", "input", CANARY)


def inner(kind: str, rest: JsonObject) -> JsonObject:
    """What an agent does on the way to its answer."""
    return {**rest, "type": kind, "source": "writer", "content": f"{CANARY} said"}


def other(text: str) -> JsonObject:
    """What another agent says."""
    return {"type": "TextMessage", "source": "planner", "content": text, "models_usage": {"model": CANARY}}


def structured(content: JsonObject) -> JsonObject:
    """The same by a schema, whose name is the team's."""
    kind = f"StructuredMessage[{CANARY}]"
    return {"type": kind, "source": "planner", "content": content, "format_string": f"{CANARY} {{name}}"}


def question(kind: str, rest: JsonObject) -> JsonObject:
    """What the studio, or the server of a tool, asks."""
    pending: JsonObject = {
        "kind": kind,
        "request_id": CANARY,
        "prompt": CANARY,
        "source": CANARY,
        "details": rest,
    }
    return {"state": "paused", "reason": kind, "detail": CANARY, "pending": pending}


def end(state: str, rest: JsonObject) -> JsonObject:
    return {"state": state, "reason": CANARY, "detail": CANARY, "error": rest}


messages = st.one_of(
    st.builds(inner, st.sampled_from(INNER), anything), st.builds(other, canaries), st.builds(structured, anything)
)
states = st.one_of(
    st.builds(question, st.sampled_from(QUESTIONS), anything),
    st.builds(end, st.sampled_from([*map(str, RunState), CANARY]), anything),
)
entries: st.SearchStrategy[tuple[str, JsonObject]] = st.one_of(
    st.tuples(st.sampled_from([kind for kind in KINDS if kind not in ("message", "state")]), anything),
    st.tuples(st.just("message"), messages),
    st.tuples(st.just("state"), states),
)


def response_log(settings: DeploymentSettings) -> ResponseLog:
    """A call as OpenAI's Responses tell it."""
    key = CallerKey(id="k", deployment_id="d", label=CANARY, key_hash=CANARY, ending="last", created_at=NOW)
    deployment = Deployment(
        id=CANARY, name="d", team_name=CANARY, settings=settings.model_dump(), live=1, created_at=NOW
    )
    call = Call(id="call", deployment_id="d", release=1, key_id="k", thread="t", position=1, protocol="x", at=NOW)
    return ResponseLog(OpenedDeployment(key, deployment), Answering(call))


def viewed(told: Log, settings: DeploymentSettings) -> tuple[CallView, str]:
    """The view of a log, and all that callers are told on the way, by each protocol."""
    view, said, response = CallView(settings), list[str](), response_log(settings)
    run, parts = RunLog(RunInput(thread_id="t", run_id="r"), response.found), MessageParts(response.found)
    for seq, (kind, body) in enumerate(told, start=1):
        event = view.fold(LogEntry("run", seq, NOW, cast("EntryKind", kind), json.dumps(body)))
        said.append(json.dumps(event))
        if event is not None:
            said.append(json.dumps(event_data(event, view, "call", "thread")))
        if event is not None and event.name == "message":
            said += [each.encode().decode() for each in response.message(event)]
        said.append(shown_call(view, "call", "thread").model_dump_json())
        status = CallStatus(response.found.call, view, Usage())
        said += [result_of(status).model_dump_json(), json.dumps(task_of(status)), json.dumps(a2a_task(status))]
        if event is not None:
            said += [json.dumps([update_of(status, event), *last_updates(status)])]
            said += [each.encode().decode() for each in (*run.message(event), *run.end(status))]
            said += [each.encode().decode() for each in (*parts.message(event), *parts.end(status))]
    status = CallStatus(response.found.call, view, Usage())
    said += [each.encode().decode() for each in (*response.begin(), *response.end(status), run.begin(), parts.begin())]
    said.append(json.dumps(card_of(response.caller.deployment, "http://studio/d/d/a2a")))
    return view, "\n".join([*said, said_by(view)])


@pytest.mark.slow
@given(st.lists(entries, max_size=12), st.booleans())
def test_no_byte_of_what_is_inside_reaches_a_caller(told: Log, has_answered: bool):
    """Prompts, tools and their results, other agents, errors, and whatever a later version may log."""
    answer: JsonObject = {"type": "TextMessage", "source": "writer", "content": ANSWER, "metadata": {"key": CANARY}}
    log: Log = [
        *told,
        *([("message", answer)] if has_answered else []),
        ("state", {"state": "finished", "detail": CANARY}),
    ]
    view, said = viewed(log, DeploymentSettings(answer_from="writer"))
    assert CANARY not in said
    assert view.answer == (ANSWER if has_answered else "")
    assert view.state is CallState.FINISHED


@pytest.mark.slow
@given(st.lists(entries, max_size=12))
def test_only_a_question_of_an_agent_to_its_person_is_shown(told: Log):
    asked: JsonObject = {"type": "UserInputRequestedEvent", "source": "person", "request_id": "q1", "content": CANARY}
    pending: JsonObject = {"kind": "input", "request_id": "q1", "prompt": QUESTION, "source": CANARY, "details": {}}
    log: Log = [*told, ("event", asked), ("state", {"state": "paused", "reason": "input", "pending": pending})]
    view, said = viewed(log, DeploymentSettings(answer_from="writer"))
    assert CANARY not in said
    assert view.question is not None
    assert (view.question.to, view.question.prompt) == ("caller", QUESTION)


@pytest.mark.slow
@given(st.lists(entries, max_size=12))
def test_the_same_log_gives_the_same_events(told: Log):
    settings = DeploymentSettings(sees="messages")
    assert viewed(told, settings)[1] == viewed(told, settings)[1]


def test_what_a_person_says_is_no_answer():
    log: Log = [
        ("message", {"type": "TextMessage", "source": "user", "content": "The task."}),
        ("message", {"type": "TextMessage", "source": "writer", "content": ANSWER}),
        ("event", {"type": "UserInputRequestedEvent", "source": "person", "request_id": "q1"}),
        ("message", {"type": "TextMessage", "source": "person", "content": "APPROVE"}),
    ]
    assert viewed(log, DeploymentSettings())[0].answer == ANSWER


def test_tool_results_are_answers_where_the_owner_says_so():
    log: Log = [("message", {"type": "ToolCallSummaryMessage", "source": "writer", "content": "42"})]
    assert viewed(log, DeploymentSettings())[0].answer == ""
    assert viewed(log, DeploymentSettings(tool_results=True))[0].answer == "42"
