package main

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// terms are the distinct words of a query, first-seen order (memory.md, mem_search).
func terms(query string) []string {
	seen := make(map[string]bool)
	var kept []string
	for _, term := range strings.Fields(strings.ToLower(query)) {
		if !seen[term] {
			seen[term] = true
			kept = append(kept, term)
		}
	}
	return kept
}

// pageScore is one page's rank (memory.md, mem_search): the terms that occur in it, and their weight.
func pageScore(words []string, frequency map[string]int, total int, hay, name, pageTitle string) (matched int, score float64) {
	lowerName, lowerTitle := strings.ToLower(name), strings.ToLower(pageTitle)
	for _, term := range words {
		count := strings.Count(hay, term)
		if count == 0 {
			continue
		}
		matched++
		idf := math.Log(float64(total+1)/float64(frequency[term]+1)) + 1
		tf := 1 + math.Log(float64(count))
		field := 1.0
		if strings.Contains(lowerName, term) {
			field += 4
		}
		if strings.Contains(lowerTitle, term) {
			field += 2
		}
		score += idf * tf * field
	}
	return matched, score
}

// pageSnippet is the piece of a page around the first term. The byte positions of the lower-cased text are
// applied to the text itself: letters that change length make Go cut elsewhere, or crash (memory.md, mem_search).
func pageSnippet(content string, words []string) string {
	flat := strings.Join(strings.Fields(content), " ")
	low := strings.ToLower(flat)
	first := -1
	for _, term := range words {
		if at := strings.Index(low, term); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	if first < 0 {
		if len(flat) > 160 {
			return flat[:160] + "…"
		}
		return flat
	}
	start := max(first-60, 0)
	end := min(first+100, len(flat))
	snippet := flat[start:end]
	if start > 0 {
		snippet = "…" + snippet
	}
	if end < len(flat) {
		snippet += "…"
	}
	return snippet
}

// pageLimit is the number of hits shown (memory.md, mem_search).
func pageLimit(args arguments) int {
	limit := args.integer("limit")
	if limit <= 0 || limit > 30 {
		return 8
	}
	return limit
}

// search ranks the pages of the project (memory.md, mem_search).
func (m *memory) search(args arguments) string {
	return searchPages(m.pages(), terms(args.textOrEmpty("query")), pageLimit(args))
}

func searchPages(listed []page, words []string, limit int) string {
	hays := make([]string, len(listed))
	frequency := make(map[string]int, len(words))
	for i, p := range listed {
		hays[i] = strings.ToLower(p.name + "\n" + p.content)
		for _, term := range words {
			if strings.Contains(hays[i], term) {
				frequency[term]++
			}
		}
	}
	type hit struct {
		page    page
		matched int
		score   float64
		snippet string
	}
	var hits []hit
	for i, p := range listed {
		matched, score := pageScore(words, frequency, len(listed), hays[i], p.name, p.title)
		if len(words) > 0 && matched == 0 {
			continue
		}
		hits = append(hits, hit{p, matched, score, pageSnippet(p.content, words)})
	}
	sort.SliceStable(hits, func(i, j int) bool {
		if hits[i].matched != hits[j].matched {
			return hits[i].matched > hits[j].matched
		}
		return hits[i].score > hits[j].score
	})
	if len(hits) > limit {
		hits = hits[:limit]
	}
	if len(hits) == 0 {
		return "[aucun résultat]"
	}
	var out strings.Builder
	for _, h := range hits {
		fmt.Fprintf(&out, "- %s — %s\n  %s\n", h.page.name, h.page.title, h.snippet)
	}
	return strings.TrimRight(out.String(), "\n")
}
