"""What earlier versions stored is read under its names of then."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from studio.effects import EffectRequest, LiveEffects, Recorded
from studio.effects.outcomes import received_body
from studio.messages import TextMessage
from studio.runs.edits import AppliedEdits
from studio.runs.journal.log import Changes
from studio.runs.replay.unresolved import UnresolvedIntents
from studio.store.tables import AuditEntry
from studio.web.auth.audit_words import lines_of


def test_changes_of_a_run_are_read_under_their_first_names():
    stored = {"amendments": {"m": None}, "began_with": {"type": "TeamState"}}
    assert Changes.model_validate(stored) == Changes(edits={"m": None}, initial_state={"type": "TeamState"})


@pytest.mark.parametrize("command", ["edit", "amend"])
async def test_an_edit_in_a_log_takes_effect_under_both_names(command: str):
    message = TextMessage(content="Uno.", source="a")
    edits = AppliedEdits(LiveEffects(), {})
    edits.note(Recorded(1, "other", {"command": command, "message_id": message.id, "text": "Dos."}, "command"))
    edited = await edits.edited(message)
    assert isinstance(edited, TextMessage)
    assert edited.content == "Dos."


@pytest.mark.parametrize("key", ["result", "came"])
async def test_a_result_that_waited_for_a_person_is_read_under_both_names(key: str):
    request = EffectRequest("tool", "look", lambda: {})
    intents = UnresolvedIntents()
    body = {**received_body(request, "", None), "came": "a", "result": "a"}
    del body["came" if key == "result" else "result"]
    intents.add(Recorded(1, "other", body, "intent"))
    found = intents.pop(request)
    assert found is not None
    assert found.result == ("a",)


def test_lines_of_the_audit_log_are_read_by_the_routes_of_then():
    at = datetime(2026, 11, 1, tzinfo=UTC)
    row = AuditEntry(at=at, who="Ada", action="POST /api/tries/{try_id}/commands", object="", address="", outcome="200")
    assert lines_of([row], {})[0].action == "Controlled a part run"
