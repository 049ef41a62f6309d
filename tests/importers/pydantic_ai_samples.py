"""Agent specs of Pydantic AI, written for these tests."""

from __future__ import annotations

CLERK = """\
# yaml-language-server: $schema=./clerk_schema.json
model: anthropic:claude-sonnet-4-5
name: shop clerk
description: Helps the customers of a shop.
instructions:
  - You help {{customer}} of a bread shop.
  - "Answer in one sentence. Prices look like {this}."
model_settings:
  max_tokens: 500
  temperature: 0.2
  thinking: high
output_schema:
  type: object
  properties:
    answer: {type: string}
    is_open: {type: boolean}
  required: [answer, is_open]
retries: 2
capabilities:
  - WebSearch
  - MCP:
      url: https://mcp.example.com/mcp
      allowed_tools: [find]
      headers: {Authorization: Bearer hunter2hunter2hunter2}
  - Thinking: high
"""
PLAIN = '{"model": "openai:gpt-4.1-mini", "instructions": "Be brief."}'
