"""What this machine has: versions, a sandbox, programs and the packages of the extras."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sqlite3
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from studio.components import component_classes
from studio.doctor.exposure import is_exposed
from studio.doctor.finding import Finding, bad, doubtful, fine
from studio.sandbox import JailUnavailable, detect_jail, examined
from studio.services.builtin_galleries import gallery_folders
from studio.settings import Settings

OLDEST_SQLITE = (3, 35)
"""The first with RETURNING, which the store's statements use."""
FIXED_IN = {
    "aiohttp": ("3.12.14", "CVE-2025-53643"),
    "cryptography": ("44.0.1", "CVE-2024-12797"),
    "h11": ("0.16.0", "CVE-2025-43859"),
    "h2": ("4.3.0", "CVE-2025-57804"),
    "jinja2": ("3.1.6", "CVE-2025-27516"),
    "python-multipart": ("0.0.18", "CVE-2024-53981"),
    "requests": ("2.32.4", "CVE-2024-47081"),
    "starlette": ("0.49.1", "CVE-2025-62727"),
    "urllib3": ("2.5.0", "CVE-2025-50181"),
}
"""The first version of each package without a hole that a stranger could use here."""
EXTRAS = {
    "acp": "editors that use a published team",
    "anthropic": "Claude",
    "azure": "Azure AI and Entra ID",
    "chromadb": "Chroma memories",
    "docker-jupyter": "Jupyter in containers",
    "embeddings": "search by meaning without a model service",
    "files": "file surfers' documents",
    "grpc": "agents in several processes",
    "jupyter": "Jupyter kernels",
    "langchain": "LangChain tools",
    "llama-cpp": "llama.cpp models",
    "mcp": "MCP servers",
    "mem0": "Mem0 memories",
    "ollama": "Ollama models",
    "otel": "traces",
    "parquet": "tables of Parquet files",
    "postgres": "a PostgreSQL database",
    "redis": "Redis memories and caches",
    "web": "web surfers",
}
"""What needs each extra."""
MODEL_KEYS = ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AZURE_AI_API_KEY")
_PACKAGE = re.compile(r"^([A-Za-z0-9._-]+).*extra\s*==\s*['\"]([\w-]+)['\"]")


def versions() -> Iterator[Finding]:
    """The studio, Python, SQLite and the packages whose older versions are known to be unsafe."""
    yield fine("Versions", f"Team Studio {version('team-studio')}")
    yield fine("Versions", f"Python {platform.python_version()} on {platform.system()}")
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        yield bad(
            "Versions", f"SQLite {sqlite3.sqlite_version} is too old", f"Use a Python with SQLite {oldest} or newer."
        )
    else:
        yield fine("Versions", f"SQLite {sqlite3.sqlite_version}")
    for package, (fixed, hole) in FIXED_IN.items():
        found = _version_of(package)
        if found is not None and _numbers(found) < _numbers(fixed):
            fix = f'Run `pip install --upgrade "{package}>={fixed}"`.'
            yield bad("Versions", f"{package} {found} has a known vulnerability ({hole})", fix)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield doubtful("Versions", "The studio runs as root", "Run it as its own user, or in the container.")


def sandbox(settings: Settings) -> Iterator[Finding]:
    """Which jails work here, and what the setting makes of that. It starts processes and waits for them."""
    if settings.sandbox == "process":
        say = bad if is_exposed(settings) else doubtful
        fix = "Unset `STUDIO_SANDBOX` to use the best sandbox that works here."
        yield say("Sandbox", "Code of teams runs without a sandbox, with all rights of the studio's user", fix)
    else:
        try:
            yield fine("Sandbox", f"Code of teams is confined by {detect_jail(settings.sandbox).name}")
        except JailUnavailable as error:
            yield bad("Sandbox", error.what.removesuffix("."), error.fix)
    for each in examined():
        yield fine("Sandbox", f"{each.text} works" if each.works else each.text)


def parts(settings: Settings) -> Iterator[Finding]:
    """What can be used of the components, with what is installed."""
    count = sum(1 for _ in component_classes())
    if count:
        yield fine("Components", f"{count} components are installed")
    else:
        yield bad(
            "Components",
            "No components are installed",
            "Reinstall the studio: `pip install --force-reinstall team-studio`.",
        )
    galleries = len(gallery_folders())
    if galleries:
        yield fine("Components", f"Built-in galleries: {galleries}")
    else:
        yield bad(
            "Components",
            "The built-in galleries are missing",
            "Reinstall the studio: `pip install --force-reinstall team-studio`.",
        )
    missing = sorted(_missing_extras())
    if missing:
        named = ", ".join(f"{extra} ({EXTRAS[extra]})" for extra in missing)
        fix = f'To install them, run `pip install "team-studio[{",".join(missing)}]"`, or list fewer extras.'
        yield fine("Components", f"Not installed: {named}", fix)
    else:
        yield fine("Components", "All extras are installed")
    if "web" not in missing:
        yield _chromium(settings)
    if not shutil.which("docker"):
        yield fine("Components", "Docker is not installed; teams that run code in containers need it")
    keys = [name for name in MODEL_KEYS if os.environ.get(name)]
    yield fine("Models", f"Model keys in the environment: {', '.join(keys) or 'none (the scripted teams need none)'}")


def _chromium(settings: Settings) -> Finding:
    given = settings.chromium
    found = given or shutil.which("chromium") or shutil.which("chromium-browser")
    if given and not os.access(given, os.X_OK):
        return doubtful("Components", f"{given} is not an executable", "Set `STUDIO_CHROMIUM` to the path of Chromium.")
    if found:
        return fine("Components", f"Web surfers use {found}")
    return fine(
        "Components", "Web surfers use the Chromium of Playwright", "If it is missing: `playwright install chromium`."
    )


def _missing_extras() -> Iterator[str]:
    needed: dict[str, list[str]] = {}
    for line in requires("team-studio") or ():
        found = _PACKAGE.match(line)
        if found and found[2] in EXTRAS:
            needed.setdefault(found[2], []).append(found[1])
    return (extra for extra, packages in needed.items() if not all(map(_version_of, packages)))


def _version_of(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text.split("+")[0])[:3]]
