"""What this machine has of what loki-parity needs or can use; what is missing, and how to mend it."""
