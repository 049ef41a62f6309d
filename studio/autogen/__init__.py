"""Runs scripts written for AutoGen's AgentChat on this engine: `python -m studio.autogen SCRIPT.py`."""
