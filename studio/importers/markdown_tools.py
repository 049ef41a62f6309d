"""Tools and models that agents in Markdown name: those of Claude Code and of Copilot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.components import config_of, mcp_workbench
from studio.importers.findings import Location, Report
from studio.importers.names import word
from studio.importers.parts import Part
from studio.importers.tools import Toolset, mcp_params, report_stand_in, stand_in

CLAUDE_TOOLS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Read": ("Reads a file.", ("file_path",)),
    "Write": ("Writes a file.", ("file_path", "content")),
    "Edit": ("Replaces a text in a file.", ("file_path", "old_string", "new_string")),
    "MultiEdit": ("Replaces several texts in a file.", ("file_path", "edits")),
    "NotebookEdit": ("Replaces a cell of a notebook.", ("notebook_path", "new_source")),
    "NotebookRead": ("Reads a notebook.", ("notebook_path",)),
    "LS": ("Lists a folder.", ("path",)),
    "Glob": ("Finds files by a pattern.", ("pattern",)),
    "Grep": ("Searches the content of files.", ("pattern",)),
    "Bash": ("Executes a shell command.", ("command",)),
    "BashOutput": ("Reads the output of a command.", ("bash_id",)),
    "KillShell": ("Ends a command.", ("shell_id",)),
    "WebFetch": ("Reads a web page.", ("url", "prompt")),
    "WebSearch": ("Searches the web.", ("query",)),
    "TodoWrite": ("Keeps a list of tasks.", ("todos",)),
    "TodoRead": ("Reads the list of tasks.", ()),
    "AskUserQuestion": ("Asks the user.", ("question",)),
    "Skill": ("Opens a skill.", ("skill",)),
    "TeamCreate": ("Makes a team of agents.", ("team_name",)),
    "TeamDelete": ("Ends a team of agents.", ()),
    "TaskCreate": ("Adds a task.", ("subject", "description")),
    "TaskList": ("Lists the tasks.", ()),
    "TaskGet": ("Reads a task.", ("taskId",)),
    "TaskUpdate": ("Changes a task.", ("taskId", "status")),
    "SendMessage": ("Sends a message to an agent.", ("to", "message")),
}
"""Tools of Claude Code: description and required parameters, as of November 2026."""
COPILOT_SETS = frozenset(
    [
        "agent",
        "browser",
        "edit",
        "execute",
        "new",
        "read",
        "runCommands",
        "runNotebooks",
        "runTasks",
        "search",
        "shell",
        "todo",
        "todos",
        "vscode",
        "web",
    ]
)
"""Tools and sets of tools that Copilot has itself; those of a server are named like a part of a set."""
COPILOT_TOOLS = frozenset(
    [
        "activePullRequest",
        "changes",
        "codebase",
        "copilotCodingAgent",
        "createAndRunTask",
        "editFiles",
        "extensions",
        "fetch",
        "findTestFiles",
        "githubRepo",
        "listDirectory",
        "openSimpleBrowser",
        "problems",
        "readCellOutput",
        "readFile",
        "runInTerminal",
        "runTests",
        "searchResults",
        "terminalLastCommand",
        "terminalSelection",
        "testFailure",
        "textSearch",
        "fileSearch",
        "think",
        "updateUserPreferences",
        "usages",
        "vscodeAPI",
        "runSubagent",
        "getTerminalOutput",
        "runTask",
        "terminal",
        "createFile",
        "createDirectory",
    ]
)
MAX_TOOLS = 200
"""Stand-ins of one agent."""
SUBAGENTS = ("Agent", "Task", "agent", "agent/runSubagent", "runSubagent")
"""Tools by which an agent calls others."""
MODELS: Mapping[str, str] = {
    "sonnet": "claude-sonnet-4-5",
    "opus": "claude-opus-4-5",
    "haiku": "claude-haiku-4-5",
}
"""Tiers of Claude Code; each stands for the newest model of the tier, and these are those that are known here."""
_PREFIXES = (("gemini-", "gemini"), ("grok-", "xai"), ("mistral-", "mistral"), ("deepseek-", "deepseek"))
_INPUT = re.compile(r"\$\{\{\s*(?:secrets|vars)\.([\w.-]+)\s*\}\}|\$\{(?:(?:input|env):)?([\w.-]+)\}|\$([A-Za-z_]\w*)")
"""What stands for a value that the user enters, or for an environment variable."""


@dataclass
class MarkdownTools(Toolset):
    """What an agent can use."""

    subagents: list[Part] = field(default_factory=list[Part])
    """Names of agents that it can call; `*` is all."""


def model_named(text: str) -> str | None:
    """The model that a label of Claude Code or Copilot stands for; None where it stands for none in particular."""
    plain = re.sub(r"\s*\([^()]*\)\s*$", "", text.strip())
    if plain.lower() in ("", "inherit", "auto", "default"):
        return None
    tier = plain.lower().split("[", 1)[0]
    if tier in MODELS:
        return MODELS[tier]
    name = re.sub(r"\s+", "-", plain.lower()) if "/" not in plain else plain
    if name.startswith("claude-"):
        return name.replace(".", "-")
    service = next((service for prefix, service in _PREFIXES if name.startswith(prefix)), "")
    return f"{service}/{name}" if service else name


def tool_parts(part: Part | None) -> Iterator[Part]:
    """Each tool that is named: in a list, in a text with commas, or in an object that switches them on."""
    if part is None:
        return
    if part.entries is not None:
        for name, each in part.entries.items():
            if each.value is not False:
                yield Part(each.place, name)
        return
    for each in part.all_of():
        if not each.text:
            yield each
            continue
        for name in _divided(each.text):
            yield replace(each, value=name)


def _divided(text: str) -> Iterator[str]:
    """What commas divide outside of parentheses; the text of a list in brackets, too."""
    depth, begin = 0, 0
    plain = text.strip()
    plain = plain[1:-1] if plain.startswith("[") and plain.endswith("]") else plain
    for at, letter in enumerate([*plain, ","]):
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth = max(0, depth - 1)
        elif letter == "," and (not depth or at == len(plain)):
            name = plain[begin:at].strip().strip("\"'")
            begin = at + 1
            if name:
                yield name


class ToolReader:
    """Reads the tools of one agent."""

    def __init__(self, given: Mapping[str, Part], report: Report, owner: str) -> None:
        self._given = given
        self._report = report
        self._owner = owner
        self._servers = dict(self._described())
        self._denied = {each.text.partition("(")[0] for each in tool_parts(given.get("disallowedTools"))}
        self.found = MarkdownTools()

    def read(self) -> MarkdownTools:
        part = self._given.get("tools")
        names = list(tool_parts(part))
        if part is None or any(each.text == "*" for each in names):
            place = part.place if part is not None else self._given["description"].place
            why = "There, the agent can use all tools of the editor or of Claude Code. None of them comes along."
            fix = "Add the tools that it needs."
            self._report.add("approximated", place, f"Tools of {self._owner}", why, fix=fix, became=self._owner)
        elif not names:
            self._report.add("exact", part.place, f"No tools of {self._owner}", became=self._owner)
        for each in names:
            if each.text.partition("(")[0] not in self._denied:
                self._add(each)
        for name, each in self._servers.items():
            self._server(name, each)
        return self.found

    def _add(self, part: Part) -> None:
        text = part.text
        name, _, within = text.partition("(")
        name = name.strip()
        if not name or name == "*":
            if not text:
                why = "It is not the name of a tool."
                self._report.add("dropped", part.place, f"A tool of {self._owner}", why, became=self._owner)
            return
        if name in SUBAGENTS:
            listed = [each.strip() for each in within.rstrip(")").split(",") if each.strip()]
            self.found.subagents += [replace(part, value=each) for each in listed or ("*",)]
        elif name.startswith("mcp__"):
            server, _, tool = name[len("mcp__") :].partition("__")
            self._of_server(server, tool, part.place)
        elif name in CLAUDE_TOOLS:
            described, parameters = CLAUDE_TOOLS[name]
            self._stand_in(name, described, parameters, "Claude Code", part.place)
            if within:
                why = f"Which calls it is allowed to make, `{within.rstrip(')')}`, is not imported."
                what = f"Rule of the tool `{name}` of {self._owner}"
                self._report.add("dropped", part.place, what, why, became=self._owner)
        else:
            self._of_copilot(name, part.place)

    def _of_copilot(self, name: str, place: Location) -> None:
        first, slash, last = name.partition("/")
        is_own = first in COPILOT_SETS or (not slash and first in COPILOT_TOOLS)
        if is_own and last != "*":
            self._stand_in(word(last or first) or "tool", f"The tool {name} of Copilot.", ("input",), "Copilot", place)
        elif is_own:
            why = "The tools of this set belong to Copilot."
            what = f"Tools `{name}` of {self._owner}"
            self._report.add("dropped", place, what, why, fix="Add the tools that it needs.", became=self._owner)
        else:
            self._of_server(first, last, place)

    def _of_server(self, server: str, tool: str, place: Location) -> None:
        """A tool of an MCP server, or all of them."""
        if server not in self._servers:
            why = "The files do not say how to reach it. It may be an extension of the editor or an MCP server."
            what = f"Tools `{server}` of {self._owner}"
            self._report.add("asked", place, what, why, fix="Add the MCP server.", became=self._owner)
        elif tool not in ("", "*"):
            why = "The agent gets all tools of the server, not the selected ones alone."
            what = f"Tool `{tool}` of the MCP server {server} of {self._owner}"
            self._report.add("approximated", place, what, why, became=self._owner)

    def _stand_in(self, name: str, described: str, parameters: Sequence[str], whose: str, place: Location) -> None:
        if any(config_of(each).get("name") == name for each in self.found.tools):
            return
        if len(self.found.tools) == MAX_TOOLS:
            why = f"An agent has no more than {MAX_TOOLS} tools here."
            self._report.add("dropped", place, f"Further tools of {self._owner}", why, became=self._owner)
            return
        why = f"`{name}` is a tool of {whose}."
        report_stand_in(self._report, place, f"Tool `{name}` of {self._owner}", why, self._owner)
        properties: JsonObject = {each: {"type": "string"} for each in parameters}
        schema: JsonObject = {"properties": properties, "required": list(parameters)}
        self.found.tools.append(stand_in(name, described, schema, why))

    # --- MCP ---

    def _described(self) -> Iterator[tuple[str, Part]]:
        """The servers that the front matter describes, by name."""
        for key in ("mcp-servers", "mcpServers"):
            part = self._given.get(key)
            for each in part.all_of() if part is not None and part.entries is None else (part,):
                if each is not None and each.entries is not None:
                    yield from each.entries.items()
                elif each is not None and each.text:
                    self._of_server_named(each)

    def _of_server_named(self, part: Part) -> None:
        why = "The file only names it."
        what = f"MCP server {part.text} of {self._owner}"
        self._report.add("asked", part.place, what, why, fix="Add the MCP server.", became=self._owner)

    def _server(self, name: str, part: Part) -> None:
        given = part.plain()
        values: Mapping[str, JsonValue] = given if isinstance(given, dict) else {}
        names: set[str] = set()
        filled = {key: _with_variables(value, names) for key, value in values.items()}
        params = mcp_params("", {**filled, "transport": values.get("type")})
        what = f"MCP server {name} of {self._owner}"
        if params is None:
            why = "Neither its address nor its command can be read."
            self._report.add("asked", part.place, what, why, fix="Add the MCP server.", became=self._owner)
            return
        self.found.workbenches.append(mcp_workbench(params))
        listed = [each.text for each in tool_parts(part.get("tools"))]
        if listed and "*" not in listed:
            why = f"The agent gets all tools of the server, not {', '.join(listed)} alone."
            self._report.add("approximated", part.place, what, why, became=self._owner)
        else:
            self._report.add("exact", part.place, what, became=self._owner)
        for variable in sorted(names):
            why = f"It is read from the environment variable {variable}."
            self._report.add("asked", part.place, f"A value of {what}", why, fix=f"Set {variable}.", became=self._owner)


def _with_variables(value: JsonValue, names: set[str]) -> JsonValue:
    """The value with references to environment variables in place of what the user enters there."""
    if isinstance(value, dict):
        return {key: _with_variables(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_variables(each, names) for each in value]
    if not isinstance(value, str):
        return value
    is_whole = _INPUT.fullmatch(value) is not None

    def reference(found: re.Match[str]) -> str:
        variable = re.sub(r"\W", "_", found[1] or found[2] or found[3]).upper()
        names.add(variable)
        return f"env:{variable}" if is_whole else f"{{env:{variable}}}"

    return _INPUT.sub(reference, value)
