"""Check what people read: pages of the documentation, templates, and the labels and messages in Python and JavaScript.

Words and phrases are those of `words.yml`; textlint finds them. Text is copied into a folder of its own, each
sentence on the line that it has in its source, so that a finding names the place to change.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "frontend/node_modules"
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs")
QUOTING = (
    "docs/design/reviews-2026-11.md",
    "docs/reference/glossary.md",
    "studio/components/former_summaries.py",
)
"""They quote what is no longer said."""
PROMPTS = (
    "studio/agents/code_turn.py",
    "studio/agents/magentic_one_coder.py",
    "studio/agents/tool_round.py",
    "studio/agents/web_marks.py",
    "studio/agents/web_prompts.py",
    "studio/agents/web_surfer.py",
    "studio/importers/classic_texts.py",
)
"""What models read: other words would be other requests than those of recorded runs."""
SENTENCE = re.compile(r"\s*(?:[A-Z]\S* |\S*[a-z,] [a-z]+[ ,]).*[a-z]{2}", re.DOTALL)
"""A string that people read: several words, of which the first has a capital or there are three."""
SHOWN_ATTRIBUTE = re.compile(r"""\b(?:title|aria-label|placeholder|alt|data-(?:confirm|label|hint))\s*=\s*"([^"]*)\"""")
MARKUP = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<script.*?</script>|<[^>]*>", re.DOTALL)
JS_STRING = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`""", re.DOTALL
)

Texts = Iterator[tuple[int, str]]
"""Numbers of lines, from 1, and what stands there."""


def python_texts(source: str) -> Texts:
    """Sentences among the string literals; of docstrings those of components, commands and routes, which are shown."""
    nodes = list(ast.walk(ast.parse(source)))
    shown = {id(_docstring(node)) for node in nodes if _is_shown(node)}
    hidden = {id(node.value) for node in nodes if isinstance(node, ast.Expr)} - shown
    for node in nodes:
        match node:
            case ast.Constant(value=str(text)) if id(node) not in hidden and SENTENCE.match(text):
                yield from enumerate(text.split("\n"), node.lineno)
            case _:
                pass


def _docstring(node: ast.AST) -> ast.Constant | None:
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            return first.value
    return None


def _is_shown(node: ast.AST) -> bool:
    if isinstance(node, ast.ClassDef):
        fields = (each.targets[0] for each in node.body if isinstance(each, ast.Assign))
        return any(isinstance(field, ast.Name) and field.id == "provider" for field in fields)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        calls = (each.func for each in node.decorator_list if isinstance(each, ast.Call))
        return any(isinstance(call, ast.Attribute) and call.attr in SHOWING for call in calls)
    return False


SHOWING = frozenset({"get", "post", "put", "patch", "delete", "command", "callback"})


def script_texts(source: str) -> Texts:
    for match in JS_STRING.finditer(source):
        text = next(filter(None, match.groups()), "")
        if SENTENCE.match(text):
            yield from enumerate(text.split("\n"), source.count("\n", 0, match.start()) + 1)


def template_texts(source: str) -> Texts:
    for match in SHOWN_ATTRIBUTE.finditer(source):
        yield source.count("\n", 0, match.start()) + 1, MARKUP.sub(" ", match[1])
    bare = MARKUP.sub(lambda found: "\n" * found[0].count("\n") or " ", source)
    yield from enumerate(bare.split("\n"), 1)


READERS = {
    "studio": ("py", python_texts),
    "frontend/static/js": ("js", script_texts),
    "frontend/templates": ("html", template_texts),
}


def copy_texts(folder: Path) -> dict[Path, Path]:
    """Write what people read into a folder: the copies, and the files that they are of."""
    copies: dict[Path, Path] = {}
    for name in PAGES:
        for path in sorted((ROOT / name).rglob("*.md")) or [ROOT / name]:
            if str(path.relative_to(ROOT)) not in QUOTING:
                copies[_copy(folder, path, path.read_text(encoding="utf-8"), "md")] = path
    for name, (ending, texts) in READERS.items():
        for path in sorted((ROOT / name).rglob(f"*.{ending}")):
            lines: defaultdict[int, list[str]] = defaultdict(list)
            for number, text in texts(path.read_text(encoding="utf-8")):
                lines[number].append(text.strip())
            if lines and str(path.relative_to(ROOT)) not in (*PROMPTS, *QUOTING):
                text = "\n".join("  ".join(lines[number]) for number in range(1, max(lines) + 1))
                copies[_copy(folder, path, text, "txt")] = path
    return copies


def _copy(folder: Path, path: Path, text: str, ending: str) -> Path:
    copy = folder / f"{path.relative_to(ROOT)}.{ending}"
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text, encoding="utf-8")
    return copy


def main() -> int:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        copies = copy_texts(folder)
        command = ["node", TOOLS / "textlint/bin/textlint.js", "--config", Path(__file__).with_name(".textlintrc.json")]
        command += ["--format", "unix", folder]
        done = subprocess.run(command, cwd=ROOT / "frontend", capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    for copy, path in copies.items():
        output = output.replace(f"{copy}:", f"{path.relative_to(ROOT)}:")
    print(output.strip() or "No findings.")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
