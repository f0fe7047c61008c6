package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// stdlibQuestions are answered by Go's own library (go-semantics.md).
var stdlibQuestions = map[string]handler{
	"to_lower":          textToText(strings.ToLower),
	"trim_space":        textToText(strings.TrimSpace),
	"quote":             textToText(strconv.Quote),
	"fields":            askFields,
	"equal_fold":        askEqualFold,
	"parse_uint":        askParseUint,
	"parse_id":          askParseID,
	"tokens":            askTokens,
	"fmt_v":             askFmtV,
	"fmt_0f":            bitsToText(func(f float64) string { return fmt.Sprintf("%.0f", f) }),
	"int_of_float":      bitsToText(func(f float64) string { return strconv.Itoa(int(f)) }),
	"log":               bitsToText(func(f float64) string { return fmt.Sprintf("%016x", math.Float64bits(math.Log(f))) }),
	"json_unmarshal":    askUnmarshal,
	"arguments":         askArguments,
	"json_marshal":      askMarshal,
	"parse_in_location": askParseInLocation,
	"format_time":       askFormatTime,
	"base64":            askBase64,
	"parse_query":       askParseQuery,
}

func textToText(f func(string) string) handler {
	return func(_ *asker, q question) (reply, error) {
		s, err := q.text("s")
		return said(appendWireText(nil, f(s)), err)
	}
}

// bitsToText answers about a float64 given by its bits in hexadecimal.
func bitsToText(f func(float64) string) handler {
	return func(_ *asker, q question) (reply, error) {
		text, err := q.text("bits")
		if err != nil {
			return reply{}, err
		}
		bits, err := strconv.ParseUint(text, 16, 64)
		if err != nil {
			return reply{}, err
		}
		return said(appendText(nil, f(math.Float64frombits(bits))), nil)
	}
}

func askFields(_ *asker, q question) (reply, error) {
	s, err := q.text("s")
	return said(appendTexts(nil, strings.Fields(s)), err)
}

func askEqualFold(_ *asker, q question) (reply, error) {
	a, err := q.text("a")
	if err != nil {
		return reply{}, err
	}
	b, err := q.text("b")
	return said(strconv.AppendBool(nil, strings.EqualFold(a, b)), err)
}

func uintAnswer(value uint64, err error) []byte {
	return new(object).text("value", strconv.FormatUint(value, 10)).fault(err).done()
}

func askParseUint(_ *asker, q question) (reply, error) {
	s, err := q.text("s")
	if err != nil {
		return reply{}, err
	}
	value, err := strconv.ParseUint(s, 10, 64)
	return said(uintAnswer(value, err), nil)
}

func askParseID(_ *asker, q question) (reply, error) {
	s, err := q.text("s")
	if err != nil {
		return reply{}, err
	}
	value, err := parseID(s)
	return said(uintAnswer(value, err), nil)
}

// askTokens cuts a text into keywords: as met, sorted, sorted without repeats (go-semantics.md, 2.3).
func askTokens(_ *asker, q question) (reply, error) {
	s, err := q.text("s")
	if err != nil {
		return reply{}, err
	}
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && (r < 0xE0 || r > 0xFF)
	})
	words = slices.DeleteFunc(words, func(word string) bool { return utf8.RuneCountInString(word) < 2 })
	sorted := slices.Clone(words)
	slices.Sort(sorted)
	out := new(object).set("ordered", appendTexts(nil, words)).set("sorted", appendTexts(nil, sorted))
	return said(out.set("out", appendTexts(nil, slices.Compact(sorted))).done(), nil)
}

// askUnmarshal decodes a JSON text into any; what is left in the value beside an error counts too.
func askUnmarshal(_ *asker, q question) (reply, error) {
	text, err := q.text("json")
	if err != nil {
		return reply{}, err
	}
	var value any
	err = json.Unmarshal([]byte(text), &value)
	return said(new(object).set("value", appendTree(nil, value)).fault(err).done(), nil)
}

// askArguments decodes a JSON text as the tools decode arguments: into a map, the error ignored.
func askArguments(_ *asker, q question) (reply, error) {
	text, err := q.text("json")
	if err != nil {
		return reply{}, err
	}
	return said(appendTree(nil, map[string]any(decodeArguments([]byte(text)))), nil)
}

// askFmtV prints with %v: a JSON text once decoded, or a typed tree.
func askFmtV(_ *asker, q question) (reply, error) {
	if q.has("value") {
		value, err := readTree(q["value"])
		return said(appendWireText(nil, fmt.Sprintf("%v", value)), err)
	}
	text, err := q.text("json")
	if err != nil {
		return reply{}, err
	}
	var value any
	_ = json.Unmarshal([]byte(text), &value)
	return said(appendWireText(nil, fmt.Sprintf("%v", value)), nil)
}

// askMarshal encodes a typed tree.
func askMarshal(_ *asker, q question) (reply, error) {
	value, err := readTree(q["value"])
	if err != nil {
		return reply{}, err
	}
	raw, err := json.Marshal(value)
	return said(new(object).wire("text", string(raw)).fault(err).done(), nil)
}

func timeAnswer(t time.Time) *object {
	name, offset := t.Zone()
	return new(object).set("unix", strconv.AppendInt(nil, t.Unix(), 10)).set("nsec", strconv.AppendInt(nil, int64(t.Nanosecond()), 10)).
		set("offset", strconv.AppendInt(nil, int64(offset), 10)).text("zone", name).text("rfc3339nano", t.Format(time.RFC3339Nano))
}

// askParseInLocation tries layouts in order; layout is the index of the first that fits, -1 for none.
func askParseInLocation(_ *asker, q question) (reply, error) {
	s, err := q.text("s")
	if err != nil {
		return reply{}, err
	}
	zone, err := q.zone()
	if err != nil {
		return reply{}, err
	}
	var layouts []string
	if err := q.into("layouts", &layouts); err != nil {
		return reply{}, err
	}
	var faults []string
	for i, layout := range layouts {
		t, err := time.ParseInLocation(layout, s, zone)
		if err == nil {
			out := new(object).set("layout", strconv.AppendInt(nil, int64(i), 10)).set("time", timeAnswer(t).done())
			return said(out.set("errors", appendTexts(nil, faults)).done(), nil)
		}
		faults = append(faults, err.Error())
	}
	return said(new(object).set("layout", []byte("-1")).set("time", []byte("null")).set("errors", appendTexts(nil, faults)).done(), nil)
}

// askFormatTime formats a Unix time in a zone.
func askFormatTime(_ *asker, q question) (reply, error) {
	zone, err := q.zone()
	if err != nil {
		return reply{}, err
	}
	var unix, nsec int64
	if err := q.into("unix", &unix); err != nil {
		return reply{}, err
	}
	if q.has("nsec") {
		if err := q.into("nsec", &nsec); err != nil {
			return reply{}, err
		}
	}
	layout, err := q.text("layout")
	return said(appendWireText(nil, time.Unix(unix, nsec).In(zone).Format(layout)), err)
}

var base64Encodings = map[string]*base64.Encoding{
	"std": base64.StdEncoding, "std_strict": base64.StdEncoding.Strict(),
	"raw_std": base64.RawStdEncoding, "url": base64.URLEncoding,
}

// askBase64 decodes; the bytes decoded before an error count too.
func askBase64(_ *asker, q question) (reply, error) {
	s, err := q.text("s")
	if err != nil {
		return reply{}, err
	}
	name, err := q.textOr("encoding", "std")
	if err != nil {
		return reply{}, err
	}
	encoding, ok := base64Encodings[name]
	if !ok {
		return reply{}, fmt.Errorf("no encoding is called %q", name)
	}
	decoded, err := encoding.DecodeString(s)
	coded := new(object).text("b64", base64.StdEncoding.EncodeToString(decoded)).done()
	return said(new(object).set("bytes", coded).fault(err).done(), nil)
}

// askParseQuery splits a query string; keys in byte order.
func askParseQuery(_ *asker, q question) (reply, error) {
	s, err := q.text("s")
	if err != nil {
		return reply{}, err
	}
	values, err := url.ParseQuery(s)
	raw := []byte{'['}
	for i, key := range sortedKeys(values) {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = appendWireText(append(raw, '['), key)
		raw = appendTexts(append(raw, ','), values[key])
		raw = append(raw, ']')
	}
	return said(new(object).set("values", append(raw, ']')).fault(err).done(), nil)
}
