"""The team of Magentic-One: an orchestrator with a ledger of facts, a plan and progress."""
