"""The ready-made team of Magentic-One, as AutoGen's scripts make it."""

from __future__ import annotations

from typing import Any, cast

from studio import teams as ours
from studio.agents import ApprovalFuncType, FileSurfer, MagenticOneCoderAgent, MultimodalWebSurfer
from studio.autogen.agents import UserProxyAgent
from studio.autogen.code_agents import CodeExecutorAgent
from studio.autogen.compat_base import free
from studio.autogen.teams import FreedTeam
from studio.executors import DockerCommandLineCodeExecutor


class MagenticOne(FreedTeam, ours.MagenticOneGroupChat):
    """Opens files and pages, writes code and runs it; in a container, unless another executor is given."""

    component_label = "MagenticOne"

    def __init__(
        self,
        client: Any,
        hil_mode: bool = False,
        input_func: Any = None,
        code_executor: Any = None,
        approval_func: ApprovalFuncType | None = None,
    ) -> None:
        # AutoGen runs the code on this machine where Docker is missing; here no executor gives way to a weaker one.
        executor = code_executor or cast("Any", free(DockerCommandLineCodeExecutor))()
        members: list[Any] = [
            cast("Any", free(FileSurfer))("FileSurfer", model_client=client),
            cast("Any", free(MultimodalWebSurfer))("WebSurfer", model_client=client),
            cast("Any", free(MagenticOneCoderAgent))("Coder", model_client=client),
            CodeExecutorAgent("ComputerTerminal", code_executor=executor, approval_func=approval_func),
        ]
        if hil_mode:
            members.append(UserProxyAgent("User", input_func=input_func))
        super().__init__(members, model_client=client)
        vars(self)["client"] = client
