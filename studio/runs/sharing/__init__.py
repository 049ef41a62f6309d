"""Runs that leave the studio: as a file to read, or as a test."""
