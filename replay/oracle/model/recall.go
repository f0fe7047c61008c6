package main

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// block is one archived block (recall.md, head).
type block struct {
	ID      string `json:"id"`
	Seq     uint64 `json:"seq"`
	Label   string `json:"label"`
	Role    string `json:"role"`
	Content string `json:"content"`
	Created int64  `json:"created"`
}

// archive is every readable block. The lower-cased texts are kept: a block never changes
// (recall.md, Where blocks come from).
type archive struct {
	blocks        []block
	bySeq         map[uint64]int
	lowerLabels   []string
	lowerContents []string
}

func newArchive(blocks []block) *archive {
	a := &archive{
		blocks:        blocks,
		bySeq:         make(map[uint64]int, len(blocks)),
		lowerLabels:   make([]string, len(blocks)),
		lowerContents: make([]string, len(blocks)),
	}
	for i, b := range blocks {
		if _, known := a.bySeq[b.Seq]; !known {
			a.bySeq[b.Seq] = i
		}
		a.lowerLabels[i] = strings.ToLower(b.Label)
		a.lowerContents[i] = strings.ToLower(b.Content)
	}
	return a
}

// parseID reads a block's id (recall.md, recall(id), 2; go-semantics.md, 2.4).
func parseID(id string) (uint64, error) {
	digits := strings.TrimSpace(id)
	digits = strings.TrimPrefix(digits, "r")
	digits = strings.TrimPrefix(digits, "R")
	digits = strings.TrimSpace(digits)
	return strconv.ParseUint(digits, 10, 64)
}

// recall gives a block back verbatim (recall.md, recall(id)).
func (a *archive) recall(args arguments) string {
	id, ok := args.text("id")
	if !ok || strings.TrimSpace(id) == "" {
		return "[erreur] id manquant"
	}
	seq, err := parseID(id)
	if err == nil {
		if i, found := a.bySeq[seq]; found {
			b := a.blocks[i]
			return fmt.Sprintf("[%s — %s, rappelé verbatim]\n%s", b.ID, b.Label, b.Content)
		}
	}
	return fmt.Sprintf("[erreur] bloc %q introuvable — vérifie l'id, ou utilise recall_search pour le retrouver par mots-clés", id)
}

// keywords are the distinct words of a query, in the order met (recall.md, recall_search, 2).
func keywords(query string) []string {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 0xE0 && r <= 0xFF)
	})
	seen := make(map[string]bool, len(words))
	var kept []string
	for _, word := range words {
		if utf8.RuneCountInString(word) < 2 || seen[word] {
			continue
		}
		seen[word] = true
		kept = append(kept, word)
	}
	return kept
}

// blockScore is a block's score for a set of keywords (recall.md, recall_search, 4).
func blockScore(words []string, lowerLabel, lowerContent string) int {
	score := 0
	for _, word := range words {
		if strings.Contains(lowerLabel, word) {
			score += 2
		}
		if strings.Contains(lowerContent, word) {
			score++
		}
	}
	return score
}

// searchLimit is the number of hits shown (recall.md, recall_search, 3).
func searchLimit(args arguments) int {
	limit := args.integer("limit")
	switch {
	case limit <= 0:
		return 5
	case limit > 20:
		return 20
	}
	return limit
}

// blockSnippet is the beginning of a block (recall.md, recall_search, 7).
func blockSnippet(content string) string {
	flat := strings.Join(strings.Fields(content), " ")
	runes := []rune(flat)
	if len(runes) > 160 {
		return strings.TrimSpace(string(runes[:160])) + "…"
	}
	return flat
}

const noBlock = "[aucun bloc archivé ne correspond]"

// search finds blocks by keywords, in texts lowered once.
func (a *archive) search(args arguments) string {
	return searchBlocks(a.blocks, func(i int) (string, string) { return a.lowerLabels[i], a.lowerContents[i] }, args)
}

// searchBlocks finds blocks by keywords (recall.md, recall_search). lowered gives a block's label and content in
// lower case.
func searchBlocks(blocks []block, lowered func(i int) (lowerLabel, lowerContent string), args arguments) string {
	query, ok := args.text("query")
	if !ok || strings.TrimSpace(query) == "" {
		return "[erreur] query manquante"
	}
	words := keywords(query)
	if len(words) == 0 {
		return noBlock
	}
	type hit struct{ index, score int }
	var hits []hit
	for i := range blocks {
		lowerLabel, lowerContent := lowered(i)
		if score := blockScore(words, lowerLabel, lowerContent); score > 0 {
			hits = append(hits, hit{i, score})
		}
	}
	sort.SliceStable(hits, func(i, j int) bool {
		if hits[i].score != hits[j].score {
			return hits[i].score > hits[j].score
		}
		return blocks[hits[i].index].Seq > blocks[hits[j].index].Seq
	})
	if limit := searchLimit(args); len(hits) > limit {
		hits = hits[:limit]
	}
	if len(hits) == 0 {
		return noBlock
	}
	var out strings.Builder
	out.WriteString("Blocs trouvés (rappelle le bon avec recall(id)) :\n")
	for _, h := range hits {
		b := blocks[h.index]
		fmt.Fprintf(&out, "- %s — %s\n  %s\n", b.ID, b.Label, blockSnippet(b.Content))
	}
	return strings.TrimRight(out.String(), "\n")
}

// call runs one of the two tools.
func (a *archive) call(tool string, args arguments) (answer, error) {
	switch tool {
	case "recall":
		return answer{result: a.recall(args), label: label(tool, args)}, nil
	case "recall_search":
		return answer{result: a.search(args), label: label(tool, args)}, nil
	}
	return answer{}, fmt.Errorf("a recall archive offers no tool %q", tool)
}
