"""Tools of MCP servers."""

from studio.tools.mcp.adapters import McpTool as McpTool
from studio.tools.mcp.adapters import McpToolAdapter as McpToolAdapter
from studio.tools.mcp.adapters import SseMcpToolAdapter as SseMcpToolAdapter
from studio.tools.mcp.adapters import StdioMcpToolAdapter as StdioMcpToolAdapter
from studio.tools.mcp.adapters import StreamableHttpMcpToolAdapter as StreamableHttpMcpToolAdapter
from studio.tools.mcp.adapters import create_mcp_server_session as create_mcp_server_session
from studio.tools.mcp.adapters import mcp_server_tools as mcp_server_tools
from studio.tools.mcp.connection import McpUnavailable as McpUnavailable
from studio.tools.mcp.host import ChatCompletionClientSampler as ChatCompletionClientSampler
from studio.tools.mcp.host import Elicitor as Elicitor
from studio.tools.mcp.host import McpSessionHost as McpSessionHost
from studio.tools.mcp.host import Root as Root
from studio.tools.mcp.host import RootsProvider as RootsProvider
from studio.tools.mcp.host import Sampler as Sampler
from studio.tools.mcp.host import StaticRootsProvider as StaticRootsProvider
from studio.tools.mcp.host import StdioElicitor as StdioElicitor
from studio.tools.mcp.servers import McpServerParams as McpServerParams
from studio.tools.mcp.servers import SseServerParams as SseServerParams
from studio.tools.mcp.servers import StdioServerParams as StdioServerParams
from studio.tools.mcp.servers import StreamableHttpServerParams as StreamableHttpServerParams
from studio.tools.mcp.workbench import McpSessionActor as McpSessionActor
from studio.tools.mcp.workbench import McpWorkbench as McpWorkbench
