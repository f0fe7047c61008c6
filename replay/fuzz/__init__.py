"""Inputs made by rules, given to the port and to real Go; what differs is made small and kept."""
