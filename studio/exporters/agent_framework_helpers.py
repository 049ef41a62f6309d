"""Functions and classes that a script for Microsoft Agent Framework defines where its team needs them.

Agent Framework leaves to functions what AutoGen has classes for: who speaks next, when a team stops, how a turn ends. A
script holds only those that it uses. They are text here, since they are written for a package that the studio lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

CORE = "agent_framework"
ORCHESTRATIONS = "agent_framework.orchestrations"


@dataclass(frozen=True)
class Helper:
    """A definition that a script may hold.

    Args:
        name: What it defines.
        source: Its text.
        imports: Names of the framework that it uses, by package.
        modules: What it imports of Python.
        needs: Other helpers that must stand above it.
    """

    name: str
    source: str
    imports: tuple[tuple[str, str], ...] = ()
    modules: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


_MESSAGE = (CORE, "Message")
_STATE = (ORCHESTRATIONS, "GroupChatState")

_ALL = (
    Helper(
        "in_turn",
        '''def in_turn(state: GroupChatState) -> str:
    """Name the participants one after the other."""
    return list(state.participants)[state.current_round % len(state.participants)]''',
        (_STATE,),
    ),
    Helper("Condition", "Condition = Callable[[list[Message]], bool]", (_MESSAGE,), ("Callable",)),
    Helper(
        "any_of",
        '''def any_of(*conditions: Condition) -> Condition:
    """Stop when one of the conditions is met."""
    return lambda conversation: any([is_met(conversation) for is_met in conditions])''',
        needs=("Condition",),
    ),
    Helper(
        "all_of",
        '''def all_of(*conditions: Condition) -> Condition:
    """Stop when all of the conditions are met."""
    return lambda conversation: all([is_met(conversation) for is_met in conditions])''',
        needs=("Condition",),
    ),
    Helper(
        "text_mentioned",
        '''def text_mentioned(text: str, *sources: str) -> Condition:
    """Stop when a message holds a text: of anyone, or of these participants."""
    return lambda conversation: any(
        text in message.text and (not sources or (message.author_name or "user") in sources)
        for message in conversation
    )''',
        needs=("Condition",),
    ),
    Helper(
        "message_count",
        '''def message_count(limit: int) -> Condition:
    """Stop after so many messages; the task is one of them."""
    return lambda conversation: len(conversation) >= limit''',
        needs=("Condition",),
    ),
    Helper(
        "said_by",
        '''def said_by(*sources: str) -> Condition:
    """Stop when one of these participants has spoken."""
    return lambda conversation: any(
        (message.author_name or "user") in sources for message in conversation
    )''',
        needs=("Condition",),
    ),
    Helper(
        "seconds_passed",
        '''def seconds_passed(limit: float) -> Condition:
    """Stop when so many seconds have passed since the task."""
    started: list[float] = []

    def is_met(conversation: list[Message]) -> bool:
        started.append(time.monotonic())
        return started[-1] - started[0] >= limit

    return is_met''',
        modules=("time",),
        needs=("Condition",),
    ),
    Helper(
        "tool_rounds",
        '''def tool_rounds(
    limit: int = 1,
    *,
    summary: str = "{result}",
    answers_in_words: bool = False,
    handoffs: Collection[str] = (),
) -> list[MiddlewareTypes]:
    """End a turn after so many rounds of tool calls, or after a handoff.

    The results of the last round are then the answer; or, with `answers_in_words`, the model is
    asked once more, without tools.
    """
    rounds = 0

    @chat_middleware
    async def ask(context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        nonlocal rounds
        rounds += 1
        if answers_in_words and rounds > limit and isinstance(context.options, dict):
            for name in ("tools", "tool_choice"):
                context.options.pop(name, None)
        await call_next()

    @function_middleware
    async def use_tool(
        context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]
    ) -> None:
        await call_next()
        if context.function.name in handoffs or (rounds >= limit and not answers_in_words):
            raise MiddlewareTermination

    @agent_middleware
    async def take_turn(context: AgentContext, call_next: Callable[[], Awaitable[None]]) -> None:
        nonlocal rounds
        rounds = 0
        if context.stream:
            context.stream_result_hooks.append(with_answer)
        await call_next()
        if isinstance(context.result, AgentResponse):
            context.result = with_answer(context.result)

    def with_answer(response: AgentResponse) -> AgentResponse:
        contents = [content for message in response.messages for content in message.contents]
        if not contents or contents[-1].type != "function_result":
            return response
        last_round = [
            content
            for content in response.messages[-1].contents
            if content.type == "function_result"
        ]
        calls = {
            content.call_id: content for content in contents if content.type == "function_call"
        }
        moves = [content for content in last_round if calls[content.call_id].name in handoffs]
        texts = (
            [str(moves[0].result)]
            if moves
            else [
                summary.format(
                    tool_name=calls[content.call_id].name,
                    arguments=calls[content.call_id].arguments,
                    result=content.result,
                    is_error=content.exception is not None,
                )
                for content in last_round
            ]
        )
        author = next((each.author_name for each in response.messages if each.author_name), None)
        response.messages.append(Message("assistant", ["\\n".join(texts)], author_name=author))
        return response

    return [take_turn, ask, use_tool]''',
        tuple(
            (CORE, name)
            for name in (
                "AgentContext",
                "AgentResponse",
                "ChatContext",
                "FunctionInvocationContext",
                "Message",
                "MiddlewareTermination",
                "MiddlewareTypes",
                "agent_middleware",
                "chat_middleware",
                "function_middleware",
            )
        ),
        ("Awaitable", "Callable", "Collection"),
    ),
    Helper(
        "Handoffs",
        '''class Handoffs:
    """Who has handed the conversation to whom: the agents' tools say so, the team asks."""

    def __init__(self) -> None:
        self._newest = ""
        self._targets: set[str] = set()

    def to(self, target: str, *, name: str, description: str, message: str) -> FunctionTool:
        """A tool that hands the conversation to a participant, or to someone outside."""

        def hand_over() -> str:
            self._newest = target
            self._targets.add(target)
            return message

        return FunctionTool(name=name, description=description, func=hand_over)

    def next_speaker(self, state: GroupChatState) -> str:
        """Whoever was handed to last; the first participant at the beginning."""
        return self._newest or next(iter(state.participants))

    def reached(self, target: str) -> Condition:
        """Stop when someone has handed over to this target."""
        return lambda conversation: target in self._targets''',
        ((CORE, "FunctionTool"), _STATE),
        needs=("Condition",),
    ),
    Helper(
        "Selector",
        '''class Selector:
    """Ask a model who speaks next; if it names nobody, the last speaker goes on."""

    def __init__(
        self,
        client: SupportsChatGetResponse,
        prompt: str,
        *,
        role: str = "system",
        attempts: int = 3,
        may_repeat: bool = False,
        options: dict[str, Any] | None = None,
    ) -> None:
        self._client = client
        self._prompt = prompt
        self._role = role
        self._attempts = attempts
        self._may_repeat = may_repeat
        self._options = options
        self._last = ""

    async def next_speaker(self, state: GroupChatState) -> str:
        names = [name for name in state.participants if self._may_repeat or name != self._last]
        chosen = names[0] if len(names) == 1 else await self._ask(state, names)
        self._last = chosen or self._last or names[0]
        return self._last

    async def _ask(self, state: GroupChatState, names: list[str]) -> str:
        lines = [f"{each.author_name or 'user'}: {each.text}" for each in state.conversation]
        prompt = self._prompt.format(
            roles="\\n".join(
                " ".join(f"{name}: {text}".split()) for name, text in state.participants.items()
            ),
            participants=names,
            history="\\n".join(f"{line.rstrip()}\\n\\n" for line in lines),
        )
        messages = [Message(self._role, [prompt])]
        for _ in range(self._attempts):
            answer = (await self._client.get_response(messages, options=self._options)).text
            named = [name for name in state.participants if self._is_named(name, answer)]
            if len(named) == 1 and named[0] in names:
                return named[0]
            if not named:
                mistake = f"No valid name was mentioned. Please select from: {names}."
            elif len(named) > 1:
                mistake = (
                    "Expected exactly one name to be mentioned. "
                    f"Please select only one from: {names}."
                )
            else:
                mistake = (
                    "Repeated speaker is not allowed, "
                    f"please select a different name from: {names}."
                )
            messages += [Message("assistant", [answer]), Message("user", [mistake])]
        return ""

    @staticmethod
    def _is_named(name: str, answer: str) -> bool:
        spellings = (name, name.replace("_", " "), name.replace("_", "\\\\_"))
        either = "|".join(map(re.escape, spellings))
        return re.search(rf"(?<!\\w)({either})(?!\\w)", answer) is not None''',
        ((CORE, "Message"), (CORE, "SupportsChatGetResponse"), _STATE),
        ("Any", "re"),
    ),
    Helper(
        "Edge",
        '''class Edge(NamedTuple):
    """A way from one participant to another, taken if the source's answer holds a text.

    With `otherwise` it is taken if no other edge of the source is. The edges of a group count
    together: the target speaks when all of them were taken, or any.
    """

    source: str
    target: str
    condition: str = ""
    group: str = ""
    activation: str = "all"
    otherwise: bool = False''',
        modules=("NamedTuple",),
    ),
    Helper(
        "Graph",
        '''class Graph:
    """Name who speaks after whom, and tell when nobody is left to speak."""

    def __init__(self, starts: Sequence[str], edges: Sequence[Edge]) -> None:
        self._edges = edges
        self._ready = list(starts)
        self._speaker = ""
        every = Counter((edge.target, edge.group) for edge in edges)
        first = {(edge.target, edge.group): 1 for edge in edges if edge.activation == "any"}
        self._needed = {**every, **first}
        self._missing = dict(self._needed)

    def next_speaker(self, state: GroupChatState) -> str:
        self._speaker = self._ready.pop(0)
        for group, count in self._missing.items():
            if group[0] == self._speaker and count <= 0:
                self._missing[group] = self._needed[group]
        return self._speaker

    def is_complete(self, conversation: list[Message]) -> bool:
        """Follow the edges of whoever has just spoken; stop when they lead nowhere."""
        own = [edge for edge in self._edges if edge.source == self._speaker]
        holding = [edge for edge in own if edge.condition in conversation[-1].text]
        taken = [edge for edge in holding if not edge.otherwise]
        for edge in taken or holding:
            group = (edge.target, edge.group)
            self._missing[group] -= 1
            if self._missing[group] == 0:
                self._ready.append(edge.target)
        return not self._ready''',
        (_MESSAGE, _STATE),
        ("Counter", "Sequence"),
        ("Edge",),
    ),
    Helper(
        "hear_only",
        '''def hear_only(kept: dict[str, slice]) -> AgentMiddlewareTypes:
    """Let an agent hear only these participants, and of what each has said since only a part."""

    @agent_middleware
    async def listen(context: AgentContext, call_next: Callable[[], Awaitable[None]]) -> None:
        heard: list[Message] = []
        for source, part in kept.items():
            said = [each for each in context.messages if (each.author_name or "user") == source]
            heard += said[part]
        context.messages = heard
        await call_next()

    return listen''',
        tuple((CORE, name) for name in ("AgentContext", "AgentMiddlewareTypes", "Message", "agent_middleware")),
        ("Awaitable", "Callable"),
    ),
    Helper(
        "function_from",
        '''def function_from(source: str, name: str) -> Callable[..., Any]:
    """The function of a tool whose source holds more than the function."""
    found: dict[str, Any] = {}
    exec(source, found)
    return found[name]''',
        modules=("Any", "Callable"),
    ),
    Helper(
        "team_tool",
        '''def team_tool(build: Callable[[], Workflow], *, name: str, description: str) -> FunctionTool:
    """A team as a tool: each call makes it anew, and its last answer is the result."""

    async def run(task: Annotated[str, "Input task for the agent."]) -> str:
        answers = [
            answer.agent_response.text
            for event in await build().run(task)
            if event.type == "executor_completed"
            for answer in event.data or ()
            if isinstance(answer, AgentExecutorResponse)
        ]
        return answers[-1]

    return FunctionTool(name=name, description=description, func=run)''',
        ((CORE, "AgentExecutorResponse"), (CORE, "FunctionTool"), (CORE, "Workflow")),
        ("Annotated", "Callable"),
    ),
    Helper(
        "ScriptedClient",
        '''class ScriptedClient(BaseChatClient):
    """A model that replies from a script, in order."""

    def __init__(self, replies: Sequence[str], *, repeats: bool = False) -> None:
        super().__init__()
        self._left = itertools.cycle(replies) if repeats else iter(replies)

    def _inner_get_response(
        self,
        *,
        messages: Sequence[Message],
        stream: bool,
        options: Mapping[str, Any],
        **kwargs: Any,
    ) -> Awaitable[ChatResponse] | ResponseStream[ChatResponseUpdate, ChatResponse]:
        reply = next(self._left)

        async def pieces() -> AsyncIterator[ChatResponseUpdate]:
            yield ChatResponseUpdate(role="assistant", contents=[Content.from_text(reply)])

        async def whole() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", [reply])])

        if stream:
            return ResponseStream(pieces(), finalizer=ChatResponse.from_updates)
        return whole()''',
        tuple(
            (CORE, name)
            for name in (
                "BaseChatClient",
                "ChatResponse",
                "ChatResponseUpdate",
                "Content",
                "Message",
                "ResponseStream",
            )
        ),
        ("Any", "AsyncIterator", "Awaitable", "Mapping", "Sequence", "itertools"),
    ),
)
HELPERS = {helper.name: helper for helper in _ALL}


def with_needed(names: Iterable[str]) -> Iterator[Helper]:
    """These helpers with those that they need, in the order in which a script holds them."""
    wanted = set(names)
    wanted |= {need for name in wanted for need in HELPERS[name].needs}
    return (helper for helper in _ALL if helper.name in wanted)
