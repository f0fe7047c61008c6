package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"unicode/utf8"
)

// A typed tree is a Go value written so that nothing is lost: null, true, false, {"f":bits}, {"i":decimal},
// {"u":decimal}, {"s":text}, {"sb":base64}, [..], {"m":[[key,value],..]} with keys in byte order.

// appendTree writes a decoded value as a typed tree.
func appendTree(out []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(out, "null"...)
	case bool:
		return strconv.AppendBool(out, v)
	case float64:
		return fmt.Appendf(out, `{"f":"%016x"}`, math.Float64bits(v))
	case int64:
		return fmt.Appendf(out, `{"i":"%d"}`, v)
	case uint64:
		return fmt.Appendf(out, `{"u":"%d"}`, v)
	case string:
		return appendTreeText(out, v)
	case []any:
		out = append(out, '[')
		for i, item := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendTree(out, item)
		}
		return append(out, ']')
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		out = append(out, `{"m":[`...)
		for i, key := range keys {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendTreeText(append(out, '['), key)
			out = appendTree(append(out, ','), v[key])
			out = append(out, ']')
		}
		return append(out, `]}`...)
	}
	return append(out, "null"...)
}

func appendTreeText(out []byte, text string) []byte {
	if utf8.ValidString(text) {
		out = appendText(append(out, `{"s":`...), text)
	} else {
		out = appendText(append(out, `{"sb":`...), base64.StdEncoding.EncodeToString([]byte(text)))
	}
	return append(out, '}')
}

var errTree = errors.New("not a typed tree")

// readTree reads a typed tree.
func readTree(raw []byte) (any, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, errTree
	}
	switch raw[0] {
	case '[':
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, err
		}
		list := make([]any, len(items))
		for i, item := range items {
			var err error
			if list[i], err = readTree(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case '{':
		return readTreeLeaf(raw)
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return nil, err
	}
	switch plain.(type) {
	case nil, bool:
		return plain, nil
	}
	return nil, errTree
}

func readTreeLeaf(raw []byte) (any, error) {
	var leaf map[string]json.RawMessage
	if err := json.Unmarshal(raw, &leaf); err != nil {
		return nil, err
	}
	if len(leaf) != 1 {
		return nil, errTree
	}
	for kind, value := range leaf {
		if kind == "m" {
			return readTreeMap(value)
		}
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return nil, err
		}
		switch kind {
		case "f":
			bits, err := strconv.ParseUint(text, 16, 64)
			return math.Float64frombits(bits), err
		case "i":
			return strconv.ParseInt(text, 10, 64)
		case "u":
			return strconv.ParseUint(text, 10, 64)
		case "s":
			return text, nil
		case "sb":
			decoded, err := base64.StdEncoding.DecodeString(text)
			return string(decoded), err
		}
	}
	return nil, errTree
}

func readTreeMap(raw []byte) (any, error) {
	var pairs [][2]json.RawMessage
	if err := json.Unmarshal(raw, &pairs); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(pairs))
	for _, pair := range pairs {
		key, err := readTree(pair[0])
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, errTree
		}
		if out[name], err = readTree(pair[1]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
