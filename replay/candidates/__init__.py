"""Who can be judged."""
