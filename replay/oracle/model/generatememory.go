package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// walk is a stateful random walk over a memory: most calls make sense, so that the state grows; the rest are
// hostile. It stays under a size, because a journal holds the whole state after each step.
type walk struct {
	dice    *dice
	options generateOptions
	memory  *memory
	dates   *dateMaker
	fresh   int
	step    int
	// mustAdd forces the next call to be a point added: without a recorded clock, the first id sets it.
	mustAdd bool
}

// generateMemory writes a memory journal.
func generateMemory(out io.Writer, o generateOptions) error {
	zone, err := loadZone(o.zone)
	if err != nil {
		return err
	}
	d := o.dice()
	key := d.bytes(32)
	seal, err := newSeal(key)
	if err != nil {
		return err
	}
	s := settings{slug: o.slug, name: o.name, zone: zone, encrypted: o.encrypted, locked: o.locked}
	if o.hasKey() && !o.locked {
		s.key = seal
	}
	w := &walk{
		dice: d, options: o, dates: newDateMaker(d, zone), mustAdd: o.noClock,
		memory: &memory{settings: s, files: map[string][]byte{}, trackers: map[string]tracker{}, nonces: d,
			now: time.Date(2026, 10, 16, 9, 30, 0, 7123, time.UTC)},
	}
	if err := w.fill(key); err != nil {
		return err
	}
	writer := newJournalWriter(out)
	w.writeHeader(writer, key)
	writer.openList("steps")
	for w.step = range o.steps {
		raw, err := w.next()
		if err != nil {
			return err
		}
		writer.item(raw)
	}
	writer.closeList()
	return writer.close()
}

func (w *walk) writeHeader(out *journalWriter, key []byte) {
	o := w.options
	out.header("memory", fmt.Sprintf("%d calls on generated pages and trackers, %s, seed %d", o.steps, o.zone, o.seed))
	out.field("project", new(object).text("slug", o.slug).text("name", o.name).done())
	out.field("clock", new(object).text("tz", o.zone).done())
	if o.encrypted {
		value := pick(w.dice, []string{"oui", "1", "on", " TRUE ", "Yes\n"})
		out.field("config", new(object).text("MEM_ENCRYPTED", value).done())
	}
	if o.hasKey() {
		out.textField("dek", hex.EncodeToString(key))
		out.field("locked", strconv.AppendBool(nil, o.locked))
	}
	out.field("initial", new(object).set("files", filesJSON(w.memory.files)).set("trackers", trackersJSON(w.memory.trackers)).done())
}

// fill makes the initial state: pages of every sort and name, sealed and damaged ones, trackers.
func (w *walk) fill(key []byte) error {
	d, m := w.dice, w.memory
	seal, err := newSeal(key)
	if err != nil {
		return err
	}
	other, err := newSeal(d.bytes(32))
	if err != nil {
		return err
	}
	sealed := w.options.hasKey()
	for range d.between(8, 16) {
		name := pick(d, storedNames)
		content := d.storedPage(w.room() / 2)
		if len(content) > w.room()/4 {
			content = []byte("# " + d.word() + "\n")
		}
		if sealed {
			if content, err = w.sealedOrNot(content, seal, other); err != nil {
				return err
			}
		}
		m.files[name] = content
	}
	if d.chance(60) {
		m.files[indexName] = []byte(pick(d, []string{
			"# Index\n- [a](a.md)\n", "", " \n\t\n", "sans retour final", "# Index\r\n- [x](page-1.md) — pris\r\n", "# Index\n\n\n\n",
			"bad \xff byte\n", sealMark + "\x00\x01", "- [a](page-2.md)- [b](x-3.md)", "\u00a0\u3000\n", "\x1c\n",
		}))
		if sealed && d.chance(50) {
			if m.files[indexName], err = sealBytes(seal, d, m.files[indexName]); err != nil {
				return err
			}
		}
	}
	// Three pages that random ones too seldom are: one that can make Go crash, two at the diff's bounds.
	m.files["grandit.md"] = []byte(d.growing(pick(d, []int{30, 70, 110})))
	m.files["longue.md"] = []byte(d.shortLines(pick(d, []int{399, 400, 401})))
	m.files["liste.md"] = []byte(d.shortLines(d.between(118, 150)))
	w.fillTrackers()
	return nil
}

type sealer interface {
	Seal(dst, nonce, plaintext, additionalData []byte) []byte
}

// sealedOrNot makes a file plain, sealed, sealed with another key, or damaged in one of several ways.
func (w *walk) sealedOrNot(content []byte, seal, other sealer) ([]byte, error) {
	d := w.dice
	with := func(s sealer) []byte {
		nonce := d.bytes(nonceSize)
		return s.Seal(append([]byte(sealMark), nonce...), nonce, content, []byte(sealMark))
	}
	switch d.below(10) {
	case 0, 1, 2, 3:
		return with(seal), nil
	case 4:
		return with(other), nil
	case 5:
		stored := with(seal)
		return stored[:d.between(len(sealMark), len(stored)-1)], nil
	case 6:
		stored := with(seal)
		stored[d.between(len(sealMark), len(stored)-1)] ^= 1 << d.below(8)
		return stored, nil
	case 7:
		stored := with(seal)
		return pick(d, [][]byte{stored[:len(sealMark)-1], append([]byte("x"), stored...), append(stored, 0), []byte(sealMark),
			[]byte(strings.ToLower(sealMark) + "x")}), nil
	}
	return content, nil
}

// room is what the state may still take; it opens up as the walk goes on.
func (w *walk) room() int {
	taken := 0
	for name, content := range w.memory.files {
		taken += len(name) + len(content) + 8
	}
	for key, t := range w.memory.trackers {
		taken += len(key) + len(t.Name)
		for _, point := range t.Events {
			taken += 70 + len(point.Text)
		}
	}
	allowed := w.options.stateSize/2 + w.options.stateSize/2*w.step/max(w.options.steps, 1)
	return allowed - taken
}

func (w *walk) trackerRoom() int {
	taken := 0
	for _, t := range w.memory.trackers {
		for _, point := range t.Events {
			taken += 70 + len(point.Text)
		}
	}
	return min(w.room(), w.options.stateSize/2-taken)
}

// next makes one call, runs it and writes the step.
func (w *walk) next() ([]byte, error) {
	w.tick()
	tool, raw := w.call()
	got, err := w.memory.call(tool, decodeArguments([]byte(raw)))
	if err != nil {
		return nil, err
	}
	var step object
	step.set("args", []byte(raw))
	answerFields(&step, got, true)
	if !w.options.noClock {
		step.text("now", w.nowText())
	}
	step.text("tool", tool)
	step.set("files", filesJSON(w.memory.files))
	step.set("trackers", trackersJSON(w.memory.trackers))
	return step.done(), nil
}

// tick moves the clock: on, mostly; sometimes not at all, or far away (journal.md: the clock is an input).
func (w *walk) tick() {
	if w.options.noClock && !w.mustAdd {
		// Without a recorded clock it moves with new ids only: call does it.
		return
	}
	w.memory.now = w.later()
}

func (w *walk) later() time.Time {
	d := w.dice
	now := w.memory.now
	switch {
	case d.chance(3):
		return now
	case d.chance(3):
		moment := w.dates.moment()
		if moment.Year() < 1680 || moment.Year() > 2260 {
			// Nanoseconds since 1970 would not fit, and no clock of a Loki stands there.
			return now.Add(time.Hour)
		}
		return moment.UTC().Add(time.Duration(d.below(1_000_000_000)))
	case d.chance(4):
		return time.Date(d.between(2024, 2027), 10, d.between(1, 28), 9, 0, 0, d.below(1000), time.UTC)
	}
	return now.Add(time.Duration(d.between(1, 7200))*time.Second + time.Duration(d.below(1_000_000_000)))
}

// nowText writes the clock; with the zone's offset at times, where that keeps the instant.
func (w *walk) nowText() string {
	now := w.memory.now.UTC()
	if w.dice.chance(8) {
		text := now.In(w.memory.settings.zone).Format(time.RFC3339Nano)
		if read, err := time.Parse(time.RFC3339Nano, text); err == nil && read.Equal(now) {
			return text
		}
	}
	return now.Format(time.RFC3339Nano)
}

func (w *walk) call() (tool, raw string) {
	if w.mustAdd {
		w.mustAdd = false
		return "tracker", w.dice.arguments().text("action", "add").text("name", "Poids").text("text", "début").plainly()
	}
	tool = weighed(w.dice, []choice[string]{{20, "mem_search"}, {14, "mem_read"}, {14, "mem_add"}, {20, "mem_edit"}, {32, "tracker"}})
	switch tool {
	case "mem_search":
		raw = w.searchCall()
	case "mem_read":
		raw = w.readCall()
	case "mem_add":
		raw = w.addCall()
	case "mem_edit":
		raw = w.editCall()
	case "tracker":
		raw = w.trackerCall()
	}
	return tool, raw
}

func (w *walk) searchCall() string {
	d := w.dice
	args := d.arguments().maybe("query", d.textArgument(w.query()))
	if d.chance(45) {
		args.set("limit", d.limitArgument())
	}
	return args.raw()
}

// query takes words from the pages and the names (memory.md, mem_search).
func (w *walk) query() string {
	d := w.dice
	if d.chance(4) {
		return pick(d, []string{"pivotal", "grandissime", "apresletout", "grandissime page", "fin x", "retrecissime pivotal"})
	}
	switch d.below(16) {
	case 0:
		return d.blank()
	case 1:
		return d.hostile()
	case 2:
		return pick(d, []string{"", "md", ".", "#", "ⱥ", "Ⱥ", "ⱦ", "grandissime", "pivotal", "apresletout", "retrecissime", "chiffré", "mémoire verrouillée", "🔒",
			"\ufffd", "i", "k", "LOKIMEMv1", "index", "](", "a a a", "é", "\u0301"})
	case 3:
		return d.word()
	}
	listed := w.memory.pages()
	var words []string
	for range d.between(1, 5) {
		if len(listed) == 0 || d.chance(15) {
			words = append(words, d.word())
			continue
		}
		p := pick(d, listed)
		fields := strings.Fields(p.content + " " + p.name + " " + p.title)
		words = append(words, d.bent(cleaned(pick(d, append(fields, "md")))))
	}
	if d.chance(20) {
		words = append(words, words[0], strings.ToUpper(words[0]))
	}
	return d.padded(strings.Join(words, pick(d, []string{" ", " ", " ", "\u00a0", "\n", "\x1c", "  "})))
}

// pageArgument names a page: one that is there, mostly.
func (w *walk) pageArgument(existing int) string {
	d := w.dice
	switch {
	case d.chance(existing):
		return w.existingName()
	case d.chance(30):
		return pick(d, indexNames)
	case d.chance(50):
		return pick(d, nameTraps)
	}
	return pick(d, []string{"rien.md", "nulle-part", d.hostile(), d.word(), strings.Repeat("z", 300)})
}

func (w *walk) readCall() string {
	d := w.dice
	args := d.arguments().maybe("file", d.textArgument(w.pageArgument(80)))
	if d.chance(40) {
		args.set("offset", d.limitArgument())
	}
	if d.chance(40) {
		args.set("limit", d.limitArgument())
	}
	return args.raw()
}

func (w *walk) addCall() string {
	d := w.dice
	room := w.room()
	var file string
	switch {
	case room > 250 && d.chance(60):
		file = w.newName()
	case d.chance(20):
		file = pick(d, indexNames)
	case d.chance(45):
		file = pick(d, nameTraps)
	default:
		file = w.existingName()
	}
	content := d.pageText(room)
	if len(content) > max(room, 40) {
		content = d.smallPage()
	}
	args := d.arguments().maybe("file", d.textArgument(file))
	return args.maybe("content", d.textArgument(content)).raw()
}

func (w *walk) editCall() string {
	d := w.dice
	file := w.pageArgument(88)
	_, content, err := w.memory.open(file)
	before, after := d.word(), d.word()
	if err == nil && content != "" {
		before, after = w.editOf(content)
	}
	if d.chance(2) {
		before = ""
	}
	args := d.arguments().maybe("file", d.textArgument(file)).maybe("old", d.textArgument(before))
	return args.maybe("new", d.textArgument(after)).raw()
}

// editOf makes an edit of a page: in most cases one that applies.
func (w *walk) editOf(content string) (before, after string) {
	d := w.dice
	before = w.uniquePiece(content)
	if d.chance(8) || d.chance(35) && strings.Count(content, "\n") > 100 {
		// Many lines at once, for the diff's bounds (memory.md, Diff).
		before = cleaned(content)
	}
	switch d.below(14) {
	case 0:
		before = pick(d, []string{"a", "e", " ", "\n", "é"})
	case 1:
		return "jamais écrit " + d.word(), before
	case 2:
		return "jamais écrit", pick(d, []string{"", "non plus", d.word()})
	case 3:
		return before, before
	case 4:
		return before, ""
	}
	room := w.room()
	switch {
	case d.chance(3) && room > -3000:
		// Even a full state takes a large edit now and then; the next ones make room again.
		if d.chance(60) && len(content) < 600 && utf8.ValidString(content) {
			return content, d.growing(d.between(62, 140))
		}
		return before, d.shortLines(d.between(110, 140))
	case room < 0:
		after = pick(d, []string{"", "x", "\n"})
	case strings.Count(before, "\n") > 100 && d.chance(80):
		// As long as it was: the page stays at the bounds.
		after = shuffledLines(d, before)
		if d.chance(30) {
			after = d.shortLines(strings.Count(before, "\n"))
		}
	case d.chance(10) && room > 2500:
		after = d.shortLines(pick(d, []int{61, 119, 120, 121, 130, 401}))
	case d.chance(15):
		after = crlf(before) + d.line()
	case d.chance(30):
		after = shuffledLines(d, before) + pick(d, []string{"", "\n", d.line() + "\n"})
	case d.chance(15):
		after = d.hostile()
	default:
		after = d.sentence(d.between(1, 6))
	}
	if len(after) > len(before)+max(room, 0) {
		after = d.word()
	}
	return before, after
}

func shuffledLines(d *dice, text string) string {
	lines := strings.Split(text, "\n")
	for range d.between(1, 3) {
		at := d.below(len(lines))
		switch d.below(3) {
		case 0:
			lines = append(lines[:at:at], lines[at+1:]...)
		case 1:
			lines[at] += pick(d, []string{"", " ", "!", "\r"})
		case 2:
			lines = append(lines[:at:at], append([]string{d.word()}, lines[at:]...)...)
		}
		if len(lines) == 0 {
			return ""
		}
	}
	return strings.Join(lines, "\n")
}
