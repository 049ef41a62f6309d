"""Agent files of Letta. They are written for these tests."""

from __future__ import annotations

import json
from typing import Any

MODEL: dict[str, Any] = {
    "handle": "openai/gpt-4o",
    "model": "gpt-4o",
    "model_endpoint": "https://api.openai.com/v1",
    "model_endpoint_type": "openai",
    "temperature": 0.5,
    "parallel_tool_calls": False,
}
CODE = '''def stock(city: str, days: Optional[int] = None) -> List[str]:
    """Tell what is there."""
    import json

    return json.loads("[]")
'''


def agent(name: str, at: int = 0, **changes: Any) -> dict[str, Any]:
    """An agent that uses all blocks and tools of `letta_file`."""
    given = {"name": name, "id": f"agent-{at}", "agent_type": "letta_v1_agent", "system": f"You are {name}."}
    ids = {"block_ids": ["block-0", "block-1"], "tool_ids": [f"tool-{at}" for at in range(5)]}
    return {**given, **ids, "description": f"Is {name}.", "llm_config": MODEL, "messages": [], **changes}


def tool(at: int, name: str, kind: str = "custom", code: str | None = None, **changes: Any) -> dict[str, Any]:
    schema = {"properties": {"query": {"type": "string"}, "request_heartbeat": {"type": "boolean"}}, "type": "object"}
    given = {"id": f"tool-{at}", "name": name, "tool_type": kind, "source_code": code, "description": f"Does {name}."}
    return {**given, "json_schema": {"name": name, "parameters": {**schema, "required": ["query"]}}, **changes}


TOOLS = [
    tool(0, "stock", code=CODE, pip_requirements=[{"name": "requests"}]),
    tool(1, "memory_insert", "letta_sleeptime_core"),
    tool(2, "web_search", "letta_builtin"),
    tool(3, "note", code="def note(agent_state: 'AgentState', query: str):\n    agent_state.memory.update(query)\n"),
    tool(4, "send_message", "letta_core"),
]
BLOCKS = [
    {"id": "block-0", "label": "human", "value": "Her name is Ada.", "read_only": False},
    {"id": "block-1", "label": "persona", "value": "I am Sam.", "read_only": True},
]


def letta_file(*agents: dict[str, Any], **more: Any) -> str:
    listed = {"agents": list(agents), "blocks": BLOCKS, "tools": TOOLS, "groups": [], "mcp_servers": []}
    return json.dumps({**listed, **more})


ONE = letta_file(
    agent(
        "Shop keeper",
        messages=[{"role": "system", "content": "…"}, {"role": "user", "content": "secret words"}],
        tool_exec_environment_variables={"TOKEN": "hidden-value"},
        tool_rules=[{"type": "run_first", "tool_name": "stock"}],
    ),
    mcp_servers=[
        {
            "server_name": "crm",
            "server_type": "streamable_http",
            "server_url": "https://crm.example/mcp",
            "token": "t0p",
        }
    ],
)
GROUP = letta_file(
    agent("boss"),
    agent("baker", 1),
    agent("cook", 2),
    groups=[
        {
            "agent_ids": ["agent-1", "agent-2"],
            "manager_config": {"manager_type": "supervisor", "manager_agent_id": "agent-0"},
        }
    ],
)
OLD = json.dumps(
    {
        "agent_type": "memgpt_agent",
        "name": "old",
        "system": "You remember.",
        "core_memory": [{"label": "human", "value": "Ada", "limit": 500}],
        "tools": [tool(0, "stock", code=CODE)],
        "llm_config": {"model": "claude-3-5-haiku", "model_endpoint_type": "anthropic"},
        "messages": [],
        "version": "0.6",
    }
)
LETTA_SAMPLES = {"one": ONE, "group": GROUP, "old": OLD, "text": json.dumps(ONE)}
