"""The port: Loki's tools in Python, as Go has them, to the character."""
