"""Memories: what agents are reminded of."""

from studio.memory.base import Memory as Memory
from studio.memory.base import MemoryQueryResult as MemoryQueryResult
from studio.memory.base import UpdateContextResult as UpdateContextResult
from studio.memory.list_memory import ListMemory as ListMemory
