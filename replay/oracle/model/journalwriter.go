package main

import (
	"bufio"
	"io"
	"runtime"
	"sort"
	"strconv"
	"unicode"
)

// journalWriter writes a journal piece by piece, so that its size never has to fit in memory. Raw arguments go
// out byte for byte (journal.md, Shape).
type journalWriter struct {
	out   *bufio.Writer
	keys  int
	items int
}

func newJournalWriter(out io.Writer) *journalWriter {
	w := &journalWriter{out: bufio.NewWriterSize(out, 1<<20)}
	w.text("{")
	return w
}

func (w *journalWriter) text(s string) { _, _ = w.out.WriteString(s) }

// field writes a top-level key and its raw value.
func (w *journalWriter) field(key string, raw []byte) {
	if w.keys > 0 {
		w.text(",")
	}
	w.keys++
	w.text("\n ")
	_, _ = w.out.Write(appendText(nil, key))
	w.text(": ")
	_, _ = w.out.Write(raw)
}

func (w *journalWriter) textField(key, text string) { w.field(key, appendText(nil, text)) }

// openList begins a list whose items come one by one.
func (w *journalWriter) openList(key string) {
	w.field(key, []byte("["))
	w.items = 0
}

func (w *journalWriter) item(raw []byte) {
	if w.items > 0 {
		w.text(",")
	}
	w.items++
	w.text("\n  ")
	_, _ = w.out.Write(raw)
}

func (w *journalWriter) closeList() { w.text("\n ]") }

// close ends the journal. A failed write shows here: bufio keeps the first error.
func (w *journalWriter) close() error {
	w.text("\n}\n")
	return w.out.Flush()
}

// header writes the keys that every generated journal has. Source says that no Loki wrote it.
func (w *journalWriter) header(kind, about string) {
	w.textField("format", journalFormat)
	w.textField("source", "model")
	w.textField("kind", kind)
	w.textField("about", about)
	w.field("go", []byte(`{"goarch":`+strconv.Quote(runtime.GOARCH)+`,"unicode":`+strconv.Quote(unicode.Version)+
		`,"version":`+strconv.Quote(runtime.Version())+`}`))
}

// object builds one JSON object; keys go out in the order they are set.
type object struct{ raw []byte }

func (o *object) set(key string, raw []byte) *object {
	if o.raw == nil {
		o.raw = append(o.raw, '{')
	} else {
		o.raw = append(o.raw, ',')
	}
	o.raw = appendText(o.raw, key)
	o.raw = append(o.raw, ':')
	o.raw = append(o.raw, raw...)
	return o
}

func (o *object) text(key, text string) *object { return o.set(key, appendText(nil, text)) }

func (o *object) done() []byte {
	if o.raw == nil {
		return []byte("{}")
	}
	return append(o.raw, '}')
}

func diffJSON(entries []diffEntry) []byte {
	raw := []byte{'['}
	for i, entry := range entries {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = append(raw, new(object).text("op", entry.Op).text("text", entry.Text).done()...)
	}
	return append(raw, ']')
}

func filesJSON(files map[string][]byte) []byte {
	var o object
	for _, name := range sortedKeys(files) {
		o.set(name, appendFile(nil, files[name]))
	}
	return o.done()
}

// trackerJSON writes a tracker; Go writes a list that was never filled as null (journal.md, Defaults).
func trackerJSON(t tracker) []byte {
	if t.Events == nil {
		return new(object).text("name", t.Name).set("events", []byte("null")).done()
	}
	events := []byte{'['}
	for i, point := range t.Events {
		if i > 0 {
			events = append(events, ',')
		}
		var o object
		o.text("id", point.ID).set("ts", strconv.AppendInt(nil, point.TS, 10)).text("text", point.Text)
		if point.DateOnly {
			o.set("date_only", []byte("true"))
		}
		events = append(events, o.done()...)
	}
	events = append(events, ']')
	return new(object).text("name", t.Name).set("events", events).done()
}

func trackersJSON(trackers map[string]tracker) []byte {
	var o object
	for _, key := range sortedKeys(trackers) {
		o.set(key, trackerJSON(trackers[key]))
	}
	return o.done()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// answerFields writes what a call answered: label, and result with its diff, or panic.
func answerFields(o *object, got answer, withDiff bool) {
	o.text("label", got.label)
	if got.panicked {
		o.text("panic", got.crash)
		return
	}
	o.text("result", got.result)
	if withDiff {
		o.set("diff", diffJSON(got.diff))
	}
}
