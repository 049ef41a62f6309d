"""What people do to a run to look into it: breakpoints, steps, rules for tools, changes of what was said."""
