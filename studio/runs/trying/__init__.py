"""Parts of a team that are tried alone."""
