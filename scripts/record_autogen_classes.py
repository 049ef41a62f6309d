"""Writes studio/exporters/autogen_classes.json: the classes of AutoGen, their config fields and constructors.

Run it with the Python of an environment that holds autogen-agentchat and autogen-ext with its extras. Classes whose
packages are not installed are left out. `tests/exporters/` compares the file with AutoGen where it is installed.
"""

from __future__ import annotations

import inspect
import json
import sys
import warnings
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints
from unittest.mock import MagicMock

PACKAGES = ("autogen_agentchat", "autogen_core", "autogen_ext")
WRITTEN = Path(__file__).parents[1] / "studio" / "exporters" / "autogen_classes.json"
PLAIN = (str, int, float, bool, type(None))
STUBBED = ("llama_cpp",)
"""Packages that take long to build, and of which only names are needed."""
NAMELESS = {"self", "args", "kwargs"}


def recorded() -> dict[str, Any]:
    """Everything that the file holds."""
    classes: dict[str, Any] = {}
    for module in public_modules():
        for name, found in public_classes(module):
            if description := described(found):
                classes[f"{module.__name__}.{name}"] = description
    models = {name: known_models(name) for name in ("openai", "anthropic", "ollama")}
    return {"release": version("autogen-agentchat"), "models": models, "classes": dict(sorted(classes.items()))}


def known_models(service: str) -> list[str]:
    """Models of which a client knows what they can; for others it must be told."""
    module = import_module(f"autogen_ext.models.{service}._model_info")
    return sorted({*module._MODEL_INFO, *getattr(module, "_MODEL_POINTERS", {})})


def public_modules() -> Iterator[ModuleType]:
    """Modules that can be imported, packages first."""
    for name in STUBBED:
        sys.modules.setdefault(name, MagicMock())
    for root in map(import_module, PACKAGES):
        folder = Path(str(root.__file__)).parent
        for file in sorted(folder.rglob("*.py"), key=lambda file: (file.name != "__init__.py", file)):
            path = file.parent if file.name == "__init__.py" else file.with_suffix("")
            steps = path.relative_to(folder.parent).parts
            if not any(step.startswith("_") for step in steps):
                try:
                    yield import_module(".".join(steps))
                except ImportError as error:
                    print(f"left out: {'.'.join(steps)} ({error})", file=sys.stderr)


def public_classes(module: ModuleType) -> Iterator[tuple[str, type[Any]]]:
    """What a module offers or defines."""
    offered = getattr(module, "__all__", ())
    for name, found in sorted(vars(module).items()):
        is_own = isinstance(found, type) and found.__module__ == module.__name__ and not name.startswith("_")
        if isinstance(found, type) and (is_own or name in offered):
            yield name, found


def described(cls: type[Any]) -> dict[str, Any] | None:
    """The provider, fields and parameters of a class that can be part of a component; None for any other."""
    is_component = hasattr(cls, "load_component") and not inspect.isabstract(cls)
    fields_of = config_fields(cls, is_component=is_component)
    if fields_of is None:
        return None
    takes = parameters(cls, fields_of)
    own = vars(cls).get("component_provider_override") or f"{cls.__module__}.{cls.__qualname__}"
    return {**({"provider": own} if is_component else {}), "fields": fields_of, **takes}


def config_fields(cls: type[Any], *, is_component: bool) -> list[str] | None:
    """What the JSON of a class has; nothing for a component that has no JSON."""
    if is_component:
        schema = getattr(cls, "component_config_schema", None)
        return sorted(getattr(schema, "model_fields", None) or getattr(schema, "__annotations__", ()))
    if hasattr(cls, "model_fields"):
        return sorted(cls.model_fields)
    if is_dataclass(cls):
        return [field.name for field in fields(cls)]
    return sorted(cls.__annotations__) if hasattr(cls, "__total__") else None


def parameters(cls: type[Any], fields_of: list[str]) -> dict[str, Any]:
    """What a constructor must and may be given; `many` is what it takes by position, however many there are."""
    if hasattr(cls, "__total__"):
        return {"required": sorted(cls.__required_keys__), "optional": dict.fromkeys(fields_of)}
    required: list[str] = []
    optional: dict[str, Any] = {}
    many = ""
    for each in inspect.signature(cls.__init__).parameters.values():
        if each.kind is each.VAR_POSITIONAL and each.name != "args":
            many = each.name
        elif each.kind is each.VAR_KEYWORD:
            optional |= dict.fromkeys(unpacked(cls, each.name) or fields_of)
        elif each.name in NAMELESS:
            continue
        elif each.default is each.empty:
            required.append(each.name)
        else:
            # The folder in which AutoGen was imported is a default of this machine alone.
            is_known = isinstance(each.default, PLAIN) and each.default != str(Path.cwd())
            optional[each.name] = each.default if is_known else None
    return {"required": required, "optional": optional, **({"many": many} if many else {})}


def unpacked(cls: type[Any], name: str) -> list[str]:
    """The keys of a `**kwargs: Unpack[…]`."""
    try:
        [keys] = get_args(get_type_hints(cls.__init__)[name])
    except (KeyError, NameError, ValueError):
        return []
    return sorted(get_type_hints(keys))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    record = recorded()
    WRITTEN.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"{len(record['classes'])} classes of AutoGen {record['release']}")
