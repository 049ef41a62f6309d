"""Agents of Google's ADK in YAML, written for these tests."""

from __future__ import annotations

ROOT = """\
# yaml-language-server: $schema=https://raw.githubusercontent.com/google/adk-python/main/AgentConfig.json
name: desk
model: gemini-2.5-flash
description: Sends people on.
instruction: Send {who?} on. Keep {braces here}.
generate_content_config: {temperature: 0.2, top_k: 3}
before_agent_callbacks: [{name: project.callbacks.check}]
sub_agents:
- config_path: cook.yaml
- config_path: ./more/baker.yaml
- code: project.agents.other
"""
COOK = """\
agent_class: LlmAgent
name: cook
model: openai/gpt-4.1-mini
description: Knows food.
instruction: You cook.
output_key: dish
disallow_transfer_to_peers: true
tools:
- name: google_search
- name: project.tools.weigh
- name: MCPToolset
  args: {stdio_server_params: {command: pantry, args: [serve]}, tool_filter: [find]}
"""
BAKER = COOK.replace("cook", "baker").replace("You baker.", "You bake {dish}.").split("output_key")[0]
TEAM = {"desk/root_agent.yaml": ROOT, "desk/cook.yaml": COOK, "desk/more/baker.yaml": BAKER}
LINE = """\
agent_class: SequentialAgent
name: line
sub_agents: [{config_path: cook.yaml}, {config_path: both.yaml}, {config_path: again.yaml}]
"""
BOTH = "agent_class: ParallelAgent\nname: both\nsub_agents: [{config_path: left.yaml}, {config_path: right.yaml}]\n"
AGAIN = "agent_class: LoopAgent\nname: again\nmax_iterations: 3\nsub_agents: [{config_path: baker.yaml}]\n"
PIPELINE = {
    "root_agent.yaml": LINE,
    "both.yaml": BOTH,
    "again.yaml": AGAIN,
    "cook.yaml": COOK,
    "baker.yaml": BAKER,
    "left.yaml": BAKER.replace("name: baker", "name: left"),
    "right.yaml": BAKER.replace("name: baker", "name: right"),
}
