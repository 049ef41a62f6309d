"""Agents in Markdown as people write them for Claude Code and Copilot. They are written for these tests."""

from __future__ import annotations

REVIEWER = """\
---
name: code-reviewer
description: Reviews code for mistakes.
tools: Read, Grep, Bash(git diff:*), mcp__tracker__search
model: sonnet
color: blue
maxTurns: 4
---

You review code. Keep {braces} and $ARGUMENTS.
"""
TESTER = """\
---
name: tester
description: Writes tests.
---
You write tests.
"""
LEAD = """\
---
name: lead
description: Divides the work.
tools: Agent(code-reviewer, tester, missing), Read
model: inherit
---
You lead.
"""
PLANNER = """\
---
description: 'Plans the work.'
tools: ['search/codebase', 'tracker/*', 'web/*']
model: ['GPT-5 mini (copilot)', 'Claude Sonnet 4.5']
handoffs:
  - label: Build it
    agent: builder
    prompt: Build what is planned.
mcp-servers:
  tracker:
    type: http
    url: https://tracker.example/mcp
    headers:
      Authorization: 'Bearer ${input:tracker-key}'
    tools: ['find']
---
You plan.
"""
BUILDER = """\
---
name: builder
description: Builds.
tools: []
model: claude-opus-4-5
---
You build.
"""
LOOSE = """\
---
name: loose
description: Use this: when the user asks "why: x". Examples:
  user: Hello
model: opus
---
You answer.
"""
MARKDOWN_SAMPLES = {
    "claude": {"agents/reviewer.md": REVIEWER, "agents/tester.md": TESTER, "README.md": "# Agents\n"},
    "lead": {"lead.md": LEAD, "reviewer.md": REVIEWER, "tester.md": TESTER},
    "copilot": {"planner.agent.md": PLANNER, "builder.agent.md": BUILDER},
    "loose": {"loose.md": LOOSE},
}
