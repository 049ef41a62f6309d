"""What differs between two documents, and how three become one."""
