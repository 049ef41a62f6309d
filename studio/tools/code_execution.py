"""Code of the model as a tool call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field, ValidationError, model_serializer

from studio.components import JsonObject
from studio.errors import ToolFailed
from studio.executors import CodeExecutor
from studio.executors.code_calls import running_code_for
from studio.files import FILES
from studio.messages import CancellationToken, CodeBlock, CodeResult, ToolSchema
from studio.tools.base import BaseTool, ToolReturn
from studio.tools.reporter import calling_agent, pass_on


class CodeExecutionInput(BaseModel):
    """What the model writes."""

    code: Annotated[str, Field(description="The contents of the Python code block that should be executed")]


class CodeExecutionResult(BaseModel):
    """What came of it; written as the output alone."""

    success: bool
    output: str

    @model_serializer
    def _as_output(self) -> str:
        return self.output


class PythonCodeExecutionTool(BaseTool):
    """Runs Python code that the model writes, in an executor."""

    provider = "autogen_ext.tools.code_execution.PythonCodeExecutionTool"
    aliases = (
        "autogen_ext.tools.code_execution._code_execution.PythonCodeExecutionTool",
        "autogenstudio.gallery.builder.PythonCodeExecutionTool",
        "studio.tools.PythonCodeExecutionTool",
    )
    positional = ("executor", "description")
    name: ClassVar[str] = "CodeExecutor"

    executor: Annotated[CodeExecutor, Field(description="Where code runs.")]
    description: Annotated[
        str,
        Field(description="Tells the model what the tool does.", json_schema_extra={"x-multiline": True}),
    ] = "Execute Python code blocks."

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- AutoGen's name; Pydantic's is deprecated
        code = CodeExecutionInput.model_json_schema()["properties"]["code"]
        return ToolSchema(
            name=self.name,
            description=self.description,
            parameters={
                "type": "object",
                "properties": {"code": code},
                "required": ["code"],
                "additionalProperties": False,
            },
            strict=False,
        )

    async def call(
        self,
        arguments: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolReturn:
        """Run the code. The execution is an effect, so the call as a whole is none.

        Code that fails is no failed call: the model reads what it printed, as in AutoGen. An event lists the files that
        the run keeps of what the code has written.
        """
        try:
            given = CodeExecutionInput.model_validate(dict(arguments))
        except ValidationError as error:
            raise ToolFailed(str(error)) from error
        result = await self._execute(given, cancellation_token)
        if result.files:
            written: JsonObject = {"name": FILES, "content": [file.model_dump() for file in result.files]}
            pass_on(self.name, call_id, {"events": [written]})
        return ToolReturn({"success": result.exit_code == 0, "output": result.output}, result.output)

    async def run(
        self, args: CodeExecutionInput, cancellation_token: CancellationToken | None = None
    ) -> CodeExecutionResult:
        """Run the code in the executor."""
        result = await self._execute(args, cancellation_token)
        return CodeExecutionResult(success=result.exit_code == 0, output=result.output)

    async def _execute(self, args: CodeExecutionInput, token: CancellationToken | None) -> CodeResult:
        block = CodeBlock(code=args.code, language="python")
        with running_code_for(calling_agent(), self.name):
            return await self.executor.execute_code_blocks([block], token)

    async def stop(self) -> None:
        await self.executor.release()
