"""A small Jupyter kernel gateway with real kernels. Prints its port; the token is in the variable TOKEN.

It speaks the part of Jupyter's REST and web socket interface that clients of kernels use.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from typing import Any

from aiohttp import WSMsgType, web
from jupyter_client.manager import AsyncKernelManager

KERNELS: dict[str, Any] = {}


@web.middleware
async def check_token(request: web.Request, handler: Any) -> web.StreamResponse:
    if request.headers.get("Authorization") != f"token {os.environ['TOKEN']}":
        return web.Response(status=403)
    return await handler(request)


async def list_kinds(_request: web.Request) -> web.Response:
    return web.json_response({"default": "python3", "kernelspecs": {"python3": {"name": "python3"}}})


async def start(request: web.Request) -> web.Response:
    manager: Any = AsyncKernelManager(kernel_name=(await request.json())["name"])
    await manager.start_kernel()
    identity = f"k{len(KERNELS)}"
    KERNELS[identity] = manager
    return web.json_response({"id": identity}, status=201)


async def interrupt(request: web.Request) -> web.Response:
    await KERNELS[request.match_info["id"]].interrupt_kernel()
    return web.Response(status=204)


async def delete(request: web.Request) -> web.Response:
    await KERNELS.pop(request.match_info["id"]).shutdown_kernel(now=True)
    return web.Response(status=204)


async def channels(request: web.Request) -> web.WebSocketResponse:
    page = web.WebSocketResponse()
    await page.prepare(request)
    client = KERNELS[request.match_info["id"]].client()
    client.start_channels()
    await client.wait_for_ready(timeout=60)

    async def forward(read: Any, channel: str) -> None:
        while True:
            message = await read(timeout=None)
            await page.send_str(json.dumps({**message, "channel": channel, "buffers": []}, default=str))

    async with asyncio.TaskGroup() as tasks:
        forwarding = [
            tasks.create_task(forward(client.get_iopub_msg, "iopub")),
            tasks.create_task(forward(client.get_shell_msg, "shell")),
        ]
        async for item in page:
            if item.type is WSMsgType.TEXT:
                message = json.loads(item.data)
                own = client.session.msg("execute_request", message["content"], header=message["header"])
                client.shell_channel.send(own)
        for task in forwarding:
            task.cancel()
    with contextlib.suppress(RuntimeError):
        client.stop_channels()
    return page


def main() -> None:
    app = web.Application(middlewares=[check_token])
    app.router.add_get("/api/kernelspecs", list_kinds)
    app.router.add_post("/api/kernels", start)
    app.router.add_post("/api/kernels/{id}/interrupt", interrupt)
    app.router.add_delete("/api/kernels/{id}", delete)
    app.router.add_get("/api/kernels/{id}/channels", channels)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    web.run_app(app, sock=listener, print=None)


if __name__ == "__main__":
    main()
