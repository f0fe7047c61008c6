package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// dateMaker writes dates for a zone: its own transitions first of all (go-semantics.md, 2.14).
type dateMaker struct {
	dice        *dice
	zone        *time.Location
	transitions []time.Time
}

func newDateMaker(d *dice, zone *time.Location) *dateMaker {
	return &dateMaker{dice: d, zone: zone, transitions: transitions(zone)}
}

// transitions finds the moments at which a zone's offset changes, to the second.
func transitions(zone *time.Location) []time.Time {
	offset := func(t time.Time) int {
		_, seconds := t.In(zone).Zone()
		return seconds
	}
	const day = 24 * time.Hour
	var found []time.Time
	end := time.Date(2045, 1, 1, 0, 0, 0, 0, time.UTC)
	for low := time.Date(1850, 1, 1, 0, 0, 0, 0, time.UTC); low.Before(end); low = low.Add(day) {
		high := low.Add(day)
		if offset(low) == offset(high) {
			continue
		}
		a, b := low, high
		for b.Sub(a) > time.Second {
			middle := a.Add(b.Sub(a) / 2).Truncate(time.Second)
			if offset(middle) == offset(low) {
				a = middle
			} else {
				b = middle
			}
		}
		found = append(found, b)
	}
	return found
}

// moment is an instant worth looking at: near a transition, near a year's edge, or anywhere.
func (m *dateMaker) moment() time.Time {
	d := m.dice
	if len(m.transitions) > 0 && d.chance(45) {
		near := pick(d, m.transitions)
		if d.chance(60) {
			// Recent transitions are the ones whose rules people argue about.
			near = m.transitions[len(m.transitions)-1-d.below(min(90, len(m.transitions)))]
		}
		return near.Add(time.Duration(d.between(-3*3600, 3*3600)) * time.Second)
	}
	year := weighed(d, []choice[int]{
		{50, d.between(2020, 2027)}, {20, d.between(1970, 2037)}, {10, d.between(1850, 1969)}, {6, d.between(1, 1849)},
		{4, 0}, {4, 9999}, {3, d.between(2038, 9998)}, {2, 1}, {1, 9998},
	})
	t := time.Date(year, time.Month(d.between(1, 12)), d.between(1, 31), d.below(24), d.below(60), d.below(60), 0, m.zone)
	if d.chance(10) {
		t = time.Date(year, 1, 1, 0, 0, 0, 0, m.zone)
	}
	if t.Year() > 9999 {
		return time.Date(9999, 12, 31, 23, 59, 59, 0, m.zone)
	}
	return t
}

// when writes a date, right or wrong (tracker.md, when).
func (m *dateMaker) when() string {
	d := m.dice
	switch {
	case d.chance(10):
		return pick(d, []string{"", "", "now", "NOW", "maintenant", "Maintenant", " now ", "MAINTENANT\n", "maıntenant", "nоw", "ｎow", "now."})
	case d.chance(14):
		return m.wrong()
	}
	t := m.moment()
	if d.chance(60) {
		// The local clock's own digits, so that a gap can be asked for: the UTC digits moved by an hour or so.
		t = t.In(m.zone)
		t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC).
			Add(time.Duration(d.between(-2, 2)) * 30 * time.Minute)
	} else {
		t = t.In(m.zone)
	}
	if t.Year() < 0 || t.Year() > 9999 {
		return "9999-12-31 23:59:59"
	}
	return d.padded(m.written(t))
}

func (m *dateMaker) written(t time.Time) string {
	d := m.dice
	date := t.Format("2006-01-02")
	separator := weighed(d, []choice[string]{{60, " "}, {30, "T"}, {5, "  "}, {3, "     "}, {2, "T "}})
	hour := fmt.Sprintf("%02d", t.Hour())
	if d.chance(20) {
		hour = strconv.Itoa(t.Hour())
	}
	switch d.below(10) {
	case 0, 1, 2:
		return date + separator + hour + t.Format(":04:05") + m.fraction()
	case 3, 4, 5:
		return date + separator + hour + t.Format(":04")
	case 6:
		return date + separator + hour
	case 7:
		return date
	case 8:
		return t.Format("2006-01")
	}
	return t.Format("2006")
}

func (m *dateMaker) fraction() string {
	d := m.dice
	if d.chance(50) {
		return ""
	}
	digits := d.between(1, 14)
	var out strings.Builder
	out.WriteString(pick(d, []string{".", ","}))
	for range digits {
		out.WriteByte(byte('0' + d.below(10)))
	}
	return out.String()
}

// wrong is a date that Go refuses, or one that looks as if it would.
func (m *dateMaker) wrong() string {
	d := m.dice
	return pick(d, []string{
		"la semaine dernière", "hier", "2026-13", "2026-00", "2026-02-29", "2024-02-29", "2023-02-29 10:00", "2026-04-31", "2026-1-2", "2026-01-2",
		"26", "202", "20261", "10000", "-0001", "+2026", "2026-01-02 24:00", "2026-01-02 23:60", "2026-01-02 23:59:60", "2026-01-02 7:5",
		"2026-01-02 07:05:", "2026-01-02 07:05:06.", "2026-01-02 07:05:06Z", "2026-01-02T07:05:06Z", "2026-01-02T07:05+01:00", "2026-01-02t07:05",
		"2026-01-02TT07", "T", "T07:05", "2026T", "2026-01T", "2026-01-02T", "2026-01-02\t07:05", "2026-01-02\u00a007:05", "２０２６", "٢٠٢٦-01-02",
		"2026/01/02", "02/01/2026", "2026-W10-2", "20260102", "2026-01-02 07h05", "2026-01-02 -1:00", "2026-01-02 007:05", "0000", "0000-00-00",
		"0000-01-01", "0000-01-01 00:00:00", "9999-12-31 23:59:59.999999999", "2026-01-02 07.5", "2026-01-02 07:05.5", "2026-01-02 7:05:06,5",
		"2026-01-02 07:05:06;5", "1e3", "Toussaint", "TT", "2026 ", "2026-01-02 ", "2026-01-02 07:05 ", "\"2026\"", "20\u200b26", "2026-01-02  7", "2026-12-31 23:59:59.9999999999",
		"Thu Jan  2", "2026-001", "1582-10-10", "1900-02-29", "2000-02-29", "0004-02-29", "0100-02-29",
	})
}

// zoom writes a date for a view: a prefix more often than a date (tracker.md, The view).
func (m *dateMaker) zoom(points []event) string {
	d := m.dice
	if len(points) == 0 || d.chance(25) {
		return pick(d, []string{"", "2026", "2026-10", "2025", "1999", "0000", "9999", "2", "20", "2026-", "2026-1", "-", "--", "2026-10-1", "2026-10-16 ", "2026-10-16T", "T",
			" ", "a-b-c-d", "2026-10-16 0", "2026-10-16T09:3", "2026-10-16 09:30:00", "now", "1970", "1969-12-31", "été", "2026-10-16 \u3000", "2026-10-16 x", "-0", "2026 10", "2026T10"})
	}
	local := time.UnixMilli(pick(d, points).TS).In(m.zone).Format(minuteLayout)
	cuts := []int{4, 4, 4, 7, 7, 7, 7, 10, 10, 13, 16, 3, 5, 6, 6, 6, 8, 11, 12, 14}
	cut := min(pick(d, cuts), len(local))
	text := local[:cut]
	if d.chance(30) {
		text = strings.Replace(text, " ", "T", 1)
	}
	return d.padded(text)
}
