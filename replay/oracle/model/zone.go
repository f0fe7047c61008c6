package main

import (
	"time"

	// The zones come with the program where the system has none; ZONEINFO, if set, goes before both.
	_ "time/tzdata"
)

// loadZone finds a time zone by name; none given is UTC (journal.md, defaults).
func loadZone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	return time.LoadLocation(name)
}
