package main

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// event is one point of a tracker; TS is in milliseconds (tracker.md, head).
type event struct {
	ID       string `json:"id"`
	TS       int64  `json:"ts"`
	Text     string `json:"text"`
	DateOnly bool   `json:"date_only,omitempty"`
}

// tracker is a named list of points. A stored tracker is never changed in place.
type tracker struct {
	Name   string  `json:"name"`
	Events []event `json:"events"`
}

// accents are the letters slug knows (tracker.md, slug).
var accents = strings.NewReplacer(
	"à", "a", "â", "a", "ä", "a", "á", "a", "ã", "a",
	"é", "e", "è", "e", "ê", "e", "ë", "e",
	"î", "i", "ï", "i", "í", "i",
	"ô", "o", "ö", "o", "ó", "o", "õ", "o",
	"ù", "u", "û", "u", "ü", "u", "ú", "u",
	"ç", "c", "ñ", "n",
)

const slugBytes = 40

// slug is the key a name is stored under (tracker.md, slug).
func slug(name string) string {
	name = accents.Replace(strings.ToLower(strings.TrimSpace(name)))
	var out strings.Builder
	dash := false
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			out.WriteRune(r)
			dash = false
			continue
		}
		if !dash {
			out.WriteByte('-')
		}
		dash = true
	}
	short := strings.Trim(out.String(), "-")
	if len(short) > slugBytes {
		short = strings.Trim(short[:slugBytes], "-")
	}
	return short
}

// whenLayout is a way to write a date (tracker.md, when).
type whenLayout struct {
	layout   string
	dateOnly bool
}

var whenLayouts = []whenLayout{
	{"2006-01-02 15:04:05", false},
	{"2006-01-02 15:04", false},
	{"2006-01-02 15", false},
	{"2006-01-02", true},
	{"2006-01", true},
	{"2006", true},
}

// parseWhen reads a date (tracker.md, when).
func parseWhen(when string, now time.Time, zone *time.Location) (at time.Time, dateOnly bool, err error) {
	when = strings.TrimSpace(when)
	if when == "" || strings.EqualFold(when, "now") || strings.EqualFold(when, "maintenant") {
		return now, false, nil
	}
	spaced := strings.Replace(when, "T", " ", 1)
	for _, known := range whenLayouts {
		if at, err := time.ParseInLocation(known.layout, spaced, zone); err == nil {
			return at, known.dateOnly, nil
		}
	}
	return time.Time{}, false, fmt.Errorf("date non comprise : %q (attendu AAAA, AAAA-MM, AAAA-MM-JJ ou AAAA-MM-JJ HH:MM)", when)
}

// trackerCall is a call's arguments, as text and trimmed (tracker.md, head).
type trackerCall struct {
	action, name, when, text, id string
}

func newTrackerCall(args arguments) trackerCall {
	trimmed := func(key string) string { return strings.TrimSpace(plain(args[key])) }
	return trackerCall{
		action: strings.ToLower(trimmed("action")),
		name:   trimmed("name"),
		when:   trimmed("when"),
		text:   trimmed("text"),
		id:     trimmed("id"),
	}
}

// track runs a tracker call (tracker.md, Actions).
func (m *memory) track(args arguments) string {
	call := newTrackerCall(args)
	switch call.action {
	case "", "view", "read", "list":
		return m.view(call)
	case "add":
		return m.addPoint(call)
	case "edit":
		return m.editPoint(call)
	case "delete":
		return m.deletePoint(call)
	}
	return fmt.Sprintf("[erreur] action inconnue %q (view, add, edit, delete)", call.action)
}

func (m *memory) trackerKey(trackerSlug string) string {
	return m.settings.slug + "/" + trackerSlug
}

// namedTracker finds a tracker; a name without a slug finds nothing (tracker.md, Actions, add).
func (m *memory) namedTracker(name string) (key string, found tracker, ok bool) {
	short := slug(name)
	if short == "" {
		return "", tracker{}, false
	}
	key = m.trackerKey(short)
	found, ok = m.trackers[key]
	return key, found, ok
}

// save sorts the points and stores the tracker (tracker.md, head).
func (m *memory) save(key string, t tracker) error {
	if m.mustNotWrite() {
		return errValueLocked
	}
	sort.SliceStable(t.Events, func(i, j int) bool { return t.Events[i].TS < t.Events[j].TS })
	m.trackers[key] = t
	return nil
}

// copied gives a tracker whose points can be changed.
func copied(t tracker) tracker {
	return tracker{t.Name, append([]event(nil), t.Events...)}
}

// addPoint adds a point (tracker.md, Actions, add).
func (m *memory) addPoint(call trackerCall) string {
	if call.name == "" {
		return "[erreur] nom de tracker vide"
	}
	if call.text == "" {
		return "[erreur] contenu vide"
	}
	at, dateOnly, err := parseWhen(call.when, m.now, m.settings.zone)
	if err != nil {
		return "[erreur] " + err.Error()
	}
	short := slug(call.name)
	if short == "" {
		short = "tracker"
	}
	key := m.trackerKey(short)
	changed := copied(m.trackers[key])
	if strings.TrimSpace(changed.Name) == "" {
		changed.Name = call.name
	}
	id := strconv.FormatInt(m.now.UnixNano(), 10)
	changed.Events = append(changed.Events, event{id, at.UnixMilli(), call.text, dateOnly})
	if err := m.save(key, changed); err != nil {
		return "[erreur] " + err.Error()
	}
	return fmt.Sprintf("[ok] point ajouté à « %s » (id %s).", call.name, id)
}

const (
	noTracker = "[erreur] tracker introuvable"
	noEvent   = "[erreur] événement introuvable"
)

// editPoint changes the first point with an id (tracker.md, Actions, edit).
func (m *memory) editPoint(call trackerCall) string {
	if call.name == "" || call.id == "" {
		return "[erreur] name et id sont requis pour modifier un point"
	}
	key, found, ok := m.namedTracker(call.name)
	if !ok {
		return noTracker
	}
	changed := copied(found)
	for i := range changed.Events {
		point := &changed.Events[i]
		if point.ID != call.id {
			continue
		}
		if call.text != "" {
			point.Text = call.text
		}
		if call.when != "" {
			at, dateOnly, err := parseWhen(call.when, m.now, m.settings.zone)
			if err != nil {
				return "[erreur] " + err.Error()
			}
			point.TS, point.DateOnly = at.UnixMilli(), dateOnly
		}
		if err := m.save(key, changed); err != nil {
			return "[erreur] " + err.Error()
		}
		return fmt.Sprintf("[ok] point %s de « %s » modifié.", call.id, call.name)
	}
	return noEvent
}

// deletePoint removes every point with an id; the tracker stays (tracker.md, Actions, delete).
func (m *memory) deletePoint(call trackerCall) string {
	if call.name == "" {
		return "[erreur] name requis"
	}
	if call.id == "" {
		return "[erreur] id requis — supprimer un tracker entier se fait depuis l'interface, pas par l'outil"
	}
	key, found, ok := m.namedTracker(call.name)
	if !ok {
		return noTracker
	}
	changed := tracker{Name: found.Name}
	for _, point := range found.Events {
		if point.ID != call.id {
			changed.Events = append(changed.Events, point)
		}
	}
	if len(changed.Events) == len(found.Events) {
		return noEvent
	}
	if err := m.save(key, changed); err != nil {
		return "[erreur] " + err.Error()
	}
	return fmt.Sprintf("[ok] point %s de « %s » supprimé.", call.id, call.name)
}
