"""The harness: journals, candidates, verdicts."""
