"""Loki's tools, one module per tool family."""
