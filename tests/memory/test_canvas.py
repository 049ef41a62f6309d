"""The canvas of text files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.components import load_component
from studio.contexts import UnboundedChatCompletionContext
from studio.errors import ToolFailed
from studio.memory import TextCanvas, TextCanvasMemory
from studio.messages import MemoryContent, SystemMessage, ToolCallSummaryMessage
from tests.teams.scripted import agent, wishes

STORY = "Once\nupon\na time\n"
lines = st.lists(st.text("abc ", max_size=3), max_size=12).map(lambda parts: "".join(f"{part}\n" for part in parts))


def test_each_change_is_a_revision_that_can_be_compared():
    canvas = TextCanvas()
    canvas.add_or_update_file("a.txt", STORY)
    canvas.add_or_update_file("a.txt", STORY.replace("upon", "under"))
    assert canvas.list_files() == {"a.txt": 2}
    assert canvas.get_diff("a.txt", 1, 2).splitlines()[-4:] == [" Once", "-upon", "+under", " a time"]
    assert canvas.get_diff("a.txt", 1, 3) == ""
    assert canvas.get_latest_content("b.txt") == ""
    assert canvas.get_revision_content("a.txt", 1) == STORY
    assert canvas.get_revision_content("a.txt", 3) == ""
    assert canvas.get_revision_diffs("a.txt") == [canvas.get_diff("a.txt", 1, 2)]


@given(lines, lines)
def test_a_diff_turns_one_revision_into_the_other(before: str, after: str):
    canvas = TextCanvas()
    canvas.add_or_update_file("a", before)
    canvas.add_or_update_file("a", after)
    diff = canvas.get_diff("a", 1, 2)
    other = TextCanvas()
    other.add_or_update_file("a", before)
    if diff:
        other.apply_patch("a", diff)
    assert other.get_latest_content("a") == after


def test_a_patch_with_wrong_line_numbers_still_fits_by_its_context():
    canvas = TextCanvas()
    canvas.add_or_update_file("a.txt", STORY)
    canvas.apply_patch("a.txt", "--- a\n+++ b\n@@ -40,2 +40,2 @@\n upon\n-a time\n+a hill\n")
    assert canvas.get_latest_content("a.txt") == "Once\nupon\na hill\n"


@pytest.mark.parametrize("patch", ["a hill", "@@ -1,1 +1,1 @@\n-nowhere\n+there\n"])
def test_a_patch_that_is_none_or_does_not_fit_changes_nothing(patch: str):
    canvas = TextCanvas()
    canvas.add_or_update_file("a.txt", STORY)
    with pytest.raises(ToolFailed):
        canvas.apply_patch("a.txt", patch)
    assert canvas.list_files() == {"a.txt": 1}


async def test_the_agent_reads_all_files_before_it_answers():
    context = UnboundedChatCompletionContext()
    await TextCanvasMemory(files={"a.txt": "Hello"}).update_context(context)
    text = "=== CANVAS FILES ===\nFile: a.txt (rev 1):\nHello\n\n=== END OF CANVAS ==="
    assert await context.get_messages() == [SystemMessage(content=text)]


async def test_an_agent_may_write_and_another_reads_it():
    memory = TextCanvasMemory(files={"a.txt": "Hello\n"}, gives_tools=True)
    patch = r"@@ -1 +1 @@\n-Hello\n+Good evening\n"
    calls = wishes(
        ("update_file", '{"filename": "b.txt", "new_content": "New"}'),
        ("apply_patch", f'{{"filename": "a.txt", "patch_text": "{patch}"}}'),
        ("apply_patch", '{"filename": "c.txt", "patch_text": ""}'),
    )
    result = await agent("writer", calls, memory=[memory]).run(task="write")
    last = result.messages[-1]
    assert isinstance(last, ToolCallSummaryMessage)
    assert last.content.splitlines()[:2] == ['{"status": "OK"}', '{"status": "PATCH APPLIED"}']
    assert last.results[2].is_error
    assert memory.canvas.get_latest_content("a.txt") == "Good evening\n"
    assert memory.canvas.list_files() == {"a.txt": 2, "b.txt": 1}


async def test_a_script_may_give_the_tools_by_hand():
    canvas = TextCanvas()
    memory = TextCanvasMemory(canvas)
    writer = agent(
        "writer",
        wishes(("update_file", '{"filename": "a", "new_content": "x"}')),
        tools=[memory.get_update_file_tool(), memory.get_apply_patch_tool()],
        memory=[memory],
    )
    await writer.run(task="write")
    assert canvas.get_latest_content("a") == "x"


async def test_its_state_is_every_revision_and_its_config_the_first():
    memory = TextCanvasMemory(files={"a": "1"})
    await memory.add(MemoryContent(content="2", mime_type="text/plain", metadata={"filename": "a"}))
    other = load_component(memory.dump_component(), TextCanvasMemory)
    assert other.canvas.list_files() == {"a": 1}
    await other.load_state(await memory.save_state())
    assert [revision.content for revision in other.canvas.get_all_revisions("a")] == ["1", "2"]
    await other.clear()
    assert other.canvas.list_files() == {}
