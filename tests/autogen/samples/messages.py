"""Messages made by hand: text, text with a picture, types of one's own, and their way to JSON and back."""

from typing import Literal

from autogen_agentchat.messages import (
    BaseAgentEvent,
    BaseChatMessage,
    HandoffMessage,
    MessageFactory,
    MultiModalMessage,
    StopMessage,
    StructuredMessage,
    TextMessage,
)
from autogen_core import Image
from autogen_core.models import UserMessage
from pydantic import BaseModel

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

text = TextMessage(content="Land ahead!", source="lookout")
print(text.type, text.to_text(), text.to_model_text(), text.to_model_message().content)

picture = Image.from_base64(DOT)
both = MultiModalMessage(content=["What is on this chart?", picture], source="mate")
print(both.type, both.to_model_text(), len(both.content), both.content[1].to_base64()[:8])
sent = both.to_model_message()
assert isinstance(sent, UserMessage) and sent.content[1].to_base64() == picture.to_base64()
again = Image.from_uri(picture.data_uri)
print(again.data_uri[:22], again.to_openai_format(detail="low")["image_url"]["detail"])


class Bearing(BaseModel):
    degrees: int
    towards: str


bearing = StructuredMessage[Bearing](content=Bearing(degrees=270, towards="west"), source="mate")
print(bearing.type, bearing.to_text(), bearing.content.degrees)


class BellMessage(BaseChatMessage):
    """A message of our own."""

    strokes: int
    type: Literal["BellMessage"] = "BellMessage"

    def to_text(self):
        return "ding " * self.strokes

    def to_model_text(self):
        return f"The bell rings {self.strokes} times."

    def to_model_message(self):
        return UserMessage(content=self.to_model_text(), source=self.source)


class WatchEvent(BaseAgentEvent):
    """An event of our own."""

    content: str
    type: Literal["WatchEvent"] = "WatchEvent"

    def to_text(self):
        return f"[{self.content}]"


bell, event = BellMessage(strokes=2, source="ship"), WatchEvent(content="new watch", source="ship")
factory = MessageFactory()
factory.register(BellMessage)
factory.register(WatchEvent)
for message in (bell, event, text, StopMessage(content="Anchor.", source="mate")):
    data = message.dump()
    assert data["type"] == type(message).__name__
    copy = factory.create(data)
    assert type(copy) is type(message) and copy.to_text() == message.to_text()
    print(data["type"], copy.to_text())
handoff = HandoffMessage(content="Yours.", source="mate", target="captain", context=[bell.to_model_message()])
print(handoff.target, handoff.context[0].content, handoff.metadata)
