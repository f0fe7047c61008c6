"""What Go does with a text, rule by rule, told by the port's own rule functions."""
