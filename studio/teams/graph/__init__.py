"""Teams whose turns follow a directed graph."""
