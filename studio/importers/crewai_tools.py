"""Tools of CrewAI: functions, classes with `_run`, MCP servers, and stand-ins for those of its packages."""

from __future__ import annotations

import ast
import keyword
import re
import unicodedata
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.components import component, mcp_workbench
from studio.importers.findings import Location, Report
from studio.importers.parts import Part
from studio.importers.python_script import Function, PythonScript, called, keywords, short
from studio.importers.tools import Toolset, function_tool, mcp_params, report_stand_in, stand_in

CODE = "autogen_ext.tools.code_execution.PythonCodeExecutionTool"
DOCKER = "autogen_ext.code_executors.docker.DockerCommandLineCodeExecutor"
MAX_NAME = 60
_KNOWN: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "SerperDevTool": ("Search the internet with Serper", "Searches the internet.", ("search_query",)),
    "ScrapeWebsiteTool": ("Read website content", "Reads the content of a website.", ("website_url",)),
    "WebsiteSearchTool": (
        "Search in a specific website",
        "Searches the content of a website.",
        ("search_query", "website"),
    ),
    "FileReadTool": ("Read a file's content", "Reads the content of a file.", ("file_path",)),
    "FileWriterTool": ("File Writer Tool", "Writes content to a file.", ("filename", "content")),
    "DirectoryReadTool": ("List files in directory", "Lists the content of a directory.", ("directory",)),
    "DirectorySearchTool": (
        "Search a directory's content",
        "Searches the content of a directory.",
        ("search_query", "directory"),
    ),
    "TXTSearchTool": ("Search a txt's content", "Searches the content of a text file.", ("search_query", "txt")),
    "PDFSearchTool": ("Search a PDF's content", "Searches the content of a PDF.", ("query", "pdf")),
    "CSVSearchTool": ("Search a CSV's content", "Searches the content of a CSV file.", ("search_query", "csv")),
    "JSONSearchTool": (
        "Search a JSON's content",
        "Searches the content of a JSON file.",
        ("search_query", "json_path"),
    ),
    "MDXSearchTool": ("Search a MDX's content", "Searches the content of an MDX file.", ("search_query", "mdx")),
    "GithubSearchTool": (
        "Search a github repo's content",
        "Searches the content of a GitHub repository.",
        ("search_query", "github_repo"),
    ),
    "YoutubeVideoSearchTool": (
        "Search a Youtube Video content",
        "Searches the content of a YouTube video.",
        ("search_query", "youtube_video_url"),
    ),
    "SeleniumScrapingTool": (
        "Read a website content",
        "Reads the content of a website.",
        ("website_url", "css_element"),
    ),
    "FirecrawlScrapeWebsiteTool": ("Firecrawl web scrape tool", "Reads the content of a website.", ("url",)),
    "TavilySearchTool": ("Tavily Search", "Searches the web.", ("query",)),
    "BraveSearchTool": ("Brave Search", "Searches the web.", ("q",)),
    "DallETool": ("Dall-E Tool", "Generates an image.", ("image_description",)),
    "VisionTool": ("Vision Tool", "Describes an image.", ("image_path_url",)),
    "NL2SQLTool": ("NL2SQLTool", "Executes SQL queries.", ("sql_query",)),
}
"""Tools of the package crewai_tools: name, description and required parameters, as of August 2026."""


def tool_name(name: str) -> str:
    """A tool's name as CrewAI gives it to models."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    plain = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", plain)
    plain = re.sub(r"([a-z\d])([A-Z])", r"\1_\2", plain).lower()
    plain = re.sub(r"[^a-z0-9_]+", "_", re.sub(r"['\"]+", "", plain))
    return re.sub(r"_+", "_", plain).strip("_")[:MAX_NAME]


class ToolMaker:
    """Makes the tools of agents and tasks."""

    def __init__(self, script: PythonScript | None, report: Report) -> None:
        self._script = script
        self._report = report
        self._runs: dict[str, Function] = {}
        """By class, the function that its method has become."""

    def add(self, part: Part | None, found: Toolset, owner: str) -> None:
        """Add the tools of a list, or of a server that is a list."""
        for each in part.all_of() if part is not None else ():
            self._add(each, found, owner)

    def add_servers(self, part: Part | None, found: Toolset, owner: str) -> None:
        """Add the MCP servers of a list."""
        for each in part.all_of() if part is not None else ():
            self._server(each, found, owner)

    def _add(self, part: Part, found: Toolset, owner: str) -> None:
        node = part.node
        if part.text or part.entries is not None or node is None:
            self._named(part, found, owner)
            return
        kind = called(node)
        function = self._function(node)
        if function is not None:
            found.add(self._of_function(function, owner))
        elif "MCPServerAdapter" in kind or kind == "get_mcp_tools":
            self._adapter(part, found, owner)
        elif kind == "CodeInterpreterTool":
            self._code(part.place, found, owner)
        elif self._script is not None and kind in self._script.classes and (run := self._run(kind)) is not None:
            found.add(self._of_class(self._script.classes[kind], run, owner))
        else:
            self._stand_in(kind or self._imported(node), part, found, owner, is_known=bool(kind))

    def _imported(self, node: ast.expr) -> str:
        return node.id if isinstance(node, ast.Name) else short(node)

    def _function(self, node: ast.expr) -> Function | None:
        """The function of the script that is a tool."""
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        return self._script.functions.get(name) if self._script is not None else None

    def _of_function(self, function: Function, owner: str) -> JsonObject:
        assert self._script is not None, "a function is one of the script"
        name = function.name
        for each in function.decorator_list:
            first = next(iter(each.args), None) if isinstance(each, ast.Call) else None
            given = self._script.value_or_none(first)
            name = given if isinstance(given, str) and given else name
        described = ast.get_docstring(function) or ""
        return function_tool(self._script, function, self._report, owner, called=tool_name(name), described=described)

    def _run(self, name: str) -> Function | None:
        """The method that does the work of a class of tools."""
        assert self._script is not None, "a class is one of the script"
        methods = {each.name: each for each in self._script.classes[name].body if isinstance(each, Function)}
        return self._runs.get(name) or methods.get("_run") or methods.get("run") or methods.get("_arun")

    def _of_class(self, cls: ast.ClassDef, run: Function, owner: str) -> JsonObject:
        """A tool of a class; the method is changed in place, so that what is known of its place stays true."""
        assert self._script is not None, "a class is one of the script"
        fields = _fields(cls)
        given = self._script.value_or_none(fields.get("name"))
        described = self._script.value_or_none(fields.get("description"))
        name = tool_name(given if isinstance(given, str) and given else cls.name) or "tool"
        if cls.name not in self._runs:
            self._runs[cls.name] = run
            run.name = name if name.isidentifier() and not keyword.iskeyword(name) else f"tool_{name}"
            run.decorator_list = []
            run.args.args = [each for each in run.args.args if each.arg != "self"]
            self._describe(run, fields.get("args_schema"))
        text = described if isinstance(described, str) and described else ast.get_docstring(cls) or f"The tool {name}."
        return function_tool(self._script, run, self._report, owner, called=name, described=text)

    def _describe(self, run: Function, schema: ast.expr | None) -> None:
        """Give parameters the descriptions of the class that describes them."""
        assert self._script is not None, "a class is one of the script"
        cls = self._script.classes.get(schema.id) if isinstance(schema, ast.Name) else None
        for name, value in _fields(cls).items() if cls is not None else ():
            text = (
                self._script.value_or_none(keywords(value).get("description")) if isinstance(value, ast.Call) else None
            )
            for each in run.args.args:
                if each.arg == name and isinstance(text, str) and text and isinstance(each.annotation, ast.Name):
                    inner = ast.Tuple([each.annotation, ast.Constant(text)], ast.Load())
                    self._script.imports.setdefault("Annotated", "from typing import Annotated")
                    each.annotation = ast.Subscript(ast.Name("Annotated", ast.Load()), inner, ast.Load())

    def _named(self, part: Part, found: Toolset, owner: str) -> None:
        """A tool that YAML or JSON names; its code is never looked up by that name."""
        named = part.get("name") or part.get("type") or part.get("ref") or part.get("python")
        text = part.text or (named.text if named is not None else "")
        name = re.split(r"[:./]", text.strip())[-1]
        if name == "CodeInterpreterTool":
            self._code(part.place, found, owner)
        else:
            self._stand_in(name or "tool", part, found, owner, is_known=name in _KNOWN)

    def _stand_in(self, kind: str, part: Part, found: Toolset, owner: str, *, is_known: bool) -> None:
        shown, description, parameters = _KNOWN.get(kind, (kind, f"The tool {kind}.", ("query",)))
        why = f"`{kind}` is code of another package." if is_known else f"The code of `{kind}` is not in the files."
        name = tool_name(shown) or "tool"
        report_stand_in(self._report, part.place, f"Tool `{name}` of {owner}", why, owner)
        properties: JsonObject = {each: {"type": "string"} for each in parameters}
        schema: JsonObject = {"properties": properties, "required": list(parameters)}
        found.add(stand_in(name, description, schema, why))

    def _code(self, place: Location, found: Toolset, owner: str) -> None:
        why = "Code runs in Docker by our own tool, with files of its own."
        self._report.add("approximated", place, f"Tool `CodeInterpreterTool` of {owner}", why, became=owner)
        found.tools.append(component(CODE, executor=component(DOCKER)))

    # --- MCP ---

    def _adapter(self, part: Part, found: Toolset, owner: str) -> None:
        """The servers of `MCPServerAdapter(...)`, or of the class whose `get_mcp_tools()` is called."""
        assert self._script is not None, "an adapter is in a script"
        call = part.node
        first = call.args[0] if isinstance(call, ast.Call) and call.args else None
        if first is None and isinstance(call, ast.Call):
            first = keywords(call).get("serverparams") or self._script.values.get("mcp_server_params")
        resolved = self._script.resolved(first) if first is not None else None
        nodes = list(resolved.elts) if isinstance(resolved, ast.List | ast.Tuple) else [resolved] if resolved else []
        if not nodes:
            self._lost(part.place, owner)
        for node in nodes:
            self._server(Part(self._script.place(node), node=self._script.resolved(node)), found, owner)

    def _server(self, part: Part, found: Toolset, owner: str) -> None:
        """One server: an address, an object with settings, or the call that makes it."""
        kind, given = "", dict[str, JsonValue]()
        if part.text:
            address, _, tools = part.text.partition("#")
            given = {"url": address, **({"tool_filter": tools} if tools else {})}
        elif part.entries is not None:
            given = {name: each.plain() for name, each in part.entries.items()}
        elif part.node is not None and self._script is not None:
            kind = called(part.node)
            pairs = dict(_pairs(part.node))
            given = {name: self._script.value_or_none(node) for name, node in pairs.items()}
        params = mcp_params(kind, given)
        if params is None:
            self._lost(part.place, owner)
            return
        what = f"MCP server of {owner}"
        if given.get("tool_filter"):
            why = "The agent gets all tools of the server, not the selected ones alone."
            self._report.add("approximated", part.place, what, why, became=owner)
        else:
            self._report.add("exact", part.place, what, became=owner)
        found.workbenches.append(mcp_workbench(params))

    def _lost(self, place: Location, owner: str) -> None:
        why = "Neither its address nor its command can be read."
        self._report.add("asked", place, f"MCP server of {owner}", why, fix="Add the MCP server.", became=owner)


def _pairs(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The entries of a dictionary with texts as keys, or the named arguments of a call."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value
    elif isinstance(node, ast.Call):
        yield from keywords(node).items()


def _fields(cls: ast.ClassDef) -> dict[str, ast.expr]:
    """The fields of a class that have a value."""
    found: dict[str, ast.expr] = {}
    for each in cls.body:
        match each:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found[name] = value
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = value
            case _:
                pass
    return found
