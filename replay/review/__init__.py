"""Re-recorded journals beside the old ones: what changed, edit by edit, and taking it over, or not."""
