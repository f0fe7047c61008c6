// Writes the Unicode tables of the Go that runs it as a Python module, to standard output.
//
// The text depends on the Unicode version alone: two Gos of the same Unicode write the same bytes.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"
)

const header = `"""The Unicode %[1]s tables of Go's standard library, written by the Go program in replay/oracle/tables.

Generated, do not edit.
"""

from typing import Final

UNICODE_VERSION: Final = "%[1]s"
`

const maps = `
# Runs of (first, last, step, delta): %s
# of each step-th code point of a run is the code point plus delta.
%s: Final[tuple[tuple[int, int, int, int], ...]] = (
`

const ranges = `
# Ranges of (first, last), both included: strconv.IsPrint.
IS_PRINT: Final[tuple[tuple[int, int], ...]] = (
`

const list = `
# unicode.IsSpace.
IS_SPACE: Final[tuple[int, ...]] = (
`

const lineWidth = 120

// run is a stretch of code points that a mapping moves by one and the same delta.
type run struct{ first, last, step, delta rune }

// runs describes a mapping of every code point by as few runs as steps of 1 and 2 allow; code points that map to
// themselves are left out.
func runs(mapping func(rune) rune) []run {
	var found []run
	for point := rune(0); point <= unicode.MaxRune; point++ {
		delta := mapping(point) - point
		if delta != 0 && !extend(found, point, delta) {
			found = append(found, run{point, point, 1, delta})
		}
	}
	return found
}

// extend lengthens one of the last two runs by point, if it moves by that run's delta and stands one step after its
// end. Two, because capital and small letters often alternate.
func extend(found []run, point, delta rune) bool {
	for index := len(found) - 1; index >= 0 && index >= len(found)-2; index-- {
		one := &found[index]
		gap := point - one.last
		if one.delta == delta && gap <= 2 && (one.first == one.last || gap == one.step) {
			one.last, one.step = point, gap
			return true
		}
	}
	return false
}

// printable gives the ranges of strconv.IsPrint.
func printable() []string {
	var found []string
	for point := rune(0); point <= unicode.MaxRune; point++ {
		if !strconv.IsPrint(point) {
			continue
		}
		first := point
		for point < unicode.MaxRune && strconv.IsPrint(point+1) {
			point++
		}
		found = append(found, fmt.Sprintf("(0x%04X, 0x%04X)", first, point))
	}
	return found
}

// spaces gives the code points of unicode.IsSpace.
func spaces() []string {
	var found []string
	for point := rune(0); point <= unicode.MaxRune; point++ {
		if unicode.IsSpace(point) {
			found = append(found, fmt.Sprintf("0x%04X", point))
		}
	}
	return found
}

func texts(found []run) []string {
	var items []string
	for _, one := range found {
		items = append(items, fmt.Sprintf("(0x%04X, 0x%04X, %d, %d)", one.first, one.last, one.step, one.delta))
	}
	return items
}

// write puts as many items on each line as fit, and closes the tuple.
func write(out *bufio.Writer, items []string) {
	line := "   "
	for _, item := range items {
		if len(line)+len(item)+2 > lineWidth {
			fmt.Fprintln(out, line)
			line = "   "
		}
		line += " " + item + ","
	}
	if strings.TrimSpace(line) != "" {
		fmt.Fprintln(out, line)
	}
	fmt.Fprintln(out, ")")
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(out, header, unicode.Version)
	fmt.Fprintf(out, maps, "unicode.ToLower", "TO_LOWER")
	write(out, texts(runs(unicode.ToLower)))
	fmt.Fprintf(out, maps, "unicode.SimpleFold, the next of a ring of equal letters,", "SIMPLE_FOLD")
	write(out, texts(runs(unicode.SimpleFold)))
	fmt.Fprint(out, ranges)
	write(out, printable())
	fmt.Fprint(out, list)
	write(out, spaces())
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
