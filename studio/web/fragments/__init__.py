"""Fragments: pieces of HTML that a page swaps in."""
