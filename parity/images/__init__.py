"""Kept images: the state of a turn, and the store."""
