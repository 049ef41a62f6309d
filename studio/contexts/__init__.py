"""Model contexts: how much of the conversation a model sees."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy
from studio.contexts.base import ChatCompletionContext as ChatCompletionContext
from studio.contexts.windows import BufferedChatCompletionContext as BufferedChatCompletionContext
from studio.contexts.windows import HeadAndTailChatCompletionContext as HeadAndTailChatCompletionContext
from studio.contexts.windows import UnboundedChatCompletionContext as UnboundedChatCompletionContext

if TYPE_CHECKING:
    from studio.contexts.token_limited import TokenLimitedChatCompletionContext as TokenLimitedChatCompletionContext
else:
    __getattr__ = lazy(
        __name__,
        {
            "token_limited": "TokenLimitedChatCompletionContext",
        },
    )
