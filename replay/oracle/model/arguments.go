package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// arguments holds a call's arguments as the tools see them.
//
// go-semantics.md, head: "json.Unmarshal into a map, its error ignored". journal.md, defaults: null or
// not an object = empty map.
type arguments map[string]any

// decodeArguments reads raw JSON the way the tools do.
func decodeArguments(raw []byte) arguments {
	var decoded map[string]any
	_ = json.Unmarshal(raw, &decoded)
	return decoded
}

// text gives a string argument; one of another type counts as absent (recall.md, head).
func (a arguments) text(key string) (string, bool) {
	value, ok := a[key].(string)
	return value, ok
}

// textOrEmpty gives a string argument, else the empty string (memory.md: "a string, else empty").
func (a arguments) textOrEmpty(key string) string {
	value, _ := a[key].(string)
	return value
}

// integer gives a JSON number truncated as int(float64), 0 for any other type (memory.md, recall.md).
func (a arguments) integer(key string) int {
	number, ok := a[key].(float64)
	if !ok {
		return 0
	}
	return int(number)
}

// plain renders a value of any type as text.
//
// tracker.md, head: string as is; number as %.0f; null or absent empty; anything else as %v.
func plain(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return fmt.Sprintf("%.0f", v)
	default:
		return fmt.Sprintf("%v", v)
	}
}

// label is what the turn announces for a call (memory.md, Labels).
func label(tool string, args arguments) string {
	switch tool {
	case "mem_search", "recall_search":
		return args.textOrEmpty("query")
	case "mem_read", "mem_add", "mem_edit":
		return args.textOrEmpty("file")
	case "recall":
		return args.textOrEmpty("id")
	case "tracker":
		return strings.TrimSpace(plain(args["action"]) + " " + plain(args["name"]))
	}
	return ""
}

// answer is what a tool gives back. Texts are Go strings: they may hold bytes that are not UTF-8.
type answer struct {
	result string
	label  string
	diff   []diffEntry
	// panicked says that Go itself crashed; crash is the runtime's text then (memory.md, mem_search).
	panicked bool
	crash    string
}
