"""Where the migration stands, system by system: what exists to prove each, and what a run proved."""
