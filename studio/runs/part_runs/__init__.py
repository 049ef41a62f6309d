"""Runs of one part of a team: what the pages call Try."""
