"""What is in a run, and how two of them differ."""
