"""Every component that AutoGen published has a complete form, and an edit of any field changes that field alone."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from fastapi.testclient import TestClient
from pydantic import JsonValue

from studio.components import JsonObject, catalogue, find_class, form_schema
from studio.components.pointers import escape
from studio.settings import Settings
from studio.web.app import create_app
from studio.web.forms.form_model import FormField, FormModel
from studio.web.forms.forms import form_at
from tests.conformance.facts import ROOT, example_files
from tests.extended import sample
from tests.web.doors import BASE_URL, TOKEN, client_of

# What the page makes of a text; its own tests read the same table.
TYPED = cast("list[JsonObject]", json.loads((ROOT / "frontend/tests/unit/form-values.json").read_text()))
TEMPLATES = {str(entry["component_type"]): entry["template"] for entry in catalogue()}


def components_in(node: JsonValue, pointer: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Every known component of a document, where the schemas have places for them."""
    if not isinstance(node, dict) or not find_class(str(node.get("provider"))):
        return
    yield pointer, node
    for field in fields_of(form_at(node, "")):
        for filled in field.components:
            inner = components_in(at(node, filled.pointer))
            yield from ((pointer + filled.pointer + rest, each) for rest, each in inner)


def fields_of(form: FormModel) -> Iterator[FormField]:
    """Every field of a form, those in groups, lists and folds among them."""
    stack = list(form.fields)
    while stack:
        field = stack.pop()
        yield field
        stack += [*field.parts, *field.folded]


def steps(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def at(node: JsonValue, pointer: str) -> JsonValue:
    here: JsonValue = node
    for step in steps(pointer):
        here = here[int(step)] if isinstance(here, list) else cast("JsonObject", here).get(step)
    return here


def changed(document: JsonObject, pointer: str, value: JsonValue) -> JsonObject:
    """The document with one place written, as the page's `set` does it."""
    made = cast("JsonValue", copy.deepcopy(document))
    *way, last = steps(pointer)
    here = made
    for step in way:
        here = here[int(step)] if isinstance(here, list) else cast("JsonObject", here).setdefault(step, {})
    if isinstance(here, list):
        here[int(last) : int(last) + 1] = [value]
    else:
        cast("JsonObject", here)[last] = value
    return cast("JsonObject", made)


def edit_of(field: FormField) -> tuple[str, JsonValue]:
    """Where an edit of the field writes, and what: typed text, one more entry, or a component."""
    if field.kind in {"component", "components"}:
        fresh = TEMPLATES[field.accepts[0]]
        many = field.kind == "components"
        return field.pointer, [*(field.value if isinstance(field.value, list) else []), fresh] if many else fresh
    if field.kind == "list":
        return field.pointer, [*(field.value if isinstance(field.value, list) else []), json.loads(field.item_json)]
    if field.kind == "map":
        return f"{field.pointer}/typed", json.loads(field.item_json)
    if field.kind == "object":
        return field.pointer, json.loads(field.item_json)
    if field.choices:
        return field.pointer, next((each for each in field.choices if each != field.value), None)
    return field.pointer, typed_into(field)


def typed_into(field: FormField) -> JsonValue:
    kind = field.data_kind.removeprefix("null-").removeprefix("absent-")
    values = [case["value"] for case in TYPED if case["kind"] == kind and case["value"] != field.value]
    if field.name == "Authorization":
        return "Bearer {env:TYPED_HERE}"  # what is written there in the open goes into the secrets
    return next((value for value in values if is_in_range(field, value)), None)


def is_in_range(field: FormField, value: JsonValue) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    low = -1e9 if field.minimum is None else field.minimum
    high = 1e9 if field.maximum is None else field.maximum
    return low <= value <= high and not (field.is_above_minimum and value == low)


def leaves(node: JsonValue, pointer: str) -> Iterator[str]:
    """The places of a config that hold no further ones; what stands inside other components is theirs."""
    children: list[tuple[str, JsonValue]] = []
    if isinstance(node, dict) and "provider" not in node:
        children = [(escape(key), each) for key, each in node.items()]
    elif isinstance(node, list):
        children = [(str(index), each) for index, each in enumerate(node)]
    for step, each in children:
        yield from leaves(each, f"{pointer}/{step}")
    if not children:
        yield pointer


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One studio for all examples; none of them knows of another."""
    app = create_app(Settings(data_dir=tmp_path_factory.mktemp("studio"), token=TOKEN))
    with TestClient(app, base_url=BASE_URL) as server:
        yield client_of(server, {"Authorization": f"Bearer {TOKEN}"})


Seen = set[tuple[str, ...]]


@pytest.fixture(scope="module")
def seen() -> Seen:
    """What an earlier example had as well, to the letter; it is not tried twice. One example alone tries all it has."""
    return set()


def is_new(seen: Seen, *what: str) -> bool:
    before = len(seen)
    seen.add(what)
    return len(seen) > before


@pytest.mark.parametrize("path", example_files(), ids=lambda path: cast("Path", path).stem)
def test_the_form_has_every_field_of_every_component(path: Path, studio: TestClient, seen: Seen) -> None:
    document = json.loads(path.read_text())
    for where, component in components_in(document):
        if not is_new(seen, "form", json.dumps(component, sort_keys=True)):
            continue
        found = find_class(str(component["provider"]))
        assert found is not None
        form = form_at(document, where)
        schema = cast("JsonObject", form_schema(found).get("properties", {}))
        assert {field.name for field in form.fields} == set(schema), where
        shown = {field.pointer: field for field in fields_of(form)}
        for leaf in leaves(component.get("config"), f"{where}/config"):
            assert is_shown(leaf, shown, schema, f"{where}/config"), leaf
        page = studio.post("/fragments/form", json={"component": document, "pointer": where}).text
        for field in shown.values():
            assert f'data-pointer="{field.pointer}"' in page or f'data-field="{field.pointer}"' in page, field.pointer


def is_shown(leaf: str, shown: dict[str, FormField], schema: JsonObject, config: str) -> bool:
    """Whether a place of a config has a field, or lies in the JSON of one, or tells the kind of one, or is foreign."""
    around = ["/".join(leaf.split("/")[:length]) for length in range(len(leaf.split("/")), len(config.split("/")), -1)]
    nearest = next((shown[each] for each in around if each in shown), None)
    if nearest is None:
        return steps(leaf[len(config) :])[:1] == [] or steps(leaf[len(config) :])[0] not in schema
    return nearest.pointer == leaf or nearest.kind not in {"list", "map"}


@pytest.mark.slow
@pytest.mark.timeout(90)
@pytest.mark.parametrize("path", sample(example_files(), 12), ids=lambda path: cast("Path", path).stem)
def test_an_edit_of_any_field_changes_that_field_alone(path: Path, studio: TestClient, seen: Seen) -> None:
    team = studio.post("/api/teams", json={"component": json.loads(path.read_text())}).json()
    document, revision = team["component"], team["revision"]  # as it is kept: without keys in the open
    own = Seen()
    for where, component in components_in(document):
        for field in fields_of(form_at(document, where)):
            kind_of_place = (str(component["provider"]), field.pointer[len(where) :])
            as_it_is = (field.data_kind, json.dumps([field.value, len(field.components)]))
            if not is_new(own, *kind_of_place) or not is_new(seen, *kind_of_place, *as_it_is):
                continue
            pointer, value = edit_of(field)
            edited = changed(document, pointer, value)
            saved = studio.put(f"/api/teams/{team['id']}", json={"component": edited, "revision": revision})
            assert saved.status_code == 200, (pointer, saved.text)
            assert (saved.json()["component"], at(edited, pointer)) == (edited, value), pointer
            revision = saved.json()["revision"]
    studio.put(f"/api/teams/{team['id']}", json={"component": document, "revision": revision})
    assert studio.get(f"/api/teams/{team['id']}").json()["component"] == document
