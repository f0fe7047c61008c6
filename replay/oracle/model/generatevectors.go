package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A file of vectors holds questions of the ask protocol and their answers (PROTOCOL.md): those that Go's library
// answers, or those that the rules of the contract answer.

// vectorMakers make one question each.
var (
	stdlibVectors = map[string]func(*vectorMaker, *object){
		"to_lower": oneText, "trim_space": oneText, "fields": oneText, "quote": oneText, "tokens": oneText,
		"equal_fold":        (*vectorMaker).twoTexts,
		"parse_uint":        (*vectorMaker).number,
		"parse_id":          (*vectorMaker).number,
		"fmt_v":             (*vectorMaker).json,
		"json_unmarshal":    (*vectorMaker).json,
		"arguments":         (*vectorMaker).json,
		"json_marshal":      (*vectorMaker).tree,
		"fmt_0f":            (*vectorMaker).bits,
		"int_of_float":      (*vectorMaker).bits,
		"log":               (*vectorMaker).bits,
		"parse_in_location": (*vectorMaker).date,
		"format_time":       (*vectorMaker).moment,
		"base64":            (*vectorMaker).base64,
		"parse_query":       (*vectorMaker).queryString,
	}
	ruleVectors = map[string]func(*vectorMaker, *object){
		"slug": oneText, "title": (*vectorMaker).page, "block_snippet": (*vectorMaker).page, "keywords": oneText, "terms": oneText,
		"level":        (*vectorMaker).zoom,
		"page_name":    (*vectorMaker).pageName,
		"when":         (*vectorMaker).whenAt,
		"line_diff":    (*vectorMaker).edit,
		"block_score":  (*vectorMaker).score,
		"page_snippet": (*vectorMaker).snippet,
	}
)

// vectorZones are where dates are read and written.
var vectorZones = []string{
	"UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Casablanca", "Europe/Dublin", "Pacific/Apia",
	"America/St_Johns", "Asia/Kathmandu", "Africa/Monrovia", "Europe/Amsterdam", "America/Sao_Paulo", "Antarctica/Troll", "Asia/Tehran",
}

type vectorMaker struct {
	dice  *dice
	dates map[string]*dateMaker
}

func generateStdlib(out io.Writer, o generateOptions) error {
	return generateVectors(out, o, stdlibVectors, stdlibQuestions)
}

func generateRules(out io.Writer, o generateOptions) error {
	return generateVectors(out, o, ruleVectors, modelQuestions)
}

// generateVectors writes steps questions of each sort.
func generateVectors(out io.Writer, o generateOptions, makers map[string]func(*vectorMaker, *object), answers map[string]handler) error {
	maker := &vectorMaker{dice: o.dice(), dates: map[string]*dateMaker{}}
	w := newJournalWriter(out)
	w.textField("format", "loki-parity-vectors/1")
	w.textField("source", "model")
	w.field("hello", hello())
	w.openList("items")
	for _, name := range sortedKeys(makers) {
		for range o.steps {
			asked := new(object).text("q", name)
			makers[name](maker, asked)
			raw := asked.done()
			var q question
			if err := json.Unmarshal(raw, &q); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			got, err := answers[name](nil, q)
			if err != nil {
				return fmt.Errorf("%s: %w", raw, err)
			}
			item := new(object).set("question", raw)
			if got.panicked {
				item.text("panic", got.crash)
			} else {
				item.set("out", got.out)
			}
			w.item(item.done())
		}
	}
	w.closeList()
	return w.close()
}

// text is a text of any sort; one in five holds bytes that are not UTF-8.
func (v *vectorMaker) text() string {
	d := v.dice
	text := ""
	switch d.below(4) {
	case 0:
		text = d.hostile()
	case 1:
		text = d.padded(d.sentence(d.between(1, 6)))
	case 2:
		text = d.padded(d.word() + d.hostile())
	case 3:
		for range d.between(0, 5) {
			text += string(d.rune())
		}
	}
	if d.chance(20) {
		at := d.below(len(text) + 1)
		text = text[:at] + pick(d, badByteRuns) + text[at:]
	}
	return text
}

func oneText(v *vectorMaker, o *object) { o.wire("s", v.text()) }

func (v *vectorMaker) twoTexts(o *object) {
	a := v.text()
	b := pick(v.dice, []string{a, strings.ToUpper(a), strings.ToLower(a), strings.ToTitle(a), v.text(), cleaned(a)})
	o.wire("a", a).wire("b", b)
}

func (v *vectorMaker) number(o *object) {
	r := recallMaker{dice: v.dice}
	o.wire("s", r.id())
}

func (v *vectorMaker) json(o *object) {
	d := v.dice
	args := d.arguments()
	for range d.below(4) {
		key := pick(d, []string{"a", "b", "a", "é", "", "10", "9"})
		if d.chance(30) {
			args.set(key, d.trapText(v.text()))
			continue
		}
		args.maybe(key, pick(d, []string{d.rawOther(), d.rawNumber(), d.rawText(cleaned(v.text()))}))
	}
	text := args.raw()
	switch {
	case d.chance(15):
		text = pick(d, []string{d.rawOther(), d.rawNumber()})
	case d.chance(15):
		at := d.below(len(text) + 1)
		text = text[:at] + pick(d, []string{",", "}", "]", "\"", "\\", "\x00", "\ufeff", "nul", "NaN", "01", "+", ".", "\v", "/*", "'", " x", "{}"}) + text[at:]
	case d.chance(5):
		text = text[:d.below(len(text)+1)]
	}
	o.wire("json", text)
}

func (v *vectorMaker) tree(o *object) { o.set("value", appendTree(nil, v.value(3))) }

func (v *vectorMaker) value(depth int) any {
	d := v.dice
	kind := d.below(9)
	if depth == 0 {
		kind = d.below(6)
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return d.chance(50)
	case 2:
		return d.random.Int63() - d.random.Int63()
	case 3, 4:
		return v.text()
	case 5:
		return v.float()
	case 6:
		list := []any{}
		for range d.below(4) {
			list = append(list, v.value(depth-1))
		}
		return list
	}
	fields := map[string]any{}
	for range d.below(4) {
		fields[v.text()] = v.value(depth - 1)
	}
	return fields
}

// float is a float64 of any sort: any bits, whole numbers, edges of integers, ratios as searches have them.
func (v *vectorMaker) float() float64 {
	d := v.dice
	switch d.below(8) {
	case 0:
		return math.Float64frombits(d.random.Uint64())
	case 1:
		return float64(d.between(-1000, 1000)) / 2
	case 2:
		return float64(d.between(1, 300)) / float64(d.between(1, 300))
	case 3:
		return pick(d, []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), 5e-324, math.MaxFloat64, 1 << 63, -(1 << 63), 1<<63 + 2048,
			9007199254740993, 1e21, 1e20, 1e-6, 1e-7, 1e6, 999999, 0.1, 0.5, 1.5, 2.5, 0.49999999999999994})
	case 4:
		return float64(d.random.Int63n(1 << 54))
	case 5:
		return d.random.ExpFloat64() * math.Pow(10, float64(d.between(-12, 24)))
	case 6:
		return float64(d.between(1, 5000))
	}
	return math.Float64frombits(d.random.Uint64() & 0x000fffffffffffff)
}

func (v *vectorMaker) bits(o *object) {
	o.text("bits", fmt.Sprintf("%016x", math.Float64bits(v.float())))
}

func (v *vectorMaker) zoned() (string, *dateMaker) {
	name := pick(v.dice, vectorZones)
	if v.dates[name] == nil {
		zone, err := loadZone(name)
		if err != nil {
			zone = time.UTC
		}
		v.dates[name] = newDateMaker(v.dice, zone)
	}
	return name, v.dates[name]
}

func (v *vectorMaker) date(o *object) {
	name, dates := v.zoned()
	layouts := []byte{'['}
	for i, known := range whenLayouts {
		if i > 0 {
			layouts = append(layouts, ',')
		}
		layouts = appendText(layouts, known.layout)
	}
	o.wire("s", strings.Replace(strings.TrimSpace(dates.when()), "T", " ", 1)).text("zone", name).set("layouts", append(layouts, ']'))
}

func (v *vectorMaker) moment(o *object) {
	name, dates := v.zoned()
	layout := pick(v.dice, []string{minuteLayout, dayLayout, "2006-01", "2006", time.RFC3339Nano, "2006-01-02 15:04:05 -0700 MST"})
	o.set("unix", strconv.AppendInt(nil, dates.moment().Unix(), 10)).set("nsec", strconv.AppendInt(nil, int64(v.dice.below(1e9)), 10)).
		text("zone", name).text("layout", layout)
}

func (v *vectorMaker) base64(o *object) {
	d := v.dice
	text := base64.StdEncoding.EncodeToString(d.bytes(d.below(12)))
	for range d.below(3) {
		at := d.below(len(text) + 1)
		text = text[:at] + pick(d, []string{"=", "\n", "\r", " ", "-", "_", "@", "A", "\xff", "é"}) + text[at:]
	}
	o.wire("s", text).text("encoding", pick(d, sortedKeys(base64Encodings)))
}

func (v *vectorMaker) queryString(o *object) {
	d := v.dice
	var pairs []string
	for range d.below(5) {
		value := pick(d, []string{strconv.Itoa(d.below(99)), url.QueryEscape(v.text()), "%zz", "%", "%f", "+1", "a;b", "", "%00", "1#f", "é", "\xff", "1=2", "%2B"})
		pairs = append(pairs, pick(d, []string{"seq", "seq", "SEQ", "", "%73eq", "a", ";"})+pick(d, []string{"=", "=", "=", ""})+value)
	}
	o.wire("s", strings.Join(pairs, pick(d, []string{"&", "&", "&", "&&", ";"})))
}

func (v *vectorMaker) page(o *object) {
	text := string(v.dice.storedPage(100000))
	o.wire("s", text)
}

func (v *vectorMaker) zoom(o *object) {
	_, dates := v.zoned()
	o.wire("s", dates.zoom(nil))
}

func (v *vectorMaker) pageName(o *object) {
	d := v.dice
	o.wire("s", d.padded(pick(d, [][]string{nameTraps, indexNames, storedNames, {d.hostile(), d.word()}})[d.below(2)]))
}

func (v *vectorMaker) whenAt(o *object) {
	name, dates := v.zoned()
	now := time.Date(2026, 10, 16, 9, 30, 0, v.dice.below(1e9), time.UTC)
	o.wire("s", dates.when()).text("zone", name).text("now", now.Format(time.RFC3339Nano))
}

func (v *vectorMaker) edit(o *object) {
	d := v.dice
	before := d.pageText(100000)
	after := pick(d, []string{d.pageText(100000), before, shuffledLines(d, before), crlf(before), ""})
	o.wire("old", before).wire("new", after)
}

func (v *vectorMaker) score(o *object) {
	d := v.dice
	content := d.paragraphs(3)
	o.wire("query", d.sentence(2)+" "+d.bent(pick(d, append(strings.Fields(content), "x")))).wire("label", d.sentence(3)).wire("content", content)
}

func (v *vectorMaker) snippet(o *object) {
	d := v.dice
	content := pick(d, []string{d.growing(d.between(10, 120)), d.shrinking(d.between(10, 90)), string(d.storedPage(100000)), d.flatAround()})
	words := strings.Fields(content)
	o.wire("query", pick(d, []string{"", d.word(), "pivotal", "fin", "x", d.bent(pick(d, append(words, "x")))})).wire("content", content)
}
