package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// recallMaker writes hostile calls over an archive it made.
type recallMaker struct {
	dice   *dice
	blocks []block
}

// generateRecall writes a recall journal.
func generateRecall(out io.Writer, o generateOptions) error {
	maker := &recallMaker{dice: o.dice()}
	maker.makeBlocks(o.blocks)
	blocks := newArchive(maker.blocks)
	w := newJournalWriter(out)
	w.header("recall", fmt.Sprintf("%d blocks, %d calls, seed %d", len(maker.blocks), o.steps, o.seed))
	w.openList("blocks")
	for _, b := range maker.blocks {
		w.item(new(object).text("id", b.ID).set("seq", strconv.AppendUint(nil, b.Seq, 10)).text("label", b.Label).
			text("role", b.Role).text("content", b.Content).set("created", strconv.AppendInt(nil, b.Created, 10)).done())
	}
	w.closeList()
	w.openList("steps")
	for range o.steps {
		tool, raw := maker.call()
		got, err := blocks.call(tool, decodeArguments([]byte(raw)))
		if err != nil {
			return err
		}
		var step object
		step.set("args", []byte(raw))
		answerFields(&step, got, false)
		w.item(step.text("tool", tool).done())
	}
	w.closeList()
	return w.close()
}

// makeBlocks fills the archive: seqs ascend, with gaps, and end in huge ones.
func (r *recallMaker) makeBlocks(n int) {
	d := r.dice
	seq := uint64(0)
	for i := range n {
		switch {
		case i > n*9/10 && d.chance(30):
			// Up to the last seq there is, leaving room for those that follow.
			room := uint64(math.MaxUint64) - seq - uint64(n-i)
			seq += 1 + d.random.Uint64()%(room/uint64(n-i)+1)
		case d.chance(10):
			seq += uint64(d.between(2, 2000))
		default:
			seq++
		}
		if i == n-1 && n > 20 && d.chance(50) {
			seq = math.MaxUint64
		}
		r.blocks = append(r.blocks, block{
			ID: fmt.Sprintf("r%d", seq), Seq: seq, Label: r.blockLabel(), Content: r.blockContent(),
			Role:    pick(d, []string{"tool", "tool", "tool", "user", "assistant", "system", "", "é\n"}),
			Created: int64(1790000000 + 60*i),
		})
	}
}

func (r *recallMaker) blockLabel() string {
	d := r.dice
	switch d.below(10) {
	case 0:
		return ""
	case 1:
		return d.hostile()
	case 2:
		return pick(d, []string{"tool", "user: ", "\t", "a\nb", "— ", "rappelé verbatim]\n", "r7", "÷÷", "ÉTÉ", "İSTANBUL", "\u212aelvin"})
	}
	return pick(d, []string{"read: ", "web_read: ", "bash: ", "user: ", "edit: "}) + d.sentence(d.between(1, 5))
}

func (r *recallMaker) blockContent() string {
	d := r.dice
	switch d.below(14) {
	case 0:
		return ""
	case 1:
		return d.blank()
	case 2:
		return d.hostile()
	case 3:
		// About the snippet's length: 158 … 163 runes, a space near the cut (recall.md, recall_search, 7).
		letter := pick(d, []string{"a", "é", "漢", "👍", "Ⱥ"})
		text := []rune(strings.Repeat(letter, d.between(158, 163)))
		if d.chance(60) {
			text[d.between(155, 157)] = ' '
			text[len(text)-d.between(1, 4)] = ' '
		}
		return string(text)
	case 4:
		return strings.Repeat(d.sentence(3)+" ", d.between(20, 60))
	case 5:
		return strings.Repeat(pick(d, oddLetters), d.between(1, 200)) + " " + d.word()
	}
	var out strings.Builder
	for range d.between(1, 12) {
		out.WriteString(d.line())
		out.WriteString(pick(d, []string{"\n", "\n", "\n", "\r\n", "\n\n", ""}))
	}
	return out.String()
}

func (r *recallMaker) call() (tool, raw string) {
	d := r.dice
	if d.chance(45) {
		args := d.arguments()
		if d.chance(92) {
			args.maybe("id", d.textArgument(r.id()))
		} else {
			args.set("id", d.rawOther())
		}
		return "recall", args.raw()
	}
	args := d.arguments()
	if d.chance(94) {
		args.maybe("query", d.textArgument(r.query()))
	} else {
		args.set("query", d.rawOther())
	}
	if d.chance(60) {
		args.set("limit", d.limitArgument())
	}
	return "recall_search", args.raw()
}

// id writes a block's id in every way, right and wrong (recall.md, recall(id); go-semantics.md, 2.4).
func (r *recallMaker) id() string {
	d := r.dice
	number := strconv.Itoa(d.below(60))
	if len(r.blocks) > 0 && d.chance(80) {
		number = strconv.FormatUint(pick(d, r.blocks).Seq, 10)
	}
	switch d.below(20) {
	case 0:
		return pick(d, []string{"18446744073709551615", "18446744073709551616", "18446744073709551614", "99999999999999999999x", "184467440737095516150",
			"9223372036854775807", "9223372036854775808", "00018446744073709551615"})
	case 1:
		return d.hostile()
	case 2:
		return "r" + pick(d, []string{"+", "-", "+-", "0x", "0b", "0o", "_", ".", ","}) + number
	case 3:
		return number + pick(d, []string{"x", "_0", ".0", "e0", ",", "r", "R", "\x00", "\u200b", "١", "\x1f", "–", "px"})
	case 4:
		return foreignDigits(d, number)
	case 5:
		return d.blank()
	case 6:
		return pick(d, []string{"r", "R", "rR", "Rr", "rr", "RR", "", "r ", " R ", "rrr", "ʀ7", "ｒ7", "r7 r8", "7 8", "\"r2\" ou \\r3\\", "null", "r\n"})
	case 7:
		return "r" + strings.Repeat("0", pick(d, []int{1, 5, 40, 300})) + number
	case 8:
		return pick(d, []string{"Rr", "rr", "RR", "r R", "R r", "rRr"}) + number
	case 9:
		return pick(d, []string{"rR", "r", "R"}) + pick(d, realSpaces) + pick(d, realSpaces) + number
	case 10:
		return pick(d, falseSpaces) + "r" + number
	case 11:
		return "r" + number + pick(d, falseSpaces)
	case 12:
		return pick(d, realSpaces) + pick(d, []string{"", "r", "R", "rR"}) + number + pick(d, realSpaces)
	}
	return d.padded(pick(d, []string{"r", "r", "r", "", "R", "rR"}) + number)
}

// foreignDigits writes a number in another script's digits, all of them or the last.
func foreignDigits(d *dice, number string) string {
	zero := pick(d, []rune{'０', '٠', '०', '𝟎', '๐', '₀'})
	out := []rune(number)
	from := 0
	if d.chance(50) {
		from = len(out) - 1
	}
	for i := from; i < len(out); i++ {
		if out[i] >= '0' && out[i] <= '9' {
			out[i] = zero + out[i] - '0'
		}
	}
	return "r" + string(out)
}

// query takes words from the archive, whole or in part, and adds what is not a word (recall.md, recall_search).
func (r *recallMaker) query() string {
	d := r.dice
	switch d.below(14) {
	case 0:
		return d.blank()
	case 1:
		return d.hostile()
	case 2:
		return pick(d, []string{"÷÷ 2", "à l d'", "×", "ß ÿ", "Ÿÿ", "ab", "a", "ÀÉ", "ÎÏ÷", "1 2 3", "12", "_", "a_b", "Σσς", "İİ", "\u212a\u212a", "ſs", "þÞ", "Āā",
			"\u00df\u00df", "\u00ff\u0100", "`a {b", "/0 9:", "@A[Z", "<script>", "À L'ÉTÉ"})
	case 3:
		return d.word() + d.word()
	}
	var words []string
	for range d.between(1, 5) {
		words = append(words, r.archiveWord())
	}
	if d.chance(20) {
		words = append(words, words[0], strings.ToUpper(words[0]))
	}
	if d.chance(1) {
		for range 200 {
			words = append(words, d.word())
		}
	}
	return d.padded(strings.Join(words, pick(d, []string{" ", " ", " ", ", ", "_", "\n", "\u00a0", "\x1c", "÷"})))
}

func (r *recallMaker) archiveWord() string {
	d := r.dice
	if len(r.blocks) == 0 || d.chance(15) {
		return d.word()
	}
	b := pick(d, r.blocks)
	words := strings.Fields(b.Label)
	if d.chance(70) {
		words = strings.Fields(b.Content)
	}
	if len(words) == 0 {
		return d.word()
	}
	return d.bent(pick(d, words))
}

// bent changes a word's case, or cuts it.
func (d *dice) bent(word string) string {
	switch d.below(6) {
	case 0:
		return strings.ToUpper(word)
	case 1:
		return strings.ToLower(word)
	case 2:
		runes := []rune(word)
		from := d.below(len(runes))
		return string(runes[from:d.between(from, len(runes)-1)]) + string(runes[len(runes)-1])
	}
	return word
}
