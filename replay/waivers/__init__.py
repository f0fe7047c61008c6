"""Divergences that are accepted for now: a file for each step, which exists if and only if the outputs differ."""
