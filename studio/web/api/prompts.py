"""The exact prompt of a past model call, and what fills the context window."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path, Response
from pydantic import JsonValue

from studio.components.deferred_model import DeferredModel
from studio.runs.comparing.alignment import Fold
from studio.services.prompts import Prompt, prompt_of
from studio.web.dependencies import ViewingDep
from studio.web.requests import AsciiJSONResponse
from studio.web.router import StudioRouter
from studio.web.views import Desk

router = StudioRouter()
Seq = Annotated[int, Path(ge=1, le=2**53)]


class MessageOut(DeferredModel):
    """`part` says what it belongs to: system, memory, history or results."""

    role: str
    source: str
    text: str
    part: str
    tokens: int


class ToolOut(DeferredModel):
    name: str
    description: str
    parameters: JsonValue
    tokens: int


class ShareOut(DeferredModel):
    part: str
    name: str
    count: int
    tokens: int


class ChangeOut(DeferredModel):
    """A message or tool beside the one of the prompt before, or `count` that are the same."""

    state: Literal["changed", "before", "after", "same"]
    count: int = 1
    source: str = ""
    before: str | None = None
    after: str | None = None


class PromptOut(DeferredModel):
    """Tokens are estimates; `counted_tokens` is what the service told. `..._seq` are the calls beside."""

    seq: int
    agent: str
    model: str
    messages: list[MessageOut]
    tools: list[ToolOut]
    shares: list[ShareOut]
    tokens: int
    counted_tokens: int
    limit: int | None
    before_seq: int | None
    changes: list[ChangeOut]
    next_seq: int | None
    number: int


@router.get(
    "/api/runs/{run_id}/prompts/{seq}",
    tags=["runs"],
    summary="Read the exact prompt of an entry of the log",
    response_model=PromptOut,
)
async def get_prompt(run_id: str, seq: Seq, viewing: ViewingDep) -> Response:
    return await viewing.show(_prompt, [run_id], run_id, seq, is_kept=True)


@router.get("/fragments/runs/{run_id}/prompts/{seq}", include_in_schema=False)
async def prompt_fragment(run_id: str, seq: Seq, viewing: ViewingDep) -> Response:
    return await viewing.show(_fragment, [run_id], run_id, seq, is_kept=True)


async def _prompt(desk: Desk, run_id: str, seq: int) -> Response:
    return AsciiJSONResponse(_out(await prompt_of(desk.store, run_id, seq)).model_dump(mode="json"))


async def _fragment(desk: Desk, run_id: str, seq: int) -> Response:
    return desk.templates.fragment("fragments/run_prompt.html", prompt=await prompt_of(desk.store, run_id, seq))


def _out(prompt: Prompt) -> PromptOut:
    view = prompt.view
    return PromptOut(
        seq=prompt.seq,
        agent=prompt.agent,
        model=view.model,
        messages=[
            MessageOut(role=one.role, source=one.source, text=one.text, part=one.part, tokens=one.token_count)
            for one in view.messages
        ],
        tools=[
            ToolOut(name=one.name, description=one.description, parameters=one.schema, tokens=one.token_count)
            for one in view.tools
        ],
        shares=[ShareOut(part=one.part, name=one.name, count=one.count, tokens=one.token_count) for one in view.shares],
        tokens=view.token_count,
        counted_tokens=prompt.counted_tokens,
        limit=view.limit,
        before_seq=prompt.before_seq,
        changes=[_change(prompt, index) for index in range(len(prompt.changes))],
        next_seq=prompt.next_seq,
        number=prompt.number,
    )


def _change(prompt: Prompt, index: int) -> ChangeOut:
    item = prompt.changes[index]
    if isinstance(item, Fold):
        return ChangeOut(state="same", count=item.count)
    row = item.row
    step = row.after or row.before
    return ChangeOut(
        state=row.state,
        source=step.source if step else "",
        before=row.before.text if row.before else None,
        after=row.after.text if row.after else None,
    )
