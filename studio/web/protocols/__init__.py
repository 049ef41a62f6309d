"""What callers of deployments speak: each module renames the events of calls for one protocol, and adds nothing."""
