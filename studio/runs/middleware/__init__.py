"""What stands around a run's port to the world, one wrapper around the other."""
