"""What pages and the command line ask of stored teams and runs; nothing of HTTP."""
