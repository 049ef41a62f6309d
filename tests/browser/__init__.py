"""A package, so that its tests share a browser until those of another folder begin."""
