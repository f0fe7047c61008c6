"""``loki-parity record``: a scenario is played against a live Go, and what it answers becomes a signed journal."""
