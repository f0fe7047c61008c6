"""A Go that is not there: Loki's internal routes over recorded blocks, and every way in which a server can fail."""
