"""The log of a run: its entries, who writes them, and those that pages still need."""
