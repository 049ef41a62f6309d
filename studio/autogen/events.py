"""The envelopes that AgentChat's runtime passes around, for scripts that name them. This engine sends none."""

from __future__ import annotations

from pydantic import BaseModel, SerializeAsAny

from studio.messages import BaseChatMessage, BaseMessage, Response, StopMessage, TaskResult


class SerializableException(BaseModel):
    """An error as text."""

    error_type: str
    error_message: str
    traceback: str | None = None

    @classmethod
    def from_exception(cls, exc: Exception) -> SerializableException:
        return cls(error_type=type(exc).__name__, error_message=str(exc))

    def __str__(self) -> str:
        return f"{self.error_type}: {self.error_message}"


class GroupChatStart(BaseModel):
    """A run begins."""

    messages: list[SerializeAsAny[BaseChatMessage]] | None = None
    output_task_messages: bool = True


class GroupChatAgentResponse(BaseModel):
    """An agent answered."""

    response: SerializeAsAny[Response]
    name: str


class GroupChatTeamResponse(BaseModel):
    """A team in the team answered."""

    result: SerializeAsAny[TaskResult]
    name: str


class GroupChatRequestPublish(BaseModel):
    """Somebody is asked to speak."""


class GroupChatMessage(BaseModel):
    """Something was said."""

    message: SerializeAsAny[BaseMessage]


class GroupChatTermination(BaseModel):
    """A run ended."""

    message: StopMessage
    error: SerializableException | None = None


class GroupChatReset(BaseModel):
    """Forget the state, so that the next run starts fresh."""


class GroupChatPause(BaseModel):
    """Hold."""


class GroupChatResume(BaseModel):
    """Go on."""


class GroupChatError(BaseModel):
    """Something failed."""

    error: SerializableException
