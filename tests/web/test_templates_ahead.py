"""Templates are compiled ahead, each once, with all that they name."""

from __future__ import annotations

from pathlib import Path

from studio.web.assets.assets import load_assets
from studio.web.templates import PageGlobals, Templates


def templates(folder: Path, **texts: str) -> Templates:
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text)
    assets = load_assets()
    return Templates(folder, PageGlobals(assets.url, assets.loading, assets.importmap))


def prepared(made: Templates, *names: str) -> int:
    return sum(1 for _ in made.prepare(*names))


def test_a_template_brings_what_it_names_and_the_rest_comes_later(tmp_path: Path):
    made = templates(
        tmp_path,
        page='{% extends "base.html" %}{% from "macro.html" import word %}{% include "parts/" ~ "which" ~ ".html" %}',
        base="<p>{% block body %}{% endblock %}</p>",
        macro='{%- import "deep.html" as deep %}{% macro word() %}{% endmacro %}',
        deep='{% include "page.html" %}',
        other="Other.",
    )
    assert prepared(made, "page.html") == len(["page", "base", "macro", "deep"])
    assert prepared(made, "page.html") == 0
    assert prepared(made) == 1, "the other one"
