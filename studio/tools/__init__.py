"""Tools and workbenches: what agents can do."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy
from studio.executors.imports import Alias as Alias
from studio.executors.imports import ImportFromModule as ImportFromModule
from studio.tools.base import BaseTool as BaseTool
from studio.tools.base import StreamTool as StreamTool
from studio.tools.base import ToolReturn as ToolReturn
from studio.tools.function_tool import FunctionTool as FunctionTool
from studio.tools.overrides import ToolOverride as ToolOverride
from studio.tools.reporter import context_variables as context_variables
from studio.tools.reporter import emit as emit
from studio.tools.variables import ContextVariables as ContextVariables
from studio.tools.workbench import ImageResultContent as ImageResultContent
from studio.tools.workbench import StaticStreamWorkbench as StaticStreamWorkbench
from studio.tools.workbench import StaticWorkbench as StaticWorkbench
from studio.tools.workbench import TextResultContent as TextResultContent
from studio.tools.workbench import ToolResult as ToolResult
from studio.tools.workbench import Workbench as Workbench

if TYPE_CHECKING:
    from studio.tools.code_execution import PythonCodeExecutionTool as PythonCodeExecutionTool
    from studio.tools.http_tool import HttpTool as HttpTool
    from studio.tools.knowledge_search import KnowledgeSearchTool as KnowledgeSearchTool
    from studio.tools.langchain_adapter import LangChainToolAdapter as LangChainToolAdapter
    from studio.tools.mcp import McpWorkbench as McpWorkbench
    from studio.tools.scripted_tool import ScriptedTool as ScriptedTool
else:
    __getattr__ = lazy(
        __name__,
        {
            "code_execution": "PythonCodeExecutionTool",
            "http_tool": "HttpTool",
            "knowledge_search": "KnowledgeSearchTool",
            "langchain_adapter": "LangChainToolAdapter",
            "mcp": "McpWorkbench",
            "scripted_tool": "ScriptedTool",
        },
    )
