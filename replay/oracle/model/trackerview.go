package main

import (
	"fmt"
	"sort"
	"strings"
	"time"
)

const (
	dayLayout    = "2006-01-02"
	minuteLayout = "2006-01-02 15:04"
	pointsShown  = 60
)

// view shows the trackers, or one of them (tracker.md, The view).
func (m *memory) view(call trackerCall) string {
	if call.name == "" {
		return m.overview()
	}
	_, found, ok := m.namedTracker(call.name)
	if !ok {
		return fmt.Sprintf("[aucun tracker « %s »] Appelle tracker() sans argument pour la liste, ou ajoute un point avec action:\"add\".", call.name)
	}
	if len(found.Events) == 0 {
		return fmt.Sprintf("Tracker « %s » : vide pour l'instant.", found.Name)
	}
	prefix := strings.Replace(call.when, "T", " ", 1)
	switch level(call.when) {
	case 0:
		return m.skeleton(found)
	case 1:
		return m.months(found, call.when, m.matching(found, prefix))
	}
	return m.points(found, call.when, m.matching(found, prefix))
}

// level is how far a date zooms in (tracker.md, The view).
func level(when string) int {
	if strings.TrimSpace(when) == "" {
		return 0
	}
	date, rest, _ := strings.Cut(strings.Replace(when, "T", " ", 1), " ")
	if strings.TrimSpace(rest) != "" {
		return 4
	}
	return len(strings.Split(date, "-"))
}

func (m *memory) local(point event) time.Time {
	return time.UnixMilli(point.TS).In(m.settings.zone)
}

func (m *memory) matching(t tracker, prefix string) []event {
	var kept []event
	for _, point := range t.Events {
		if strings.HasPrefix(m.local(point).Format(minuteLayout), prefix) {
			kept = append(kept, point)
		}
	}
	return kept
}

// span is "{n} points, du {first day} au {last day}", in stored order (tracker.md, head and The view).
func (m *memory) span(points []event) string {
	first, last := points[0], points[len(points)-1]
	return fmt.Sprintf("%d points, du %s au %s", len(points),
		m.local(first).Format(dayLayout), m.local(last).Format(dayLayout))
}

// overviewEntry is one tracker's line of the overview, and what it is sorted by.
type overviewEntry struct {
	key  string
	last int64
	line string
}

// overviewEntries are the project's trackers, most recent last point first, key order among equals
// (tracker.md, The view).
func (m *memory) overviewEntries() []overviewEntry {
	var entries []overviewEntry
	for key, t := range m.trackers {
		if !strings.HasPrefix(key, m.settings.slug+"/") {
			continue
		}
		entry := overviewEntry{key: key, line: "- " + t.Name}
		if len(t.Events) > 0 {
			entry.last = t.Events[len(t.Events)-1].TS
			entry.line += " — " + m.span(t.Events)
		}
		entry.line += "\n"
		entries = append(entries, entry)
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].key < entries[j].key })
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].last > entries[j].last })
	return entries
}

const overviewEnd = `Zoom : tracker(name:"<nom>") pour le détail d'un tracker.`

func overviewHead(n int) string {
	return fmt.Sprintf("Trackers du projet (%d) :\n", n)
}

func (m *memory) overview() string {
	entries := m.overviewEntries()
	if len(entries) == 0 {
		return `Aucun tracker dans ce projet. Crée-en un en ajoutant un point : action:"add", name:"…", text:"…" (when facultatif = maintenant).`
	}
	var out strings.Builder
	out.WriteString(overviewHead(len(entries)))
	for _, entry := range entries {
		out.WriteString(entry.line)
	}
	out.WriteString(overviewEnd)
	return out.String()
}

// sameOverview says whether a text is the overview up to the order among trackers with the same last point,
// which Go leaves to its map (journal.md, What is nondeterministic).
func (m *memory) sameOverview(text string) bool {
	entries := m.overviewEntries()
	if len(entries) == 0 {
		return false
	}
	rest, ok := strings.CutPrefix(text, overviewHead(len(entries)))
	if !ok {
		return false
	}
	return takesEntries(rest, entries, make([]bool, len(entries)), 0)
}

// takesEntries tries every unused entry of the current group at the head of the text. A stored name can hold
// line ends, so lines alone don't tell where an entry stops.
func takesEntries(rest string, entries []overviewEntry, used []bool, done int) bool {
	if done == len(entries) {
		return rest == overviewEnd
	}
	tried := make(map[string]bool)
	for i, entry := range entries {
		if used[i] || entry.last != entries[done].last || tried[entry.line] {
			continue
		}
		tried[entry.line] = true
		tail, ok := strings.CutPrefix(rest, cleaned(entry.line))
		if !ok {
			continue
		}
		used[i] = true
		if takesEntries(tail, entries, used, done+1) {
			return true
		}
		used[i] = false
	}
	return false
}

// groups counts points by a part of their date, sorted as text, joined.
func (m *memory) groups(points []event, layout string) string {
	counts := make(map[string]int)
	for _, point := range points {
		counts[m.local(point).Format(layout)]++
	}
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	sort.Strings(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", name, counts[name])
	}
	return strings.Join(names, " · ")
}

// skeleton is level 0: the years, and the months of the clock's year.
func (m *memory) skeleton(t tracker) string {
	year := m.now.In(m.settings.zone).Format("2006")
	var out strings.Builder
	fmt.Fprintf(&out, "Tracker « %s » — %s\n", t.Name, m.span(t.Events))
	fmt.Fprintf(&out, "Années : %s\n", m.groups(t.Events, "2006"))
	if current := m.matching(t, year); len(current) > 0 {
		fmt.Fprintf(&out, "%s (année en cours) : %s\n", year, m.groups(current, "2006-01"))
	}
	fmt.Fprintf(&out, "Zoom : tracker(name:\"%s\", when:\"2025\") pour une année · when:\"%s-07\" pour un mois.", t.Name, year)
	return out.String()
}

// months is level 1: a year by month.
func (m *memory) months(t tracker, when string, points []event) string {
	if len(points) == 0 {
		return fmt.Sprintf("Tracker « %s » : rien en %s.", t.Name, when)
	}
	return fmt.Sprintf("Tracker « %s » en %s — %d points :\n%s\nZoom : when:\"%s-07\" pour un mois.",
		t.Name, when, len(points), m.groups(points, "2006-01"), when)
}

// points is level 2 and more: the points themselves, the last 60 of them.
func (m *memory) points(t tracker, when string, points []event) string {
	var out strings.Builder
	fmt.Fprintf(&out, "Tracker « %s » en %s — %d points", t.Name, when, len(points))
	if len(points) > pointsShown {
		fmt.Fprintf(&out, " (les %d plus récents ; affine le when pour les plus anciens)", pointsShown)
		points = points[len(points)-pointsShown:]
	}
	out.WriteString(" :\n")
	for _, point := range points {
		layout := minuteLayout
		if point.DateOnly {
			layout = dayLayout
		}
		fmt.Fprintf(&out, "- [%s] %s — %s\n", point.ID, m.local(point).Format(layout), point.Text)
	}
	out.WriteString(`Modifier/supprimer : action:"edit"|"delete", name, id (l'identifiant entre crochets).`)
	return out.String()
}
