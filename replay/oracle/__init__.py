"""Real Go beside the port."""
