"""Programs that call a deployment, ready to be copied."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

KEY_VARIABLE = "STUDIO_KEY"
TASK = "Say hello."


@dataclass(frozen=True)
class Snippet:
    """A program; `language` is that of its text."""

    id: str
    title: str
    language: str
    text: str


def curl(base: str, name: str, key: str = f"${KEY_VARIABLE}") -> str:
    """One call by the studio's own protocol.

    Args:
        base: Address of the studio.
        name: Of the deployment.
        key: A key of it, or where the shell finds one.
    """
    return f"""curl "{base}/d/{name}/calls?wait_s=50" \\
  -H "Authorization: Bearer {key}" \\
  -H "Content-Type: application/json" \\
  -d '{{"task": "{TASK}"}}'"""


def snippets(base: str, name: str) -> Sequence[Snippet]:
    """All of them; each reads the key from the environment."""
    python = f"""import os

from openai import OpenAI

client = OpenAI(base_url="{base}/d/{name}/v1", api_key=os.environ["{KEY_VARIABLE}"])
answer = client.chat.completions.create(
    model="{name}",
    messages=[{{"role": "user", "content": "{TASK}"}}],
)
print(answer.choices[0].message.content)"""
    javascript = f"""import OpenAI from 'openai'

const client = new OpenAI({{ baseURL: '{base}/d/{name}/v1', apiKey: process.env.{KEY_VARIABLE} }})
const answer = await client.chat.completions.create({{
  model: '{name}',
  messages: [{{ role: 'user', content: '{TASK}' }}],
}})
console.log(answer.choices[0].message.content)"""
    url = f"{base}/d/{name}/mcp"
    servers = {"mcpServers": {name: {"type": "http", "url": url, "headers": {"Authorization": "Bearer sk-studio-..."}}}}
    mcp = f"""claude mcp add --transport http {name} "{url}" \\
  --header "Authorization: Bearer ${KEY_VARIABLE}"

# Or in .mcp.json and .cursor/mcp.json; in .vscode/mcp.json the list is called "servers":
{json.dumps(servers, indent=2)}"""
    return (
        Snippet("curl", "curl", "bash", f"export {KEY_VARIABLE}=...\n\n{curl(base, name)}"),
        Snippet("python", "Python", "python", f"# pip install openai\n{python}"),
        Snippet("javascript", "JavaScript", "javascript", f"// npm install openai\n{javascript}"),
        Snippet("mcp", "MCP", "bash", mcp),
    )
