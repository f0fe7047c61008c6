"""What moved: between two journals, or between two versions of Go."""
