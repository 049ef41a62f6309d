"""What earlier versions stored is read under its names of then."""

from __future__ import annotations

import pytest

from studio.effects import LiveEffects, Recorded
from studio.messages import TextMessage
from studio.runs.edits import AppliedEdits
from studio.runs.journal.log import Changes


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
