"""Memories: what agents are reminded of."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy
from studio.memory.base import Memory as Memory
from studio.memory.base import MemoryQueryResult as MemoryQueryResult
from studio.memory.base import UpdateContextResult as UpdateContextResult

if TYPE_CHECKING:
    from studio.memory.canvas import TextCanvas as TextCanvas
    from studio.memory.canvas_memory import ApplyPatchTool as ApplyPatchTool
    from studio.memory.canvas_memory import TextCanvasMemory as TextCanvasMemory
    from studio.memory.canvas_memory import UpdateFileTool as UpdateFileTool
    from studio.memory.chroma import ChromaDBVectorMemory as ChromaDBVectorMemory
    from studio.memory.chroma import ChromaDBVectorMemoryConfig as ChromaDBVectorMemoryConfig
    from studio.memory.chroma import HttpChromaDBVectorMemoryConfig as HttpChromaDBVectorMemoryConfig
    from studio.memory.chroma import PersistentChromaDBVectorMemoryConfig as PersistentChromaDBVectorMemoryConfig
    from studio.memory.embeddings import CustomEmbeddingFunctionConfig as CustomEmbeddingFunctionConfig
    from studio.memory.embeddings import DefaultEmbeddingFunctionConfig as DefaultEmbeddingFunctionConfig
    from studio.memory.embeddings import OpenAIEmbeddingFunctionConfig as OpenAIEmbeddingFunctionConfig
    from studio.memory.embeddings import (
        SentenceTransformerEmbeddingFunctionConfig as SentenceTransformerEmbeddingFunctionConfig,
    )
    from studio.memory.knowledge_memory import KnowledgeMemory as KnowledgeMemory
    from studio.memory.list_memory import ListMemory as ListMemory
    from studio.memory.mem0_memory import Mem0Memory as Mem0Memory
    from studio.memory.mem0_memory import Mem0MemoryConfig as Mem0MemoryConfig
    from studio.memory.redis_memory import RedisMemory as RedisMemory
    from studio.memory.redis_memory import RedisMemoryConfig as RedisMemoryConfig
    from studio.memory.service import MemoryUnavailable as MemoryUnavailable
    from studio.memory.service import UnsuitableContent as UnsuitableContent
else:
    __getattr__ = lazy(
        __name__,
        {
            "canvas": "TextCanvas",
            "canvas_memory": "ApplyPatchTool TextCanvasMemory UpdateFileTool",
            "chroma": "ChromaDBVectorMemory ChromaDBVectorMemoryConfig HttpChromaDBVectorMemoryConfig "
            "PersistentChromaDBVectorMemoryConfig",
            "embeddings": "CustomEmbeddingFunctionConfig DefaultEmbeddingFunctionConfig "
            "OpenAIEmbeddingFunctionConfig SentenceTransformerEmbeddingFunctionConfig",
            "knowledge_memory": "KnowledgeMemory",
            "list_memory": "ListMemory",
            "mem0_memory": "Mem0Memory Mem0MemoryConfig",
            "redis_memory": "RedisMemory RedisMemoryConfig",
            "service": "MemoryUnavailable UnsuitableContent",
        },
    )
