package main

import "unicode/utf8"

// cleaned is a text once it went through JSON: every bad byte is U+FFFD (go-semantics.md, 2.11).
func cleaned(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}

const hexDigits = "0123456789abcdef"

// appendText writes a JSON text, as the journals have it: no HTML escapes, bad bytes as \ufffd.
func appendText(out []byte, text string) []byte {
	out = append(out, '"')
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			out = appendASCII(out, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			out = append(out, `\ufffd`...)
		case r == '\u2028' || r == '\u2029':
			out = append(out, `\u202`...)
			out = append(out, hexDigits[r&0xF])
		default:
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return append(out, '"')
}

func appendASCII(out []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(out, '\\', c)
	case '\b':
		return append(out, '\\', 'b')
	case '\f':
		return append(out, '\\', 'f')
	case '\n':
		return append(out, '\\', 'n')
	case '\r':
		return append(out, '\\', 'r')
	case '\t':
		return append(out, '\\', 't')
	}
	if c < ' ' {
		return append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
	}
	return append(out, c)
}
