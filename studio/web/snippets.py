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
    command = {"command": "studio", "args": ["acp", name, "--at", base], "env": {KEY_VARIABLE: "sk-studio-..."}}
    editor = f"""pip install "team-studio[acp]"

# In the settings of Zed; other editors that speak the Agent Client Protocol start the same command:
{json.dumps({"agent_servers": {name: command}}, indent=2)}"""
    return (
        Snippet("curl", "curl", "bash", f"export {KEY_VARIABLE}=...\n\n{curl(base, name)}"),
        Snippet("python", "Python", "python", f"# pip install openai\n{python}"),
        Snippet("javascript", "JavaScript", "javascript", f"// npm install openai\n{javascript}"),
        Snippet("mcp", "MCP", "bash", mcp),
        *_of_agents(base, name),
        Snippet("editor", "Editor", "bash", editor),
    )


def _of_agents(base: str, name: str) -> Sequence[Snippet]:
    """For other agents, and for front ends that show them."""
    a2a = f"""# pip install a2a-sdk
import asyncio
import os
from uuid import uuid4

import httpx
from a2a.client import ClientConfig, create_client
from a2a.types import Message, Part, Role, SendMessageRequest

async def main() -> None:
    headers = {{"Authorization": f"Bearer {{os.environ['{KEY_VARIABLE}']}}"}}
    async with httpx.AsyncClient(headers=headers, timeout=600) as http:
        client = await create_client("{base}/d/{name}/a2a", ClientConfig(httpx_client=http))
        said = Message(message_id=str(uuid4()), role=Role.ROLE_USER, parts=[Part(text="{TASK}")])
        async for event in client.send_message(SendMessageRequest(message=said)):
            print(event)

asyncio.run(main())"""
    agui = f"""// npm install @ag-ui/client
import {{ HttpAgent }} from '@ag-ui/client'

const agent = new HttpAgent({{
  url: '{base}/d/{name}/agui',
  headers: {{ Authorization: `Bearer ${{process.env.{KEY_VARIABLE}}}` }},
}})
agent.setMessages([{{ id: '1', role: 'user', content: '{TASK}' }}])
await agent.runAgent({{}}, {{ onEvent: ({{ event }}) => console.log(event) }})"""
    ui = f"""// npm install ai
import {{ DefaultChatTransport, readUIMessageStream }} from 'ai'

const transport = new DefaultChatTransport({{
  api: '{base}/d/{name}/ui',
  headers: {{ Authorization: `Bearer ${{process.env.{KEY_VARIABLE}}}` }},
}}) // as useChat takes it
const messages = [{{ id: crypto.randomUUID(), role: 'user', parts: [{{ type: 'text', text: '{TASK}' }}] }}]
const stream = await transport.sendMessages({{ chatId: crypto.randomUUID(), messages, trigger: 'submit-message' }})
for await (const message of readUIMessageStream({{ stream }})) console.log(message.parts)"""
    return (
        Snippet("a2a", "A2A", "python", a2a),
        Snippet("ag-ui", "AG-UI", "javascript", agui),
        Snippet("ai-sdk", "AI SDK", "javascript", ui),
    )


def embeds(base: str, name: str) -> Sequence[Snippet]:
    """What a site takes into its pages to show the chat page of a deployment."""
    page = f"{base}/d/{name}/chat"
    script = f'<script src="{page}/embed.js" data-title="Chat" async></script>'
    frame = f'<iframe src="{page}" title="Chat" width="400" height="620"></iframe>'
    return (Snippet("embed-button", "Button", "html", script), Snippet("embed-frame", "Frame", "html", frame))
