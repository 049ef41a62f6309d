"""What runs take, and the limits that hold them."""
