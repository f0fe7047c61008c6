"""A journal in the named format, whatever keys it was written with."""
