package main

import (
	"fmt"
	"strings"
)

// diffEntry is one line of a diff; op is " ", "-" or "+" (memory.md, Diff).
type diffEntry struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

const (
	diffLineBound  = 400 // lines on a side beyond which nothing is aligned
	diffEntryBound = 120 // entries shown
)

// diffLines cuts a text into lines (memory.md, Diff).
func diffLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// lineDiff compares two texts line by line (memory.md, Diff).
func lineDiff(before, after string) []diffEntry {
	a, b := diffLines(before), diffLines(after)
	var entries []diffEntry
	if len(a) > diffLineBound || len(b) > diffLineBound {
		entries = wholeDiff(a, b)
	} else {
		entries = alignedDiff(a, b)
	}
	if cut := len(entries) - diffEntryBound; cut > 0 {
		entries = append(entries[:diffEntryBound:diffEntryBound],
			diffEntry{" ", fmt.Sprintf("…(%d lignes de plus)", cut)})
	}
	return entries
}

func wholeDiff(a, b []string) []diffEntry {
	var entries []diffEntry
	for _, line := range a {
		entries = append(entries, diffEntry{"-", line})
	}
	for _, line := range b {
		entries = append(entries, diffEntry{"+", line})
	}
	return entries
}

// alignedDiff walks the longest common subsequence, computed from the end.
func alignedDiff(a, b []string) []diffEntry {
	lcs := make([][]int, len(a)+1)
	for i := range lcs {
		lcs[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			switch {
			case a[i] == b[j]:
				lcs[i][j] = lcs[i+1][j+1] + 1
			case lcs[i+1][j] >= lcs[i][j+1]:
				lcs[i][j] = lcs[i+1][j]
			default:
				lcs[i][j] = lcs[i][j+1]
			}
		}
	}
	var entries []diffEntry
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			entries = append(entries, diffEntry{" ", a[i]})
			i++
			j++
		case lcs[i+1][j] >= lcs[i][j+1]:
			entries = append(entries, diffEntry{"-", a[i]})
			i++
		default:
			entries = append(entries, diffEntry{"+", b[j]})
			j++
		}
	}
	return append(entries, wholeDiff(a[i:], b[j:])...)
}
