"""Kernels behind a Jupyter server or kernel gateway, over HTTP and a web socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Protocol, cast, runtime_checkable
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

from studio.components import DefaultEnv, JsonObject, SecretRef
from studio.egress import Guard, http_client, place_of
from studio.executors.base import ExecutorUnavailable
from studio.models.extras import needs_extra

if TYPE_CHECKING:
    import httpx
    from websockets.asyncio.client import ClientConnection

START_LIMIT_S = 60
BETWEEN_TRIES_S = 0.1
MAX_BYTES = 64_000_000
"""Of one message of a kernel, such as a picture."""


class JupyterConnectionInfo(BaseModel):
    """Where a Jupyter server is, and its token."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: Annotated[str, Field(pattern=r"^[A-Za-z0-9.\-]+$|^\[[0-9A-Fa-f:.]+\]$")]
    use_https: bool = False
    port: Annotated[int | None, Field(ge=1, le=65535)] = None
    token: Annotated[
        SecretRef | None,
        DefaultEnv("JUPYTER_TOKEN"),
        Field(description="Reference to the server's token: `env:NAME` or `secret:name`."),
    ] = None

    @property
    def address(self) -> str:
        """Scheme, host and port."""
        return f"{'https' if self.use_https else 'http'}://{self._place}"

    @property
    def socket_address(self) -> str:
        """The same for web sockets."""
        return f"{'wss' if self.use_https else 'ws'}://{self._place}"

    @property
    def _place(self) -> str:
        return f"{self.host}:{self.port}" if self.port else self.host

    def headers(self) -> dict[str, str]:
        """What each request carries."""
        return {"Authorization": f"token {self.token.resolve()}"} if self.token else {}


@runtime_checkable
class JupyterConnectable(Protocol):
    """Anything that knows where a Jupyter server is."""

    @property
    def connection_info(self) -> JupyterConnectionInfo: ...


@asynccontextmanager
async def started_kernel(server: JupyterConnectionInfo, name: str) -> AsyncGenerator[GatewayKernel]:
    """A kernel that is ready; at the end of the block it is gone.

    Raises:
        MissingExtra: The extra `docker-jupyter` is not installed.
        ExecutorUnavailable: The server does not answer, refuses the token or has no such kernel.
    """
    with needs_extra("docker-jupyter", "DockerJupyterCodeExecutor"):
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException
    import httpx

    headers = server.headers()
    host, port = place_of(server.address)
    guard = Guard.for_host(host, port)
    async with http_client(
        guard, base_url=server.address, headers=headers, timeout=START_LIMIT_S, trust_env=False
    ) as client:
        if name not in await _kernel_names(client, server):
            raise ExecutorUnavailable(
                f"Kernel {name} is not installed.", fix="Choose a kernel that is installed on the server."
            )
        made = _answered(await client.post("/api/kernels", json={"name": name}), server, "id")
        kernel = f"/api/kernels/{made}"
        try:
            try:
                address = (await guard.addresses(host, port))[0]
                channels = await connect(
                    f"{server.socket_address}{kernel}/channels",
                    host=str(address),
                    port=port,
                    additional_headers=headers,
                    max_size=MAX_BYTES,
                    proxy=None,
                )
            except (WebSocketException, OSError) as error:
                raise ExecutorUnavailable(f"The kernel at {server.address} cannot be reached: {error}") from error
            async with channels:
                yield GatewayKernel(client, kernel, channels)
        finally:
            with suppress(httpx.TransportError):  # a server that is gone took its kernels along
                await client.delete(kernel)


async def _kernel_names(client: httpx.AsyncClient, server: JupyterConnectionInfo) -> set[str]:
    """What the server can start. One that is not up yet is asked again: nothing tells when it listens."""
    import httpx

    try:
        async with asyncio.timeout(START_LIMIT_S):
            while True:
                try:
                    answer = await client.get("/api/kernelspecs")
                    break
                except httpx.TransportError:
                    await asyncio.sleep(BETWEEN_TRIES_S)
    except TimeoutError as error:
        raise ExecutorUnavailable(
            f"No Jupyter server answers at {server.address}.", fix="Check that it is running, and its port."
        ) from error
    return set(cast("JsonObject", _answered(answer, server, "kernelspecs")))


def _answered(answer: httpx.Response, server: JupyterConnectionInfo, key: str) -> object:
    """What stands under a key of an answer.

    Raises:
        ExecutorUnavailable: It is a refusal, or the answer of something else than a Jupyter server.
    """
    if not answer.is_success:
        raise ExecutorUnavailable(
            f"The Jupyter server at {server.address} answered with status {answer.status_code}.", fix="Check its token."
        )
    try:
        return answer.json()[key]
    except (ValueError, KeyError, TypeError) as error:
        raise ExecutorUnavailable(f"There is no Jupyter server at {server.address}.", fix="Check its port.") from error


class GatewayKernel:
    """A running kernel behind a server."""

    def __init__(self, client: httpx.AsyncClient, path: str, channels: ClientConnection) -> None:
        self._client = client
        self._path = path
        self._channels = channels
        self._session = uuid4().hex
        self._turn = asyncio.Lock()

    async def execute(self, code: str, on_output: Callable[[str, JsonObject], None]) -> bool:
        from websockets.exceptions import ConnectionClosed

        async with self._turn:
            try:
                return await self._execute(code, on_output)
            except ConnectionClosed as error:
                raise ExecutorUnavailable("The Jupyter server closed the connection.", fix="Run it again.") from error

    async def _execute(self, code: str, on_output: Callable[[str, JsonObject], None]) -> bool:
        request = self._request(code)
        await self._channels.send(json.dumps(request))
        is_idle, went_well = False, None
        while went_well is None or not is_idle:
            message = cast("JsonObject", json.loads(await self._channels.recv()))
            if _id_in(message, "parent_header") != _id_in(request, "header"):
                continue  # of a cell that was broken off
            kind = str(cast("JsonObject", message["header"])["msg_type"])
            content = cast("JsonObject", message["content"])
            if kind == "execute_reply":
                went_well = content["status"] == "ok"
            elif kind == "status":
                is_idle = content["execution_state"] == "idle"
            else:
                on_output(kind, content)
        return went_well

    def _request(self, code: str) -> JsonObject:
        """Source: Jupyter's messaging protocol, "Execute"."""
        return {
            "header": {
                "msg_id": uuid4().hex,
                "msg_type": "execute_request",
                "session": self._session,
                "username": "studio",
                "version": "5.3",
                "date": "",
            },
            "parent_header": {},
            "metadata": {},
            "content": {"code": code, "silent": False, "allow_stdin": False, "stop_on_error": False},
            "channel": "shell",
            "buffers": [],
        }

    async def interrupt(self) -> None:
        import httpx

        with suppress(httpx.TransportError):
            await self._client.post(f"{self._path}/interrupt")


def _id_in(message: JsonObject, header: str) -> object:
    return cast("JsonObject", message.get(header) or {}).get("msg_id")
