"""Model clients: how the studio asks language models."""

from studio.models.base import ChatCompletionClient as ChatCompletionClient
from studio.models.base import ModelCall as ModelCall
from studio.models.info import ModelFamily as ModelFamily
from studio.models.info import ModelInfo as ModelInfo
from studio.models.openai_client import AzureOpenAIChatCompletionClient as AzureOpenAIChatCompletionClient
from studio.models.openai_client import OpenAIChatCompletionClient as OpenAIChatCompletionClient
from studio.models.replay import NoMoreReplies as NoMoreReplies
from studio.models.replay import ReplayChatCompletionClient as ReplayChatCompletionClient
from studio.models.schema_model import model_from_schema as model_from_schema
