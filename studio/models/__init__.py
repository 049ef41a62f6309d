"""Model clients: how the studio asks language models."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy
from studio.models.base import ChatCompletionClient as ChatCompletionClient
from studio.models.base import ModelCall as ModelCall
from studio.models.info import ModelFamily as ModelFamily
from studio.models.info import ModelInfo as ModelInfo

if TYPE_CHECKING:
    from studio.models.anthropic_client import (
        AnthropicBedrockChatCompletionClient as AnthropicBedrockChatCompletionClient,
    )
    from studio.models.anthropic_client import AnthropicChatCompletionClient as AnthropicChatCompletionClient
    from studio.models.azure_ai_client import AzureAIChatCompletionClient as AzureAIChatCompletionClient
    from studio.models.azure_token import AzureTokenProvider as AzureTokenProvider
    from studio.models.azure_token import TokenProvider as TokenProvider
    from studio.models.cache import CHAT_CACHE_VALUE_TYPE as CHAT_CACHE_VALUE_TYPE
    from studio.models.cache import ChatCompletionCache as ChatCompletionCache
    from studio.models.cache_store import CacheStore as CacheStore
    from studio.models.cache_store import DiskCacheStore as DiskCacheStore
    from studio.models.cache_store import InMemoryStore as InMemoryStore
    from studio.models.cache_store import RedisStore as RedisStore
    from studio.models.catalogue import Price as Price
    from studio.models.catalogue import model_catalogue as model_catalogue
    from studio.models.catalogue import price_of as price_of
    from studio.models.llama_cpp_client import LlamaCppChatCompletionClient as LlamaCppChatCompletionClient
    from studio.models.ollama_client import OllamaChatCompletionClient as OllamaChatCompletionClient
    from studio.models.openai_client import AzureOpenAIChatCompletionClient as AzureOpenAIChatCompletionClient
    from studio.models.openai_client import OpenAIChatCompletionClient as OpenAIChatCompletionClient
    from studio.models.replay import NoMoreReplies as NoMoreReplies
    from studio.models.replay import ReplayChatCompletionClient as ReplayChatCompletionClient
    from studio.models.schema_model import model_from_schema as model_from_schema
else:
    __getattr__ = lazy(
        __name__,
        {
            "anthropic_client": "AnthropicBedrockChatCompletionClient AnthropicChatCompletionClient",
            "azure_ai_client": "AzureAIChatCompletionClient",
            "azure_token": "AzureTokenProvider TokenProvider",
            "cache": "CHAT_CACHE_VALUE_TYPE ChatCompletionCache",
            "cache_store": "CacheStore DiskCacheStore InMemoryStore RedisStore",
            "catalogue": "Price model_catalogue price_of",
            "llama_cpp_client": "LlamaCppChatCompletionClient",
            "ollama_client": "OllamaChatCompletionClient",
            "openai_client": "AzureOpenAIChatCompletionClient OpenAIChatCompletionClient",
            "replay": "NoMoreReplies ReplayChatCompletionClient",
            "schema_model": "model_from_schema",
        },
    )
