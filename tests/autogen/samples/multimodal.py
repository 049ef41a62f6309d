"""A picture as the task, from base64 text and from a file."""

import asyncio
import base64
import tempfile
from pathlib import Path

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import MultiModalMessage
from autogen_core import CancellationToken, Image
from scripting import heard, model, show

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


async def main():
    painter = AssistantAgent("painter", model_client=model("One green dot.", "The same dot."))
    result = await painter.run(task=MultiModalMessage(content=["What is this?", Image.from_base64(DOT)], source="user"))
    print(result.messages[-1].content)
    assert result.messages[-1].content == "One green dot."

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dot.png"
        path.write_bytes(base64.b64decode(DOT))
        message = MultiModalMessage(content=["And this:", Image.from_file(path)], source="user")
    response = await painter.on_messages([message], CancellationToken())
    show(response)
    contents = await heard(painter)
    print(contents[0][0], contents[1], contents[2][0], contents[3])
    assert all(content[1]["data"].startswith(DOT[:20]) for content in (contents[0], contents[2]))


asyncio.run(main())
