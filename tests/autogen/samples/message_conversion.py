"""Messages between the dictionaries of AutoGen 0.2 and AgentChat's, both ways."""

import json

from autogen_agentchat.messages import (
    HandoffMessage,
    MultiModalMessage,
    StopMessage,
    TextMessage,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
    ToolCallSummaryMessage,
)
from autogen_core import FunctionCall, Image
from autogen_core.models import FunctionExecutionResult

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def to_dictionary(message, role):
    if isinstance(message, TextMessage | StopMessage | HandoffMessage | ToolCallSummaryMessage):
        return {"content": message.content, "role": role, "name": message.source}
    if isinstance(message, MultiModalMessage):
        parts = [
            part.to_openai_format(detail="auto") if isinstance(part, Image) else {"type": "text", "text": part}
            for part in message.content
        ]
        return {"content": parts, "role": role, "name": message.source}
    if isinstance(message, ToolCallRequestEvent):
        wanted = [{"id": call.id, "function": {"name": call.name, "args": call.arguments}} for call in message.content]
        return {"tool_calls": wanted, "role": "assistant", "content": None, "name": message.source}
    assert isinstance(message, ToolCallExecutionEvent)
    given = [{"tool_call_id": done.call_id, "name": done.name, "content": done.content} for done in message.content]
    return {"tool_responses": given, "role": "tool", "content": "\n\n".join(one["content"] for one in given)}


def to_message(data):
    if "tool_calls" in data:
        wanted = [
            FunctionCall(id=call["id"], name=call["function"]["name"], arguments=call["function"]["args"])
            for call in data["tool_calls"]
        ]
        return ToolCallRequestEvent(source=data["name"], content=wanted)
    if "tool_responses" in data:
        given = [
            FunctionExecutionResult(
                call_id=one["tool_call_id"], content=one["content"], name=one["name"], is_error=False
            )
            for one in data["tool_responses"]
        ]
        return ToolCallExecutionEvent(source="tools", content=given)
    if isinstance(data["content"], str):
        return TextMessage(content=data["content"], source=data["name"])
    parts = [
        part["text"] if part["type"] == "text" else Image.from_uri(part["image_url"]["url"]) for part in data["content"]
    ]
    return MultiModalMessage(content=parts, source=data["name"])


messages = [
    TextMessage(content="How deep is it?", source="user"),
    MultiModalMessage(content=["Here:", Image.from_base64(DOT)], source="user"),
    ToolCallRequestEvent(content=[FunctionCall(id="1", name="sound", arguments='{"rope": 9}')], source="mate"),
    ToolCallExecutionEvent(
        content=[FunctionExecutionResult(call_id="1", content="4 fathoms", name="sound", is_error=False)],
        source="tools",
    ),
    StopMessage(content="Deep enough.", source="mate"),
]
for message in messages:
    data = to_dictionary(message, "assistant")
    back = to_message(json.loads(json.dumps(data)))
    print(json.dumps(data)[:110])
    print(back.type, back.source, back.to_text()[:60])
    assert to_dictionary(back, "assistant") == data
