"""Model contexts: how much of the conversation a model sees."""

from studio.contexts.base import ChatCompletionContext as ChatCompletionContext
from studio.contexts.token_limited import TokenLimitedChatCompletionContext as TokenLimitedChatCompletionContext
from studio.contexts.windows import BufferedChatCompletionContext as BufferedChatCompletionContext
from studio.contexts.windows import HeadAndTailChatCompletionContext as HeadAndTailChatCompletionContext
from studio.contexts.windows import UnboundedChatCompletionContext as UnboundedChatCompletionContext
