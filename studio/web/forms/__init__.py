"""Forms of components, made from their JSON schemas."""
