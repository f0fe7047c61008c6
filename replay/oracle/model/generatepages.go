package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// pageText is a page's content, of every sort (memory.md). Always valid UTF-8.
func (d *dice) pageText(room int) string {
	if room < 600 {
		return d.smallPage()
	}
	switch d.below(22) {
	case 0:
		return ""
	case 1:
		return pick(d, []string{"\n", "\n\n   \n", "##\n#\n \n", "\r\n", "#", "# \n## \n\n", "\u00a0\n", "\x1c\n", "###### ###\nx\n"})
	case 2:
		return crlf(d.paragraphs(d.between(1, 6)))
	case 3:
		return d.growing(d.between(40, 120))
	case 4:
		return d.shrinking(d.between(20, 80))
	case 5:
		// Over the diff's entries, or over its lines (memory.md, Diff). Lines are short: the state stays small.
		if room > 2000 {
			return d.shortLines(pick(d, []int{119, 120, 121, 140, 399, 400, 401, 450}))
		}
		return d.shortLines(d.between(20, 60))
	case 6:
		return d.hostile() + "\n" + d.hostile() + "\n"
	case 7:
		return pick(d, []string{"# ", "## ", "", " # "}) + pick(d, []string{"Titre\tavec tab", "a](b.md)", "[x]", "`code`", "\u00a0espace\u3000", "# #", "🔒", "Ⱥ Ⱦ", "İSTANBUL"}) + "\nsuite\n"
	case 8:
		return sealMark + pick(d, []string{"", "\n", " une page qui se dit scellée\n", strings.Repeat("\x00", 40)})
	case 9:
		return d.flatAround()
	case 10:
		return strings.Repeat(d.word()+" ", d.between(1, 60)) + "\n"
	case 11:
		return d.paragraphs(2) + strings.Repeat("\n", d.below(6))
	}
	return d.paragraphs(d.between(1, 8))
}

func (d *dice) smallPage() string {
	if d.chance(6) {
		return d.growing(d.between(65, 90))
	}
	return pick(d, []string{"", "# a\n", "x", "\n", "## " + d.word() + "\n", d.word() + "\n"})
}

func (d *dice) paragraphs(lines int) string {
	var out strings.Builder
	if d.chance(70) {
		fmt.Fprintf(&out, "%s %s\n", pick(d, []string{"#", "##", "# ", "#\t"}), d.sentence(d.between(1, 4)))
	}
	for range lines {
		out.WriteString(d.line() + "\n")
	}
	return out.String()
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// growing puts letters that grow in lower case before a word: a snippet's start can pass its end.
func (d *dice) growing(letters int) string {
	return "# page qui grandit\n" + strings.Repeat(pick(d, growingLetters), letters) + " " +
		pick(d, []string{"grandissime", "pivotal", "apresletout"}) + " fin" + strings.Repeat(" x", d.below(60)) + "\n"
}

func (d *dice) shrinking(letters int) string {
	return strings.Repeat(pick(d, shrinkingLetters), letters) + " " + pick(d, []string{"retrecissime", "pivotal", d.word()}) +
		strings.Repeat(" suite", d.below(40)) + "\n"
}

func (d *dice) shortLines(n int) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(pick(d, []string{"a", "b", "c", "", fmt.Sprint(i % 10)}) + "\n")
	}
	return out.String()
}

// flatAround has about as many bytes as a snippet without a term shows: 160, some of them inside a letter.
func (d *dice) flatAround() string {
	return strings.Repeat(pick(d, []string{"a", "é", "漢", "👍"}), d.between(38, 162)) + pick(d, []string{"", " ", "é"}) + "\n"
}

// storedPage is a file of the initial state: its bytes may be anything.
func (d *dice) storedPage(room int) []byte {
	text := d.pageText(room)
	if d.chance(80) {
		return []byte(text)
	}
	out := []byte(text)
	for range d.between(1, 5) {
		at := d.below(len(out) + 1)
		out = append(out[:at:at], append([]byte(pick(d, badByteRuns)), out[at:]...)...)
	}
	return out
}

// Names: those a page can have, and those it can't (memory.md, Names).
var (
	nameTraps = []string{
		"", " ", "\t", "../etc/passwd", "..", ".", "...", "/etc/passwd", "a/b", "a\\b", "é", "été.md", "mes plantes", "a b.md", "x\x00", "\x00", "x\x1c",
		"\x1cx", "x\u200b", "\ufeffx", "\u212a.md", "İ.md", "nom\ninterdit", "a:b", "a*", "?", "~", "CON", "a.md/", "a.md/b", "%2e%2e", "a+b", "a,b", "(a)",
		"\"", "'", "x.md.bak", "x.MD.md", ".md", ".MD", "-", "_", ".cache", "x.mḋ", "x．md", "x.md\n", "\u00a0x\u3000", "\u0085y\u2028",
	}
	indexNames = []string{"MEMORY.md", "MEMORY", "memory", "memory.md", "Memory.MD", "MEMORY.MD", " MEMORY.md\n", "MEMORY.md.md"}

	// Names that only the initial state can hold.
	storedNames = []string{
		"réglages", "é.md", "Ⱥ-Ⱥ.md", "İ.MD", "a b.md", "x.Md", ".cache.md", "...md", ".md", "sans-extension", "notes.txt", "\u202e.md", "tab\t.md",
		"nl\n.md", "\u212aelvin.md", "x.md.bak", "y.mD", "ẞ.md", "Ÿ.md", "\"q\".md", "漢字.md", "0.md", "~.md", "#.md", "- .md", "x.md~", "LOKIMEMv1.md",
		"docker-notes.md", "profil-nathan.md", "jardin.md", "recettes.md", "v1.2.md", "UPPER.MD", "_.md", "-.md", "fichier.md",
	}
)

// newName is a page's name that is likely to be free.
func (w *walk) newName() string {
	d := w.dice
	w.fresh++
	base := fmt.Sprintf("%s-%d", pick(d, []string{"page", "Note", "JOURNAL", "v1.2", "a_b", "liste", "docker", "x"}), w.fresh)
	switch {
	case d.chance(5):
		base = strings.Repeat(pick(d, []string{"a", "Z", "-", "9."}), d.between(20, 60)) + base
	case d.chance(4):
		base = pick(d, []string{".", "..", "-", "_"}) + base
	case w.options.longNames && d.chance(20):
		base = strings.Repeat("n", d.between(260, 400)) + base
	}
	return d.padded(base + pick(d, []string{"", "", ".md", ".md", ".MD", ".Md", ".md.md", ".txt"}))
}

// existingName is the name of a page that is there, as a call may write it.
func (w *walk) existingName() string {
	d := w.dice
	names := sortedKeys(w.memory.files)
	if len(names) == 0 {
		return w.newName()
	}
	// Mostly a page that a call can reach; the others are there to be refused.
	for range 6 {
		name := pick(d, names)
		if normal, err := normalName(name); err != nil || normal != name {
			continue
		}
		if strings.HasSuffix(name, ".md") && d.chance(40) {
			name = strings.TrimSuffix(name, ".md")
		}
		return d.padded(name)
	}
	return pick(d, names)
}

// uniquePiece looks for a piece of a page that occurs once; any piece when it finds none.
func (w *walk) uniquePiece(text string) string {
	d := w.dice
	piece := ""
	for range 12 {
		from := d.below(len(text))
		to := min(len(text), from+d.between(1, 60))
		if d.chance(40) {
			from, to = lineAround(text, from)
			for range d.below(3) {
				if to < len(text) {
					_, to = lineAround(text, to)
				}
			}
		}
		for from > 0 && !utf8.RuneStart(text[from]) {
			from--
		}
		for to < len(text) && !utf8.RuneStart(text[to]) {
			to++
		}
		piece = text[from:to]
		if piece != "" && utf8.ValidString(piece) && strings.Count(text, piece) == 1 {
			return piece
		}
	}
	return cleaned(piece)
}

// lineAround gives the bounds of the line at a place, its end included.
func lineAround(text string, at int) (from, to int) {
	from = strings.LastIndexByte(text[:at], '\n') + 1
	to = len(text)
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		to = at + end + 1
	}
	return from, to
}
