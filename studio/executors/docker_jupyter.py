"""Code in a Jupyter kernel in a Docker container, or behind any Jupyter server."""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, ClassVar, Self
from uuid import uuid4

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, SecretStr

from studio.components import Capability, Component, DefaultEnv, SecretRef
from studio.components.folders import describe_folder, file_capability, make_folder
from studio.executors.base import ExecutorUnavailable, path_of
from studio.executors.cells import CellExecutor, JupyterCodeResult, KernelName, OutputFolder
from studio.executors.command_line import Folder, reason
from studio.executors.container import STAYS, AutoRemove, Container, ContainerName, StopContainer, bound
from studio.executors.docker_engine import PULL_LIMIT_S, docker, require_engine
from studio.executors.gateway import JupyterConnectable, JupyterConnectionInfo, started_kernel
from studio.executors.published import published
from studio.models.headers import references_in, resolved_headers

IMAGE = "studio-jupyter"
DOCKERFILE = """\
FROM python:3-slim
RUN pip install --no-cache-dir jupyter_kernel_gateway ipykernel
CMD ["sh", "-c", "exec jupyter kernelgateway --KernelGatewayApp.ip=0.0.0.0 --KernelGatewayApp.port=8888"]
"""
TOKENS = ("TOKEN", "KG_AUTH_TOKEN")
"""Variables from which images read the token: those made for AutoGen, and the kernel gateway itself."""


@contextmanager
def _folder_with_dockerfile() -> Generator[str]:
    with tempfile.TemporaryDirectory(prefix="studio-image-") as folder:
        Path(folder, "Dockerfile").write_text(DOCKERFILE, encoding="utf-8")
        yield folder


@contextmanager
def _environment_file(variables: Mapping[str, str]) -> Generator[str]:
    """A file for `docker run --env-file` that only this user can read.

    Everybody on the machine can read a command line; and in its own environment the `docker` command would obey a
    team's variables itself, such as `PATH`, `LD_PRELOAD` or `DOCKER_HOST`.

    Raises:
        ExecutorUnavailable: A value has several lines, which such a file cannot hold.
    """
    if several := [name for name, value in variables.items() if len(value.splitlines()) > 1]:
        raise ExecutorUnavailable(
            f"The variable {several[0]!r} has several lines, which Docker does not allow.", fix="Use a single line."
        )
    with tempfile.TemporaryDirectory(prefix="studio-environment-") as folder:
        file = Path(folder, "environment")
        file.write_text("".join(f"{name}={value}\n" for name, value in variables.items()), encoding="utf-8")
        yield str(file)


def _are_names_of_variables(variables: dict[str, str] | None) -> dict[str, str] | None:
    for name in variables or ():
        if not name or name.startswith("#") or any(letter.isspace() or letter in "=\0" for letter in name):
            raise ValueError(f"{name!r} is not a valid variable name.")
    return variables


class DockerJupyterServer(Component):
    """A Jupyter server in a Docker container that only this machine can reach."""

    provider = "autogen_ext.code_executors.docker_jupyter.DockerJupyterServer"
    aliases = (
        "autogen_ext.code_executors.docker_jupyter._jupyter_server.DockerJupyterServer",
        "studio.executors.DockerJupyterServer",
    )
    component_type: ClassVar[str] = "jupyter_server"

    custom_image_name: Annotated[
        str | None,
        Field(pattern="^[^-]", description="Docker image. Empty: the studio's own image, built when missing."),
    ] = None
    container_name: ContainerName = None
    auto_remove: AutoRemove = True
    stop_container: StopContainer = True
    docker_env: Annotated[
        dict[str, str] | None,
        AfterValidator(_are_names_of_variables),
        Field(description="Environment variables in the container. A value may reference a secret: `env:NAME`."),
    ] = None
    expose_port: Annotated[
        int,
        Field(
            ge=1, le=65535, description="Port of the server in the container.", json_schema_extra={"x-advanced": True}
        ),
    ] = 8888
    token: Annotated[
        SecretRef | None,
        DefaultEnv("JUPYTER_TOKEN"),
        Field(
            description="Reference to the server's token. Generated if empty.", json_schema_extra={"x-advanced": True}
        ),
    ] = None
    work_dir: Annotated[str, Field(pattern="^/", description="Folder in the container.")] = "/workspace"
    bind_dir: Annotated[Folder, Field(description="Folder of this machine to mount in the container. Empty: none.")] = (
        None
    )

    _connection: JupyterConnectionInfo | None = PrivateAttr(default=None)
    _resources: AsyncExitStack = PrivateAttr(default_factory=AsyncExitStack)

    def capabilities(self) -> Iterator[Capability]:
        yield from super().capabilities()
        for secret in references_in(self.docker_env):
            text = f"Gives the secret {secret.reference} to a Docker container."
            yield Capability("secret", text, f"{secret.reference} to a container of {self.image}")
        folder = describe_folder(self.bind_dir) if self.bind_dir else None
        detail = {
            "image": self.image,
            "folder": folder,
            "environment": self.docker_env or {},
            **({} if self.stop_container else {"stays": True}),
        }
        place = f", which can change the folder {folder!r} of this machine" if folder else ""
        stays = "" if self.stop_container else f" {STAYS}"
        text = f"Runs any code that the model writes in a Docker container of {self.image!r}{place}.{stays}"
        command = f"docker {json.dumps(detail, sort_keys=True)}"
        yield Capability("process", text, command, is_open=True)

    @property
    def image(self) -> str:
        """What the container is made of."""
        return self.custom_image_name or IMAGE

    @property
    def is_started(self) -> bool:
        """Whether the container is there."""
        return self._connection is not None

    @property
    def connection_info(self) -> JupyterConnectionInfo:
        """Where the server is.

        Raises:
            ExecutorUnavailable: It is not started.
        """
        if self._connection is None:
            raise ExecutorUnavailable("The Jupyter server is not started.", fix="Enter it with `async with`.")
        return self._connection

    async def start(self) -> None:
        """Start the container; does nothing when it is there.

        Raises:
            ExecutorUnavailable: There is no Docker engine, or the container does not start.
        """
        if self._connection is not None:
            return
        await require_engine()
        await self._require_image()
        name = self.container_name or f"studio-jupyter-{uuid4()}"
        token = self.token or SecretRef("secret:unnamed", SecretStr(secrets.token_hex(32)))
        container = Container(self.image, name, is_removed=self.auto_remove, is_stopped=self.stop_container)
        async with AsyncExitStack() as resources:
            await self._run(container, token.resolve())
            resources.push_async_callback(container.stop)
            port = await resources.enter_async_context(published(name, self.expose_port))
            self._resources = resources.pop_all()
        self._connection = JupyterConnectionInfo(host="127.0.0.1", use_https=False, port=port, token=token)

    async def _require_image(self) -> None:
        """See that the image is there; the studio's own is made."""
        if (await docker("image", "inspect", self.image)).exit_code == 0:
            return
        if self.custom_image_name:
            raise ExecutorUnavailable(f"Custom image {self.image} does not exist.", fix="Pull or build it first.")
        with _folder_with_dockerfile() as folder:
            outcome = await docker("build", "--quiet", "--tag", IMAGE, folder, limit_s=PULL_LIMIT_S)
        if outcome.exit_code != 0:
            raise ExecutorUnavailable(f"The image {IMAGE!r} cannot be made: {reason(outcome)}")

    async def _run(self, container: Container, token: str) -> None:
        folder = make_folder(self.bind_dir, self.capabilities()) if self.bind_dir else None
        place, memory = (bound(folder, self.work_dir), ()) if folder else ([], (self.work_dir,))
        with _environment_file({**dict.fromkeys(TOKENS, token), **resolved_headers(self.docker_env)}) as file:
            options = ["--init", "--workdir", self.work_dir, *place, "--env-file", file]
            await container.start(options, folder=folder, memory=memory, capabilities=tuple(self.capabilities()))

    async def stop(self) -> None:
        """Stop the container, unless it is to stay."""
        self._connection = None
        await self._resources.aclose()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.stop()


class DockerJupyterCodeResult(JupyterCodeResult):
    """What running cells in a container gave."""


def _connected(value: Any) -> Any:
    """A script's own object that knows a server, as what it knows."""
    if not isinstance(value, Component) and isinstance(value, JupyterConnectable):
        return value.connection_info
    return value


class DockerJupyterCodeExecutor(CellExecutor):
    """Runs Python code in a Jupyter kernel in a Docker container, or behind another Jupyter server.

    Needs the extra `docker-jupyter`.
    """

    provider = "autogen_ext.code_executors.docker_jupyter.DockerJupyterCodeExecutor"
    aliases = (
        "autogen_ext.code_executors.docker_jupyter._docker_jupyter.DockerJupyterCodeExecutor",
        "studio.executors.DockerJupyterCodeExecutor",
    )
    positional = ("jupyter_server", "kernel_name", "timeout", "output_dir")
    result_type = DockerJupyterCodeResult

    jupyter_server: Annotated[
        DockerJupyterServer | JupyterConnectionInfo,
        BeforeValidator(_connected),
        Field(description="A new container, or the address of a running server."),
    ] = Field(default_factory=DockerJupyterServer, description="A new container, or the address of a running server.")
    kernel_name: KernelName = "python3"
    output_dir: OutputFolder = None

    def capabilities(self) -> Iterator[Capability]:
        server = self.jupyter_server
        if isinstance(server, JupyterConnectionInfo):
            if server.token is not None:
                text = f"Sends the secret {server.token.reference} to {server.address}."
                yield Capability("secret", text, f"{server.token.reference} to {server.address}")
            text = f"Runs any code that the model writes at {server.address}."
            yield Capability("host", text, server.address, is_open=True)
        if self.output_dir:
            yield file_capability("write", self.output_dir, "Saves the images and pages of cells in {}.")

    async def _start(self) -> None:
        server = self.jupyter_server
        async with AsyncExitStack() as resources:
            temporary = tempfile.TemporaryDirectory(prefix="studio-code-", ignore_cleanup_errors=True)
            resources.enter_context(temporary)
            folder = make_folder(self.output_dir, self.capabilities()) if self.output_dir else None
            if isinstance(server, DockerJupyterServer):
                if folder is None and server.bind_dir:
                    folder = make_folder(server.bind_dir, server.capabilities())
                if not server.is_started:
                    await resources.enter_async_context(server)
                server = server.connection_info
            self._folder = folder or path_of(temporary)
            self._kernel = await resources.enter_async_context(started_kernel(server, self.kernel_name))
            self._resources = resources.pop_all()
