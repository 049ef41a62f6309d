"""What an approver is shown."""
