"""What a façade does with Go: its client, who runs a tool, a whole turn (contract: facade.md)."""
