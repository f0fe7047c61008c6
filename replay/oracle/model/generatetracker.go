package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// fillTrackers makes the first trackers: points out of order, blank names, other projects, equal last points.
func (w *walk) fillTrackers() {
	d, m := w.dice, w.memory
	slugs := []string{"poids", "sommeil", "2026", "temperature-ete", "tracker", "a", "vide", "z-z"}
	same := w.dates.moment().UnixMilli()
	for range d.between(2, 6) {
		short := pick(d, slugs)
		t := tracker{Name: pick(d, []string{short, strings.ToUpper(short), "", "  ", "Température Été", "a\nb", "«»", d.word()})}
		for range pick(d, []int{0, 0, 1, 2, 3, 5, 8, 14}) {
			point := event{
				ID:       pick(d, []string{strconv.Itoa(d.below(30)), "a", "", "id é", strconv.FormatInt(d.random.Int63(), 10)}),
				TS:       w.dates.moment().UnixMilli() + int64(d.below(1000)),
				Text:     d.sentence(d.between(1, 3)),
				DateOnly: d.chance(30),
			}
			if w.options.farYears && d.chance(15) {
				point.TS = pick(d, []int64{253402300800000, -62167219200001, 999999999999999, -99999999999999, 32503680000000000, -1, 0})
			}
			t.Events = append(t.Events, point)
		}
		if len(t.Events) > 0 && d.chance(40) {
			t.Events[len(t.Events)-1].TS = same
		}
		project := w.options.slug
		if d.chance(15) {
			project = pick(d, []string{"autre", w.options.slug + "-2", "", strings.ToUpper(w.options.slug)})
		}
		m.trackers[project+"/"+short] = t
	}
	if d.chance(80) {
		m.trackers[w.options.slug+"/poids"] = w.longTracker()
	}
}

// longTracker has about as many points as a view shows (tracker.md, The view: 60), most of them in one month.
func (w *walk) longTracker() tracker {
	d := w.dice
	t := tracker{Name: "Poids"}
	at := time.Date(2026, 10, 1, 0, 0, 0, 0, w.memory.settings.zone)
	for i := range d.between(59, 90) {
		at = at.Add(time.Duration(d.between(30, 480)) * time.Minute)
		t.Events = append(t.Events, event{ID: strconv.Itoa(i), TS: at.UnixMilli(), Text: d.word(), DateOnly: d.chance(20)})
	}
	return t
}

// trackerNames keep to a few slugs, so that trackers grow.
var trackerNames = []string{
	"Poids", "poids", "POIDS ", "Sommeil", "sommeil", "Température Été", "temperature-ete", "TEMPÉRATURE  ÉTÉ", "2026", "vide", "z z", "Z--Z", "a",
	"ÀÂÄ ÉÈÊË ÎÏ ÔÖ ÙÛÜ Ç Ñ", "Œuvre", "İstanbul", "un nom qui est vraiment bien trop long pour un slug, é compris", "quarante-caracteres-tout-juste-ici-voila-x-y",
	"!!!", "漢字", "«»", "tracker", "\u212aelvin", "a\nb", "Ångström", "naïve ÿ", "--x--", "x\x1cy",
}

func (w *walk) trackerName() string {
	d := w.dice
	if d.chance(35) {
		return d.padded(pick(d, trackerNames[:3]))
	}
	if d.chance(60) {
		return d.padded(pick(d, trackerNames[:9]))
	}
	if d.chance(12) {
		return pick(d, []string{"", " ", d.hostile(), d.word()})
	}
	return d.padded(pick(d, trackerNames))
}

func (w *walk) trackerCall() string {
	d := w.dice
	args := d.arguments()
	action := weighed(d, []choice[string]{{38, "add"}, {14, "edit"}, {10, "delete"}, {38, "view"}})
	room := w.trackerRoom()
	name := w.trackerName()
	if action == "add" && room < 0 {
		action = "delete"
		if d.chance(85) {
			// Not the long one: it is there to have more points than a view shows.
			name = pick(d, trackerNames[3:9])
		}
	}
	_, found, _ := w.memory.namedTracker(name)
	switch action {
	case "add":
		if w.options.noClock {
			return w.addWithoutClock(name)
		}
		args.maybe("action", d.textArgument(d.padded(pick(d, []string{"add", "add", "ADD", "Add"}))))
		args.maybe("name", w.nameArgument(name))
		if len(found.Events) > 40 && d.chance(60) {
			args.text("when", fmt.Sprintf("2026-10-%02d %d:%02d", d.between(1, 31), d.below(24), d.below(60)))
		} else {
			w.whenArgument(args, w.dates.when())
		}
		args.maybe("text", w.pointText())
	case "edit":
		args.maybe("action", d.textArgument(pick(d, []string{"edit", "EDIT", " edit "})))
		args.maybe("name", w.nameArgument(name))
		args.maybe("id", w.idArgument(found))
		if d.chance(60) {
			w.whenArgument(args, w.dates.when())
		}
		if d.chance(60) {
			args.maybe("text", w.pointText())
		}
	case "delete":
		args.maybe("action", d.textArgument(pick(d, []string{"delete", "DELETE", "delete\n"})))
		args.maybe("name", w.nameArgument(name))
		args.maybe("id", w.idArgument(found))
	default:
		if d.chance(70) {
			args.maybe("action", d.textArgument(pick(d, []string{"view", "read", "list", "", "VIEW", " List ", "Read", "LİST", d.wrongAction()})))
		}
		if d.chance(85) {
			args.maybe("name", w.nameArgument(name))
		}
		if d.chance(75) {
			w.whenArgument(args, w.dates.zoom(found.Events))
		}
	}
	return args.raw()
}

func (d *dice) wrongAction() string {
	if d.chance(60) {
		return "view"
	}
	return pick(d, []string{"liﬆ", "supprimer", "views", "add edit", "dele\u200bte", "éDIT", d.hostile()})
}

// addWithoutClock adds a point in a journal whose steps have no now: the point's new id is the clock, so the call
// must succeed.
func (w *walk) addWithoutClock(name string) string {
	d := w.dice
	if strings.TrimSpace(name) == "" || w.memory.mustNotWrite() {
		name = "Poids"
	}
	w.memory.now = w.later()
	return d.arguments().text("action", "add").set("name", string(appendText(nil, name))).set("text", string(appendText(nil, "x"+d.word()))).plainly()
}

// plainly writes the object without any trap.
func (a *rawArguments) plainly() string {
	var o object
	for _, field := range a.fields {
		o.set(field[0], []byte(field[1]))
	}
	return string(o.done())
}

func (w *walk) nameArgument(name string) string {
	d := w.dice
	if d.chance(4) {
		return pick(d, []string{"2026", "2026.5", "2025.5", "true", "null", "1e6", "-0", "[\"a\",1,null]", "{\"k\":false}", "1e21", "0.4"})
	}
	return d.textArgument(name)
}

// whenArgument sets when; numbers are dates too (tracker.md, head: %.0f).
func (w *walk) whenArgument(args *rawArguments, when string) {
	d := w.dice
	if d.chance(4) {
		args.set("when", pick(d, []string{"2025", "2025.5", "2026.5", "0", "20251", "true", "null", "[2026]", "1e3", "1e4", "-2026", "2026.4999", "1e400"}))
		return
	}
	args.maybe("when", d.textArgument(when))
}

func (w *walk) pointText() string {
	d := w.dice
	switch {
	case d.chance(8):
		return pick(d, []string{"12.5", "13.5", "0.5", "1e21", "-0", "1e400", "78", "true", "null", `" "`, `""`, "[]", `{"b":1,"a":[null,1e6,0.00001]}`, `"\u3000"`, `"\u001c"`})
	case d.chance(10):
		return d.textArgument(d.hostile())
	}
	return d.textArgument(d.padded(fmt.Sprintf("%d,%d kg %s", d.below(99), d.below(10), d.word())))
}

// idArgument names a point: one that is there, mostly.
func (w *walk) idArgument(found tracker) string {
	d := w.dice
	if len(found.Events) > 0 && d.chance(85) {
		return d.textArgument(d.padded(pick(d, found.Events).ID))
	}
	return pick(d, []string{`"12"`, `"a"`, `""`, `" "`, "12", "1e400", "null", `"introuvable"`, "1792145379039007123", `["a"]`})
}
