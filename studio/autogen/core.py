"""Which version of AutoGen the names are those of, and the names of its logs."""

from __future__ import annotations

__version__ = "0.7.5"
ROOT_LOGGER_NAME = "autogen_core"
TRACE_LOGGER_NAME = "autogen_core.trace"
CHAT_EVENTS = "autogen_agentchat.events"
CHAT_TRACE = "autogen_agentchat"
