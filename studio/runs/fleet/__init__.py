"""Runs that one process makes, tells and shows, and another one drives; both reach one database."""
