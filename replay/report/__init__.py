"""What a run looks like: on a terminal, as JSON lines. Rendering only."""
