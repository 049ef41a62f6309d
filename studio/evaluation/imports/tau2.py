"""Tasks of tau2-bench: what a person wants and knows, and what the agent must do and tell."""

from __future__ import annotations

from pydantic import JsonValue

from studio.components import JsonObject
from studio.evaluation.imports.drafts import SuiteDraft, judged_notes, literal, plain_text
from studio.importers.parts import Part

SOURCE = "tau2"
_SAID = ("reason_for_call", "known_info", "unknown_info", "task_instructions")


def is_tau2(root: Part) -> bool:
    """Whether it is a list of tasks with a scenario of a person."""
    return bool(root.items) and root.items[0].get("user_scenario") is not None and _criteria(root.items[0]) is not None


def import_tau2(draft: SuiteDraft, root: Part) -> str:
    """Make a case of each task."""
    for part in root.items or ():
        _add(draft, part)
    if root.items:
        why = "There a simulated person talks to the agent. Here the team gets all that the person wants and knows."
        draft.say("approximated", root.items[0].place, "The person of each task", why, became="/cases")
    return SOURCE


def _add(draft: SuiteDraft, part: Part) -> None:
    place, criteria = part.place, _criteria(part)
    fields: JsonObject = {}
    scorers: list[JsonValue] = []
    name = _plain(part.get("id"))
    if expected := _calls(draft, part, fields):
        scorers.append({"calls": {"superset": expected}})
    needed = [_plain(each) for each in _all(criteria, "communicate_info")]
    if needed:
        scorers.append({"includes": {"text": [literal(fields, each) for each in needed], "source": "*"}})
    rubrics = [_plain(each) for each in _all(criteria, "nl_assertions")]
    if rubrics:
        why = "They are of what the agent does in a conversation with a person, who takes no part in a case."
        fix = "They are kept in the notes of the case. Write those that an answer shows as criteria of a judge."
        what = f"{len(rubrics)} assertion{'s' * (len(rubrics) > 1)} in words"
        draft.say("dropped", place, what, why, fix, f"{draft.here}/notes")
    if not expected and "DB" in [_plain(each) for each in _all(criteria, "reward_basis")]:
        draft.say("dropped", place, "That no data changes", "A suite does not know which tools change data.")
    state = part.get("initial_state")
    if state is not None and not state.is_off:
        draft.say("dropped", state.place, "State of the environment", "A case begins without one.")
    purpose = _plain(part.get("description", "purpose"))
    notes = "\n".join(text for text in (purpose, judged_notes(rubrics)) if text)
    draft.add(place, _task(part), f"Task {name}", id=f"task-{name}", fields=fields, scorers=scorers, notes=notes)


def _task(part: Part) -> str:
    instructions = part.get("user_scenario", "instructions")
    if instructions is None or instructions.entries is None:
        return _plain(instructions)
    texts = [_plain(instructions.get(name)) for name in _SAID]
    return "\n\n".join(text.strip() for text in texts if text.strip())


def _calls(draft: SuiteDraft, part: Part, fields: JsonObject) -> list[JsonValue]:
    expected: list[JsonValue] = []
    for action in _all(_criteria(part), "actions"):
        if _plain(action.get("requestor")) == "user":
            draft.say("dropped", action.place, "A call of the person", "Only calls of the team are judged.")
            continue
        given = action.get("arguments")
        arguments = given.plain() if given is not None else {}
        compared = action.get("compare_args")
        names = None if compared is None or compared.items is None else {each.text for each in compared.items}
        rules: JsonObject = {
            name: {"equal": literal(fields, value) if isinstance(value, str) else value}
            for name, value in (arguments if isinstance(arguments, dict) else {}).items()
            if names is None or name in names
        }
        expected.append({"name": _plain(action.get("name")), "arguments": rules})
    return expected


def _criteria(part: Part) -> Part | None:
    return part.get("evaluation_criteria")


def _all(part: Part | None, name: str) -> list[Part]:
    found = part.get(name) if part is not None else None
    return list(found.all_of()) if found is not None else []


def _plain(part: Part | None) -> str:
    value = part.plain() if part is not None else None
    return "" if value is None else plain_text(value)
