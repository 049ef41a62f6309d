"""What the samples share: a scripted model, and a transcript of what was said."""

import json
import sys
from contextlib import redirect_stdout
from io import StringIO

from autogen_agentchat.base import Response
from autogen_agentchat.ui import Console
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient

ABLE = {"vision": True, "function_calling": True, "json_output": True, "structured_output": True, "family": "unknown"}


def model(*replies):
    """A model that says these things in order, whatever it is asked."""
    return ReplayChatCompletionClient(list(replies), model_info=ABLE)


def calls(*wanted):
    """A reply of the model that calls tools; each is a name and its arguments."""
    content = [
        FunctionCall(id=f"call-{place}", name=name, arguments=json.dumps(arguments))
        for place, (name, arguments) in enumerate(wanted)
    ]
    usage = RequestUsage(prompt_tokens=10, completion_tokens=5)
    return CreateResult(finish_reason="function_calls", content=content, usage=usage, cached=False)


def line(message):
    """A message on one line: who, what kind, what it took, what it says."""
    usage = message.models_usage
    took = f" [{usage.prompt_tokens}/{usage.completion_tokens}]" if usage else ""
    text = str([item.content for item in message.content]) if message.type == "MemoryQueryEvent" else message.to_text()
    return f"{message.source} {message.type}{took}: {text}"


def show(result):
    """Print what a run gave."""
    if isinstance(result, Response):
        for message in result.inner_messages or ():
            print("  inner", line(message))
        print(line(result.chat_message))
        return
    for message in result.messages:
        print(line(message))
    print("stopped:", result.stop_reason)


async def told(stream):
    """Let the console print a run aside, and give back its result, shown as a transcript."""
    aside = StringIO()
    with redirect_stdout(aside):
        result = await Console(stream)
    assert "----------" in aside.getvalue()
    show(result)
    return result


def said(result):
    """The texts of a result's messages."""
    return [message.to_text() for message in result.messages]


def speakers(result):
    """Who spoke in a result, in order."""
    return [message.source for message in result.messages]


async def heard(agent):
    """The texts that an agent knows of the conversation, from its state."""
    return [message["content"] for message in (await agent.save_state())["llm_context"]["messages"]]


def as_json(component):
    """A component's JSON: AgentChat dumps a `ComponentModel`, the studio the JSON itself."""
    dumped = component.dump_component()
    return dumped if isinstance(dumped, dict) else json.loads(dumped.model_dump_json(exclude_none=True))


def typed(*lines):
    """Let these lines be what is typed next."""
    sys.stdin = StringIO("".join(f"{text}\n" for text in lines))
