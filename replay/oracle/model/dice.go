package main

import (
	"fmt"
	"math/rand"
	"strings"
)

// dice is the only source of chance: the same seed gives the same journal.
type dice struct {
	random *rand.Rand
	// badBytes allows bytes that are not UTF-8 in raw arguments.
	badBytes bool
}

func newDice(seed int64) *dice {
	return &dice{random: rand.New(rand.NewSource(seed)), badBytes: true}
}

// below gives 0 … n-1.
func (d *dice) below(n int) int { return d.random.Intn(n) }

// between gives low … high, both included.
func (d *dice) between(low, high int) int { return low + d.random.Intn(high-low+1) }

func (d *dice) chance(percent int) bool { return d.random.Intn(100) < percent }

func pick[T any](d *dice, list []T) T { return list[d.random.Intn(len(list))] }

// choice is an alternative and how often it is taken.
type choice[T any] struct {
	weight int
	value  T
}

func weighed[T any](d *dice, choices []choice[T]) T {
	total := 0
	for _, c := range choices {
		total += c.weight
	}
	at := d.below(total)
	for _, c := range choices {
		if at < c.weight {
			return c.value
		}
		at -= c.weight
	}
	return choices[len(choices)-1].value
}

// bytes gives n bytes; dice is a source of nonces too.
func (d *dice) bytes(n int) []byte {
	out := make([]byte, n)
	d.random.Read(out)
	return out
}

func (d *dice) Read(out []byte) (int, error) { return d.random.Read(out) }

var (
	plainWords = strings.Fields(`jardin docker podman Nathan café conteneur serveur train quai été météo recette plantes
		poids sommeil rapport inventaire bravo delta index page note liste total facture module python golang erreur
		sauvegarde réseau clé mot pivot rare œuvre cœur naïve Zoé ÉLÈVES À NOËL garçon île hôtel août façade
		TCP/IP snake_case kebab-case v1.2.3 2026 12 007 0x1F a b l' d'été "cité" (paren) [crochet] {accolade} <b>&amp;</b>`)

	// Letters whose lower case is longer or shorter, or that meet the words' character range from outside
	// (go-semantics.md, 2.1 and 2.3).
	oddLetters = []string{
		"Ⱥ", "Ⱦ", "İ", "ı", "\u212a", "\u212b", "\u2126", "ẞ", "ß", "Σ", "ς", "σ", "ſ", "Ÿ", "ÿ", "÷", "×", "þ", "Þ", "Ā", "ǅ", "ŉ", "ﬁ",
		"ϴ", "Ɫ", "Ɐ", "Ɑ", "Ꭰ", "Ა", "ᾼ", "Å", "Ω", "Ꟍ", "Ꟑ", "ꟑ", "\U00010d50", "\U00016ea0", "\U00016ebb", "\u1c89",
		"𝒜", "Ａ", "１", "٣", "²", "½", "漢", "क्षि", "👍🏽", "👩‍💻", "é", "ñ", "ａ",
	}
	growingLetters   = []string{"Ⱥ", "Ⱦ"}
	shrinkingLetters = []string{"İ", "\u212a", "\u212b", "ẞ", "Ɫ", "Ɐ", "\u2126"}

	// The 25 spaces of Go, then what only looks like one (go-semantics.md, 2.2).
	realSpaces  = strings.Split("\t|\n|\v|\f|\r| |\u0085|\u00a0|\u1680|\u2000|\u2001|\u2002|\u2003|\u2004|\u2005|\u2006|\u2007|\u2008|\u2009|\u200a|\u2028|\u2029|\u202f|\u205f|\u3000", "|")
	falseSpaces = []string{"\x1c", "\x1d", "\x1e", "\x1f", "\u200b", "\ufeff", "\u180e", "\u2060", "\u00ad", "\x00", "\u200d", "\u2800"}

	oddMarks = []string{
		"\"", "\\", "'", "`", "%s", "%!q", "\u202e", "\ufffd", "\ufffe", "\uffff", "\U0010ffff", "\u0301", "\x7f", "\x1b[31m", "\x08", "\a",
		"«", "»", "…", "—", "·", "]({", "](", ")", "#", "##", "</script>", "\u0cf3", "\U0001fae9", "\U000323b0", "\ue000", "\u0378", "\r\n", "\r", "~",
	}
)

// word is one word, usually a plain one.
func (d *dice) word() string {
	switch {
	case d.chance(80):
		return pick(d, plainWords)
	case d.chance(30):
		return strings.ToUpper(pick(d, plainWords))
	case d.chance(50):
		return pick(d, oddLetters) + pick(d, plainWords) + pick(d, oddLetters)
	}
	var out strings.Builder
	for range d.between(1, 6) {
		out.WriteString(pick(d, oddLetters))
	}
	return out.String()
}

// sentence is some words and the spaces between them.
func (d *dice) sentence(words int) string {
	var out strings.Builder
	for i := range words {
		if i > 0 {
			out.WriteString(d.space())
		}
		out.WriteString(d.word())
	}
	return out.String()
}

// space separates words: mostly one blank.
func (d *dice) space() string {
	switch {
	case d.chance(90):
		return " "
	case d.chance(80):
		return pick(d, realSpaces)
	}
	return pick(d, falseSpaces)
}

// blank is a text that Go trims to nothing, or nearly.
func (d *dice) blank() string {
	var out strings.Builder
	for range d.below(4) {
		out.WriteString(pick(d, realSpaces))
	}
	if d.chance(10) {
		out.WriteString(pick(d, falseSpaces))
	}
	return out.String()
}

// hostile is a short text of what goes wrong most easily. It is always valid UTF-8.
func (d *dice) hostile() string {
	var out strings.Builder
	for range d.between(1, 8) {
		switch d.below(8) {
		case 0:
			out.WriteString(pick(d, realSpaces))
		case 1:
			out.WriteString(pick(d, falseSpaces))
		case 2, 3:
			out.WriteString(pick(d, oddLetters))
		case 4, 5:
			out.WriteString(pick(d, oddMarks))
		case 6:
			out.WriteString(pick(d, plainWords))
		case 7:
			out.WriteRune(d.rune())
		}
	}
	return out.String()
}

// rune is any code point but the surrogates.
func (d *dice) rune() rune {
	limit := pick(d, []int{0x80, 0x800, 0x3000, 0x10000, 0x18000, 0x20000, 0x33480, 0x110000})
	r := rune(d.below(limit))
	if r >= 0xD800 && r <= 0xDFFF {
		r -= 0x800
	}
	return r
}

// line is one line of a page or of a block, without its end.
func (d *dice) line() string {
	switch d.below(12) {
	case 0:
		return ""
	case 1:
		return d.hostile()
	case 2:
		return "- " + d.sentence(d.between(1, 4))
	case 3:
		return fmt.Sprintf("ligne %d : valeur %d", d.below(50), d.below(5))
	}
	return d.sentence(d.between(1, 9))
}

// padded wraps a text in spaces, now and then.
func (d *dice) padded(text string) string {
	if d.chance(15) {
		text = d.blank() + text
	}
	if d.chance(15) {
		text += d.blank()
	}
	return text
}
