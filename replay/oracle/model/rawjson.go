package main

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Arguments are generated as raw JSON: what Go's decoder does to a lone surrogate, a repeated key or 1e400 is
// part of what is tested (journal.md, Shape; go-semantics.md, 2.10).

// rawText writes a text as JSON: plainly, or with escapes taken at random.
func (d *dice) rawText(text string) string {
	if d.chance(70) {
		return string(appendText(nil, text))
	}
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r < ' ' || r == '"' || r == '\\' || d.chance(20):
			out.WriteString(d.escaped(r))
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// escaped writes a rune as \uXXXX, in pairs above the first plane, sometimes as the short escape.
func (d *dice) escaped(r rune) string {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '/': `\/`, '\n': `\n`, '\t': `\t`, '\r': `\r`, '\b': `\b`, '\f': `\f`}
	if s, ok := short[r]; ok && d.chance(60) {
		return s
	}
	format := `\u%04x`
	if d.chance(30) {
		format = `\u%04X`
	}
	if r >= 0x10000 {
		high, low := utf16.EncodeRune(r)
		return fmt.Sprintf(format+format, high, low)
	}
	return fmt.Sprintf(format, r)
}

var (
	loneSurrogates = []string{`\ud83d`, `\ude00`, `\ude00\ud83d`, `\ud83d\ud83d\ude00`, `\uD800`, `\udfff`, `\ud800\u0041`, `\ud83d\n`, `\ud83d\\ude00`}
	badByteRuns    = []string{"\xff", "\xe2\x82", "\xf0\x9f\x98", "\xed\xa0\x80", "\xc0\x80", "\xed\xa0\xbd\xed\xb8\x80", "\xf4\x90\x80\x80", "\x80", "\xc3"}
)

// trapText writes a text with something in it that is not text: a lone surrogate, or bad bytes.
func (d *dice) trapText(text string) string {
	cut := 0
	if len(text) > 0 {
		cut = d.below(len(text) + 1)
		for cut > 0 && cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut--
		}
	}
	trap := pick(d, loneSurrogates)
	if d.badBytes && d.chance(50) {
		trap = pick(d, badByteRuns)
	}
	before, after := appendText(nil, text[:cut]), appendText(nil, text[cut:])
	return string(before[:len(before)-1]) + trap + string(after[1:])
}

// textArgument writes a text argument, now and then with a trap in it.
func (d *dice) textArgument(text string) string {
	if d.chance(3) {
		return d.trapText(text)
	}
	return d.rawText(text)
}

var rawNumbers = []string{
	"0", "-0", "0.0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "12", "19", "20", "21", "29", "30", "31", "32", "60", "100",
	"499", "500", "501", "-1", "-2", "-3", "-100", "0.9", "-0.9", "0.5", "1.5", "2.5", "2.7", "3.9", "19.999999999999999", "20.5", "30.5", "1e0",
	"1E1", "2e1", "3e+1", "1e2", "25e-1", "0.1e1", "1e15", "1e19", "-1e19", "1e20", "1e21", "1e308", "1.7976931348623157e308", "5e-324", "1e-400",
	"1e400", "-1e400", "1e999999", "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
	"-9223372036854775809", "18446744073709551615", "18446744073709551616", "18446744073709551621", "2147483648", "4294967297", "4294967301",
	"1000000", "1234567.5", "123456789012345678901234567890",
}

// rawNumber writes a number; a few do not fit in a float64.
func (d *dice) rawNumber() string {
	if d.chance(1) {
		return strings.Repeat("9", 310)
	}
	if d.chance(60) {
		return pick(d, rawNumbers[:26])
	}
	return pick(d, rawNumbers)
}

// rawOther writes a value of any type.
func (d *dice) rawOther() string {
	switch d.below(10) {
	case 0:
		return "null"
	case 1:
		return "true"
	case 2:
		return "false"
	case 3:
		return d.rawNumber()
	case 4:
		return "[]"
	case 5:
		return "{}"
	case 6:
		return "[" + d.rawText(d.word()) + ", " + d.rawNumber() + ",null]"
	case 7:
		return `{"` + pick(d, []string{"k", "é", "a", ""}) + `":` + d.rawNumber() + `, "a":[false,` + d.rawText(d.hostile()) + "]}"
	case 8:
		depth := d.between(1, 40)
		return strings.Repeat("[", depth) + d.rawText(d.word()) + strings.Repeat("]", depth)
	}
	return d.rawText(d.padded(d.word()))
}

// limitArgument writes a number of hits or of lines: mostly a number.
func (d *dice) limitArgument() string {
	if d.chance(75) {
		return d.rawNumber()
	}
	if d.chance(30) {
		return d.rawText(pick(d, []string{"3", "2", " 1", "1e1", "", "0"}))
	}
	return d.rawOther()
}

// rawArguments collects the fields of one call's arguments.
type rawArguments struct {
	dice   *dice
	fields [][2]string
}

func (d *dice) arguments() *rawArguments { return &rawArguments{dice: d} }

func (a *rawArguments) set(key, raw string) *rawArguments {
	a.fields = append(a.fields, [2]string{key, raw})
	return a
}

// text sets a text argument.
func (a *rawArguments) text(key, text string) *rawArguments {
	return a.set(key, a.dice.textArgument(text))
}

// maybe leaves an argument out, or gives it another type, now and then.
func (a *rawArguments) maybe(key, raw string) *rawArguments {
	switch {
	case a.dice.chance(3):
		return a
	case a.dice.chance(3):
		raw = a.dice.rawOther()
	}
	return a.set(key, raw)
}

// raw writes the object; sometimes with repeated keys, unknown ones, escaped ones, spaces; rarely no object.
func (a *rawArguments) raw() string {
	d := a.dice
	if d.chance(1) {
		return pick(d, []string{"null", "[]", `"id"`, "7", "true", `[{"id":"r1"}]`, "1e400", "{}", "{ }"})
	}
	fields := append([][2]string(nil), a.fields...)
	if d.chance(15) {
		d.random.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	}
	if len(fields) > 0 && d.chance(4) {
		// A repeated key: the last one wins, unless it is a number that does not fit.
		twice := pick(d, fields)
		other := [2]string{twice[0], d.rawOther()}
		if d.chance(50) {
			fields = append([][2]string{other}, fields...)
		} else {
			fields = append(fields, other)
		}
	}
	if d.chance(4) {
		// Keys are exact: another case is another key; an unknown one changes nothing.
		key := pick(d, []string{"ID", "Query", "LIMIT", "File", "extra", "", "\u017ftep", "Name", "limit "})
		fields = append(fields, [2]string{key, d.rawOther()})
	}
	var out strings.Builder
	out.WriteByte('{')
	for i, field := range fields {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(d.gap())
		if d.chance(2) && len(field[0]) > 0 {
			fmt.Fprintf(&out, `"\u%04x%s"`, field[0][0], field[0][1:])
		} else {
			out.Write(appendText(nil, field[0]))
		}
		out.WriteByte(':')
		out.WriteString(d.gap())
		out.WriteString(field[1])
	}
	out.WriteString(d.gap())
	out.WriteByte('}')
	return out.String()
}

// gap is JSON's own white space, mostly none.
func (d *dice) gap() string {
	if d.chance(95) {
		return ""
	}
	return pick(d, []string{" ", "\n", "\t", "\r\n", "  "})
}
