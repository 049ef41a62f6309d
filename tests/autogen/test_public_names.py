"""Every public name of AutoGen 0.7.5 is there, or its `ImportError` says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.autogen.lacking import advice, known_reason
from studio.autogen.names import MODULES, places
from tests.autogen.conftest import RunScript

PUBLIC = Path(__file__).with_name("public_names.txt")


def everything() -> Iterator[tuple[str, str]]:
    for line in PUBLIC.read_text().splitlines():
        module, _, names = line.partition(":")
        yield from ((module, name) for name in names.split())


def test_every_public_name_is_there_or_its_lack_is_explained():
    there = {module: {place.shown for place in places(module)} for module in MODULES}
    unexplained = [
        f"{module}.{name}"
        for module, name in everything()
        if name not in there.get(module, ()) and not known_reason(f"{module}.{name}")
    ]
    assert unexplained == []


def test_a_slip_of_the_pen_is_answered_with_what_is_there():
    assert advice("autogen_ext.models.opena", MODULES) == "Did you mean 'openai'?"
    assert advice("autogen_core.nothing", MODULES) == "Take the import out, or run this script with AutoGen."


@pytest.mark.slow
def test_each_public_name_can_be_imported_or_says_more_than_that_it_is_missing(run_script: RunScript):
    outcome = run_script(
        """
        import importlib, sys
        from pathlib import Path

        for line in Path(sys.argv[1]).read_text().splitlines():
            module, _, names = line.partition(":")
            for name in names.split():
                try:
                    found = getattr(importlib.import_module(module), name)
                except ImportError as error:
                    said = str(error)
                    if not said.startswith("Team Studio has no counterpart of") or said.count(". ") < 1:
                        print(module, name, said)
        print("done")
        """,
        str(PUBLIC),
    )
    assert outcome.lines == ["done"]
