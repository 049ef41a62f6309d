"""From files to a team: which source they are of, and its reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from studio.components import JsonObject, parse_document
from studio.components.python_text import bounded_together
from studio.errors import ConfigError, InvalidDocument, StudioError
from studio.importers.adk import SOURCE as ADK
from studio.importers.adk import import_adk, is_adk, is_adk_text
from studio.importers.agent_builder_code import ENTRY, import_code
from studio.importers.agent_builder_json import PREFIX, import_json
from studio.importers.agent_framework import SOURCE as AGENT_FRAMEWORK
from studio.importers.agent_framework import import_agent_framework
from studio.importers.agent_framework_document import is_agent_framework, is_framework_text
from studio.importers.agent_framework_script import SOURCE as AGENT_FRAMEWORK_SCRIPT
from studio.importers.agent_framework_script import import_framework_script, is_framework_script
from studio.importers.agent_spec import SOURCE as AGENT_SPEC
from studio.importers.agent_spec import import_agent_spec
from studio.importers.agent_spec_document import is_agent_spec, is_spec_text
from studio.importers.autogen_studio import import_workflow, workflow_in
from studio.importers.bundle import MAX_DOCUMENT, Bundle, bundle_of
from studio.importers.classic_chats import import_classic, is_classic
from studio.importers.crewai import import_crewai, is_crewai
from studio.importers.crewai_documents import is_crew_text
from studio.importers.dify import SOURCE as DIFY
from studio.importers.dify import import_dify, is_dify
from studio.importers.dify_document import is_dify_text
from studio.importers.findings import Imported
from studio.importers.flowise import import_flowise, is_flowise
from studio.importers.flowise_documents import MARK as FLOWISE_MARK
from studio.importers.flowise_documents import TOOL_MARK
from studio.importers.langflow import SOURCE as LANGFLOW
from studio.importers.langflow import import_langflow, is_langflow
from studio.importers.langflow_documents import MARK as LANGFLOW_MARK
from studio.importers.letta import SOURCE as LETTA
from studio.importers.letta import import_letta
from studio.importers.letta_document import MARK as LETTA_MARK
from studio.importers.letta_document import is_letta
from studio.importers.markdown_agents import SOURCE as MARKDOWN
from studio.importers.markdown_agents import import_markdown
from studio.importers.markdown_files import is_agent_text, is_markdown
from studio.importers.n8n import SOURCE as N8N
from studio.importers.n8n import import_n8n, is_n8n
from studio.importers.n8n_document import MARKS as N8N_MARKS
from studio.importers.parts import MAX_LENGTH
from studio.importers.pydantic_ai import SOURCE as PYDANTIC_AI
from studio.importers.pydantic_ai import import_pydantic_ai, is_pydantic_ai, is_pydantic_ai_text
from studio.importers.python_script import PythonScript
from studio.importers.sdk_script import import_script

STUDIO_MARK = '"userproxy"'
TRACE_MARK = "__trace_source__"
COMPONENT = re.compile(r"^[ \t{]*[\"']?provider[\"']?[ \t]*:", re.MULTILINE)
"""What a component has, in JSON or YAML, and a crew has not."""


@dataclass(frozen=True)
class Source:
    """Something that teams come from.

    Args:
        key: As on the command line.
        title: As people call it.
        finds: Whether the files are of this source.
        read: Makes the team.
    """

    key: str
    title: str
    finds: Callable[[Bundle], bool]
    read: Callable[[Bundle], Imported]


class UnknownSource(ConfigError):
    """The files are of no source that is read."""

    code = "unknown_source"


def import_bundle(bundle: Bundle, source: str = "") -> Imported:
    """The team of these files; nothing of them is executed or fetched.

    Args:
        source: Key of the source; found by the files themselves where it is empty.

    Raises:
        StudioError: They are of no known source, cannot be read, or hold nothing that a team can be made of.
    """
    chosen = SOURCES[source] if source in SOURCES else detect(bundle)
    try:
        with bounded_together():
            return chosen.read(bundle)
    except RecursionError as error:
        raise InvalidDocument("The file is nested too deeply.", fix="Import a smaller part of it.") from error


def name_for(text: str) -> str:
    """A file name for pasted text, by what it looks like."""
    head = text[:2_000]
    if head.lstrip().startswith("{") and '"nbformat"' in text:
        return "pasted.ipynb"
    if is_agent_text(text):
        return "pasted.md"
    if "@openai/agents" in head:
        return "pasted.ts"
    if re.search(r"^(?:from|import) \w", head, re.MULTILINE):
        return "pasted.py"
    return "pasted.yaml" if _is_yaml_of_tool(text) and not head.lstrip().startswith("{") else "pasted.json"


def import_foreign(name: str, content: bytes) -> Imported | None:
    """The team of another tool's file; None where it may be a gallery or a component.

    Raises:
        StudioError: It is a script or a ZIP file of no known source, or cannot be read.
    """
    is_only_foreign = name.lower().endswith((".py", ".ipynb", ".ts", ".tsx", ".zip", ".jsonc", ".md", ".af"))
    marks = (PREFIX, STUDIO_MARK, FLOWISE_MARK, TOOL_MARK, LANGFLOW_MARK, LETTA_MARK, *N8N_MARKS)
    is_likely = len(content) <= MAX_DOCUMENT and any(mark.encode() in content for mark in marks)
    if not is_likely and len(content) <= MAX_LENGTH:
        text = content.decode("utf-8", "replace")
        looks_so = any(looks(text) for looks in (is_crew_text, is_spec_text, is_adk_text, is_pydantic_ai_text))
        is_other = looks_so and COMPONENT.search(text) is None
        is_likely = is_other or is_framework_text(text) or is_dify_text(text)  # their models have a provider, too
    if not is_only_foreign and not is_likely:
        return None
    try:
        return import_bundle(bundle_of({name: content}))
    except UnknownSource:
        if is_only_foreign:
            raise
        return None


def _is_yaml_of_tool(text: str) -> bool:
    looks_so = is_crew_text, is_spec_text, is_framework_text, is_dify_text, is_adk_text, is_pydantic_ai_text
    return any(looks(text) for looks in looks_so)


def detect(bundle: Bundle) -> Source:
    """The source of these files.

    Raises:
        StudioError: It could be one that is read, but its Python cannot be.
        UnknownSource: None that is read; the text says what to do for those that are known.
    """
    unreadable: StudioError | None = None
    for source in SOURCES.values():
        try:
            if source.finds(bundle):
                return source
        except StudioError as error:
            unreadable = unreadable or error
    if unreadable is not None:
        raise unreadable
    if any(name.endswith((".ts", ".tsx", ".js")) and "@openai/agents" in text for name, text in bundle.files.items()):
        raise UnknownSource(
            "This is an Agent Builder workflow or an Agents SDK script in TypeScript, which is not read.",
            fix="Export it again and choose Python: Code, Agents SDK, Python.",
        )
    titles = " or ".join(source.title for source in SOURCES.values())
    raise UnknownSource(
        f"These files are not of {titles}.", fix="Choose the exported file. Galleries of AutoGen Studio need no import."
    )


def _is_builder_json(bundle: Bundle) -> bool:
    return any(_workflow_in(text) is not None for _, text in bundle.named(".json", ".txt"))


def _workflow_in(text: str) -> JsonObject | None:
    if PREFIX not in text:
        return None
    try:
        found = parse_document(text, max_bytes=MAX_DOCUMENT)
    except StudioError:
        return None
    if isinstance(found, dict) and "nodes" not in found:
        found = found.get("workflow", found)
    nodes = found.get("nodes") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(nodes, list):
        return None
    kinds = [node.get("node_type") for node in nodes if isinstance(node, dict)]
    return found if any(isinstance(kind, str) and kind.startswith(PREFIX) for kind in kinds) else None


def _read_builder_json(bundle: Bundle) -> Imported:
    for name, text in bundle.named(".json", ".txt"):
        if (document := _workflow_in(text)) is not None:
            return import_json(document, name)
    raise InvalidDocument("The file holds no workflow of Agent Builder.", fix="Choose its JSON, with `nodes`.")


def _studio_document(bundle: Bundle) -> tuple[JsonValue, str] | None:
    for name, text in bundle.named(".json"):
        if STUDIO_MARK not in text:
            continue
        try:
            document = parse_document(text, max_bytes=MAX_DOCUMENT)
        except StudioError:
            continue
        if workflow_in(document) is not None:
            return document, name
    return None


def _is_studio(bundle: Bundle) -> bool:
    return _studio_document(bundle) is not None


def _read_studio(bundle: Bundle) -> Imported:
    found = _studio_document(bundle)
    if found is None:
        raise InvalidDocument("The file holds no workflow of AutoGen Studio.", fix="Choose the JSON that it exported.")
    return import_workflow(*found)


def _is_builder_code(bundle: Bundle) -> bool:
    texts = [text for _, text in bundle.named(".py")]
    has_workflow = any(f"def {ENTRY}(" in text for text in texts)
    return has_workflow and any(TRACE_MARK in text or "input_as_text" in text for text in texts)


def _read_builder_code(bundle: Bundle) -> Imported:
    if not any(f"def {ENTRY}(" in text for _, text in bundle.named(".py")):
        raise InvalidDocument(f"The script defines no `{ENTRY}`.", fix="Choose the file that Agent Builder exported.")
    return import_code(bundle)


def _is_sdk_script(bundle: Bundle) -> bool:
    if not any("agents" in text and "Agent" in text for _, text in bundle.named(".py", ".ipynb")):
        return False
    with bounded_together():
        return PythonScript(bundle).imports_from("agents")


_ALL = (
    Source("agent-builder-json", "OpenAI Agent Builder (JSON)", _is_builder_json, _read_builder_json),
    Source("agent-builder", "OpenAI Agent Builder (Python)", _is_builder_code, _read_builder_code),
    Source("crewai", "CrewAI", is_crewai, import_crewai),
    Source(AGENT_FRAMEWORK_SCRIPT, "Agent Framework (Python)", is_framework_script, import_framework_script),
    Source("openai-agents", "the OpenAI Agents SDK", _is_sdk_script, import_script),
    Source("autogen-0.2", "AutoGen 0.2 or AG2", is_classic, import_classic),
    Source("autogen-studio", "AutoGen Studio before 0.4", _is_studio, _read_studio),
    Source("flowise", "Flowise", is_flowise, import_flowise),
    Source(LANGFLOW, "Langflow", is_langflow, import_langflow),
    Source(DIFY, "Dify", is_dify, import_dify),
    Source(N8N, "n8n", is_n8n, import_n8n),
    Source(AGENT_SPEC, "Agent Spec", is_agent_spec, import_agent_spec),
    Source(AGENT_FRAMEWORK, "Agent Framework (YAML)", is_agent_framework, import_agent_framework),
    Source(ADK, "Google's ADK (YAML)", is_adk, import_adk),
    Source(PYDANTIC_AI, "Pydantic AI (agent spec)", is_pydantic_ai, import_pydantic_ai),
    Source(LETTA, "Letta", is_letta, import_letta),
    Source(MARKDOWN, "agents in Markdown", is_markdown, import_markdown),
)
SOURCES: Mapping[str, Source] = {source.key: source for source in _ALL}
"""By key, in the order in which they are looked for."""
