"""An agent with a web browser."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field, JsonValue, PrivateAttr, TypeAdapter, ValidationInfo, field_validator, model_validator

from studio import effects
from studio.agents.advice import MODEL, MODEL_WITHOUT_VISION, lacks
from studio.agents.base import ChatAgent, Step
from studio.agents.cleanup import release_all
from studio.agents.turn import without_images
from studio.agents.web_browser import BrowserSetup, View, WebBrowser
from studio.agents.web_prompts import READS, done, question, reading, report, tools_for
from studio.components import Capability, JsonObject, Warn
from studio.components.folders import database_capability, file_capability, make_folder, resolve_database
from studio.effects import EffectRequest
from studio.errors import Finding, ToolFailed
from studio.executors.workspace_files import write_within
from studio.messages import (
    AssistantMessage,
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    CreateResult,
    FunctionCall,
    FunctionExecutionResult,
    Image,
    LLMMessage,
    MultiModalMessage,
    Response,
    SystemMessage,
    TextMessage,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
    UserMessage,
    linked,
)
from studio.models import ChatCompletionClient

_HISTORY: TypeAdapter[list[LLMMessage]] = TypeAdapter(list[LLMMessage])
START_PAGE = "https://www.bing.com/"
DESCRIPTION = """
    A helpful assistant with access to a web browser.
    Ask them to perform web searches, open pages, and interact with content (e.g., clicking links, scrolling the viewport, filling in form fields, etc.).
    It can also summarize the entire page, or answer questions based on the content of the page.
    It can also be asked to sleep and wait for pages to load, in cases where the page seems not yet fully loaded.
    """  # noqa: E501 -- AutoGen's text, which its files hold
ADVANCED: JsonObject = {"x-advanced": True}


class MultimodalWebSurfer(ChatAgent):
    """Looks at web pages in a real browser, clicks, types, and answers with what it sees."""

    provider = "autogen_ext.agents.web_surfer.MultimodalWebSurfer"
    aliases = (
        "autogen_ext.agents.web_surfer._multimodal_web_surfer.MultimodalWebSurfer",
        "autogen_ext.teams.magentic_one.MultimodalWebSurfer",
        "autogenstudio.gallery.builder.MultimodalWebSurfer",
        "studio.agents.MultimodalWebSurfer",
    )
    positional: ClassVar[tuple[str, ...]] = ("name", "model_client", "downloads_folder", "description")
    has_own_tools: ClassVar[bool] = True

    name: Annotated[str, Field(description="A word without spaces, unique in its team.", examples=["WebSurfer"])]
    model_client: Annotated[
        ChatCompletionClient,
        Field(description="The model that reads pages. It must support tools, and should accept images."),
    ]
    description: Annotated[
        str,
        Field(
            description="What this agent does. Other agents and selectors read it.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = DESCRIPTION
    start_page: Annotated[str | None, Field(description="Address of the page that the browser opens first.")] = (
        START_PAGE
    )
    headless: Annotated[bool, Field(description="Run the browser without a window.")] = True
    allow_private_addresses: Annotated[
        bool | None,
        Field(description="Off: the browser opens only pages of the public internet, not this machine or its network."),
    ] = None
    downloads_folder: Annotated[
        str | None, Field(description="Folder for downloads. Empty: downloads are refused.")
    ] = None
    to_save_screenshots: Annotated[
        bool,
        Field(
            title="Save screenshots",
            description="Save a picture of each page into the debug dir.",
            json_schema_extra=ADVANCED,
        ),
    ] = False
    debug_dir: Annotated[str | None, Field(description="Folder for screenshots.", json_schema_extra=ADVANCED)] = None
    animate_actions: Annotated[
        bool, Field(description="Stored for compatibility; has no effect here.", json_schema_extra=ADVANCED)
    ] = False
    use_ocr: Annotated[
        bool, Field(description="Stored for compatibility; has no effect here.", json_schema_extra=ADVANCED)
    ] = False
    browser_channel: Annotated[
        str | None, Field(description="Browser to use, such as `chrome`. Empty: Chromium.", json_schema_extra=ADVANCED)
    ] = None
    browser_data_dir: Annotated[
        str | None,
        Field(
            description="Folder of the browser profile, a relative name. Empty: a new profile for each run.",
            json_schema_extra=ADVANCED,
        ),
    ] = None
    to_resize_viewport: Annotated[
        bool,
        Field(
            title="Resize viewport", description="Set the window to AutoGen's usual size.", json_schema_extra=ADVANCED
        ),
    ] = True

    _browser: WebBrowser | None = PrivateAttr(default=None)
    _url: str = PrivateAttr(default="")
    _shots: int = PrivateAttr(default=0)
    _history: list[LLMMessage] = PrivateAttr(default_factory=list[LLMMessage])
    _heard: Sequence[BaseChatMessage] | None = PrivateAttr(default=None)

    def __init__(self, *args: Any, **data: Any) -> None:
        super().__init__(*args, **data)

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        for name in ("animate_actions", "use_ocr"):
            if config.get(name):
                warn(f"`{name}` is kept and not used.", f"/{name}")
        return {name: value for name, value in config.items() if name != "description" or value is not None}

    @field_validator("model_client")
    @classmethod
    def _calls_tools(cls, client: ChatCompletionClient, info: ValidationInfo) -> ChatCompletionClient:
        del info
        if not client.is_opaque and not client.info["function_calling"]:
            raise ValueError(
                "The model does not support function calling. "
                "MultimodalWebSurfer requires a model that supports function calling."
            )
        return client

    @model_validator(mode="after")
    def _has_a_folder(self) -> MultimodalWebSurfer:
        if self.to_save_screenshots and self.debug_dir is None:
            raise ValueError("Cannot save screenshots without a “Debug dir”.")
        return self

    def capabilities(self) -> Iterator[Capability]:
        private = (
            ", also of this machine and its network" if self.allow_private_addresses else " of the public internet"
        )
        yield Capability("host", f"Opens web pages{private}, and acts on them.", f"any web page{private}", is_open=True)
        browser = f"chromium {self.browser_channel or ''}".strip()
        yield Capability("process", "Starts a Chromium browser.", browser, has_own_network=True)
        for folder in (self.downloads_folder, self.debug_dir):
            if folder:
                yield file_capability("write", folder, "Writes files in {}.")
        if self.browser_data_dir:
            yield database_capability(self.browser_data_dir, "Keeps the profile of its browser at {}.")

    def advice(self) -> Iterator[Finding]:
        if lacks(self.model_client, "vision"):
            message = "The model does not read pictures, so this agent goes by the texts of pages alone."
            yield MODEL_WITHOUT_VISION(message, "Choose a model that reads pictures.", MODEL)

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (MultiModalMessage, TextMessage)

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        self._history += [message.to_model_message() for message in messages]
        self._heard = messages
        inner: list[BaseMessage] = []
        with linked(cancellation_token):
            view = await self._see()
            result = await self._choose(view, cancellation_token)
        if isinstance(result.content, str):
            answer: BaseChatMessage = TextMessage(content=result.content, source=self.name, models_usage=result.usage)
        else:
            call = result.content[0]
            inner.append(ToolCallRequestEvent(content=[call], source=self.name, models_usage=result.usage))
            yield inner[0]
            with linked(cancellation_token):
                answer = await self._carry_out(call, view, cancellation_token)
            text = answer.to_model_message().content
            first = text if isinstance(text, str) else str(text[0])
            found = FunctionExecutionResult(content=first, name=call.name, call_id=call.id, is_error=False)
            inner.append(ToolCallExecutionEvent(content=[found], source=self.name))
            yield inner[1]
        self._history.append(AssistantMessage(content=answer.to_text(), source=self.name))
        yield Response(chat_message=answer, inner_messages=inner)

    async def _choose(self, view: View, token: CancellationToken | None) -> CreateResult:
        """Ask the model what to do on this page."""
        can_see = bool(self.model_client.info["vision"])
        tools = tools_for(view)
        text = question(view, tools, is_pictured=can_see)
        asked: str | list[str | Image] = [text, Image(data=view.marked)] if can_see else text
        *earlier, request = without_images(self._history) or [UserMessage(content="Empty request.", source="user")]
        return await self.model_client.create(
            [*earlier, UserMessage(content=asked, source=self.name), request], tools=tools, cancellation_token=token
        )

    async def _carry_out(self, call: FunctionCall, view: View, token: CancellationToken | None) -> BaseChatMessage:
        """Do what the model chose; what goes wrong is told, so that it can choose again."""
        try:
            arguments = cast("JsonObject", json.loads(call.arguments or "{}"))
            if call.name in READS:
                return await self._summary(arguments, token)
            after = await self._see(call.name, arguments)
        except (ToolFailed, json.JSONDecodeError) as error:
            text = error.what if isinstance(error, ToolFailed) else f"The arguments are no JSON: {error}"
            return TextMessage(content=f"Web surfing error:\n\n{text}", source=self.name)
        content: list[str | Image] = [report(after, done(call.name, arguments, view)), Image(data=after.screenshot)]
        return MultiModalMessage(content=content, source=self.name)

    async def _summary(self, arguments: JsonObject, token: CancellationToken | None) -> BaseChatMessage:
        """Let the model read the whole page."""
        read = cast("dict[str, str]", await self._effect("read_page", {}, self._read))
        question = arguments.get("question")
        asked = reading(read["title"], read["text"], str(question) if question else None)
        result = await self.model_client.create(
            [
                SystemMessage(content="You summarise long documents and answer questions about them."),
                UserMessage(content=asked, source=self.name),
            ],
            cancellation_token=token,
        )
        return TextMessage(content=str(result.content), source=self.name, models_usage=result.usage)

    # --- the browser; each look or action is one effect

    async def _see(self, name: str = "look", arguments: JsonObject | None = None) -> View:
        async def perform() -> JsonValue:
            browser = await self._opened()
            saved: list[str] = []
            if name != "look":
                await browser.act(name, arguments or {})
                if self.downloads_folder:
                    saved = await browser.save_downloads(make_folder(self.downloads_folder, self.capabilities()))
            view = await browser.look()
            if saved:
                view = view.model_copy(update={"text": f"Downloaded: {', '.join(saved)}\n{view.text}"})
            await self._save_screenshot(view)
            return view.model_dump(mode="json")

        view = View.model_validate(await self._effect(name, arguments or {}, perform))
        self._url = view.url if view.url.startswith("http") else self._url
        return view

    async def _effect(self, name: str, arguments: JsonObject, perform: effects.Perform) -> JsonValue:
        async def perform_or_explain() -> JsonValue:
            try:
                return {"found": await perform()}
            except ToolFailed as error:
                return {"error": error.what}

        request = EffectRequest(
            "tool", self.name, lambda: {"name": name, "arguments": arguments, "url": self._url or self.start_page}
        )
        answer = cast("JsonObject", await effects.call(request, perform_or_explain))
        if "error" in answer:
            raise ToolFailed(str(answer["error"]))
        return answer["found"]

    async def _read(self) -> JsonValue:
        browser = await self._opened()
        return {"title": await browser.page.title(), "text": await browser.whole_text()}

    async def _opened(self) -> WebBrowser:
        """The browser, started where it last was."""
        if self._browser is None:
            setup = BrowserSetup(
                headless=self.headless,
                channel=self.browser_channel,
                data_dir=self._profile(),
                takes_downloads=bool(self.downloads_folder),
                resizes=self.to_resize_viewport,
                allow_private=bool(self.allow_private_addresses),
            )
            self._browser = WebBrowser(setup)
        if not self._browser.is_open:
            await self._browser.open(self._url or self.start_page or START_PAGE)
        return self._browser

    def _profile(self) -> Path | None:
        """Where no code of the team may write: a browser runs what it finds in its profile."""
        if not self.browser_data_dir:
            return None
        place = resolve_database(self.browser_data_dir, self.capabilities()).absolute()
        place.mkdir(parents=True, exist_ok=True)
        return place

    async def _save_screenshot(self, view: View) -> None:
        if self.to_save_screenshots and self.debug_dir is not None:
            self._shots += 1
            folder = make_folder(self.debug_dir, self.capabilities())
            name = f"screenshot_{self._shots:04}.png"
            await asyncio.to_thread(write_within, folder, name, base64.b64decode(view.marked))

    def unheard(self, messages: Sequence[BaseChatMessage]) -> Sequence[BaseChatMessage]:
        return () if self._heard is messages else messages

    async def on_reset(self, cancellation_token: CancellationToken | None = None) -> None:
        del cancellation_token
        self._history, self._url = [], ""
        await self._close_browser()

    async def _close_browser(self) -> None:
        if self._browser is not None:
            await self._browser.close()

    async def release(self) -> None:
        await release_all(self.model_client.close, self._close_browser)

    async def save_state(self) -> Mapping[str, JsonValue]:
        history = _HISTORY.dump_python(self._history, mode="json")
        return {**await super().save_state(), "history": history, "url": self._url}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        self._history = _HISTORY.validate_python(state.get("history") or [])
        self._url = str(state.get("url") or "")
