"""What scripts do with messages: write them out inside results, read them back, bring types of their own."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, TypeAdapter

from studio.messages import (
    BaseTextChatMessage,
    CancellationToken,
    Image,
    Response,
    StructuredMessage,
    TaskResult,
    TextMessage,
    message_from_json,
    message_types,
    type_name,
)

PNG = b"\x89PNG\r\n\x1a\n rest"


class Whisper(BaseTextChatMessage):
    """A message type of a script."""

    volume: int = 1
    type: Literal["Whisper"] = "Whisper"


class Verdict(BaseModel):
    """Content of a script's structured message."""

    score: int


class Picture:
    """Behaves as Pillow's pictures do."""

    def save(self, fp: BytesIO, /, format: str) -> None:
        assert format == "PNG"
        fp.write(PNG)


def test_results_and_responses_are_written_with_all_fields_of_their_messages():
    said = TextMessage(content="hello", source="a")
    assert TaskResult(messages=[said]).model_dump()["messages"][0]["content"] == "hello"
    dumped = TypeAdapter(Response).dump_python(Response(chat_message=said, inner_messages=[said]))
    assert (dumped["chat_message"]["content"], dumped["inner_messages"][0]["content"]) == ("hello", "hello")


def test_a_message_is_loaded_as_it_was_dumped():
    said = TextMessage(content="hello", source="a")
    assert TextMessage.load(said.dump()) == said


def test_types_of_a_script_are_read_back_where_they_are_known():
    whisper = Whisper(content="psst", source="a", volume=3)
    verdict = StructuredMessage[Verdict](content=Verdict(score=7), source="a")
    with message_types([Whisper, StructuredMessage[Verdict]]):
        assert message_from_json(whisper.dump()) == whisper
        assert message_from_json(verdict.dump()) == verdict
    with pytest.raises(ValueError, match="'Whisper'"):
        message_from_json(whisper.dump())
    assert [type_name(kind) for kind in (Whisper, TextMessage)] == ["Whisper", "TextMessage"]


def test_a_picture_comes_from_pillow_or_a_file(tmp_path: Path):
    (tmp_path / "a.png").write_bytes(PNG)
    from_file = Image.from_file(tmp_path / "a.png")
    assert Image(Picture()) == Image.from_pil(Picture()) == from_file
    assert from_file.mime_type == "image/png"


def test_a_callback_is_called_once_when_its_token_is_cancelled_or_at_once_when_it_was():
    called: list[str] = []
    token = CancellationToken()
    token.add_callback(lambda: called.append("early"))
    assert called == []
    token.cancel()
    token.cancel()
    token.add_callback(lambda: called.append("late"))
    assert called == ["early", "late"]
