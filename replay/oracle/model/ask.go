package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sort"
	"time"
	"unicode"
	"unicode/utf8"
)

// modelVersion changes when an answer of this program may change.
const modelVersion = "1"

// lineLimit bounds a question's line, in bytes.
const lineLimit = 64 << 20

// Who judges: Go's own library, or this program's reading of the contract.
const (
	byStdlib = "stdlib"
	byModel  = "model"
)

// reply is what a question is answered: a raw JSON value, and the text of a crash where Go crashes.
type reply struct {
	out      []byte
	panicked bool
	crash    string
}

// handler answers one question.
type handler func(*asker, question) (reply, error)

// asker answers questions, in order; it holds what questions registered.
type asker struct {
	archives map[string]*archive
	sessions map[string]*session
}

// registeredLimit bounds how many archives, and how many sessions, are held at once.
const registeredLimit = 1024

func newAsker() *asker {
	return &asker{archives: map[string]*archive{}, sessions: map[string]*session{}}
}

// question is one line: its fields, still raw.
type question map[string]json.RawMessage

func (q question) has(key string) bool {
	_, ok := q[key]
	return ok
}

// text reads a text field: a string, or {"b64": …} for bytes that may not be UTF-8.
func (q question) text(key string) (string, error) {
	raw, ok := q[key]
	if !ok {
		return "", fmt.Errorf("field %q is missing", key)
	}
	text, err := readText(raw)
	if err != nil {
		return "", fmt.Errorf("field %q: %w", key, err)
	}
	return text, nil
}

func readText(raw []byte) (string, error) {
	var text *string
	if err := json.Unmarshal(raw, &text); err == nil && text != nil {
		return *text, nil
	}
	var coded struct {
		B64 *string `json:"b64"`
	}
	if err := json.Unmarshal(raw, &coded); err != nil || coded.B64 == nil {
		return "", errors.New(`a text or {"b64": …} is expected`)
	}
	decoded, err := base64.StdEncoding.DecodeString(*coded.B64)
	return string(decoded), err
}

// textOr reads a text field, or gives a default where it is missing.
func (q question) textOr(key, otherwise string) (string, error) {
	if !q.has(key) {
		return otherwise, nil
	}
	return q.text(key)
}

func (q question) into(key string, value any) error {
	raw, ok := q[key]
	if !ok {
		return fmt.Errorf("field %q is missing", key)
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return fmt.Errorf("field %q: %w", key, err)
	}
	return nil
}

func (q question) zone() (*time.Location, error) {
	name, err := q.textOr("zone", "UTC")
	if err != nil {
		return nil, err
	}
	return loadZone(name)
}

// instant reads a moment written as RFC 3339 with nanoseconds.
func (q question) instant(key string) (time.Time, error) {
	text, err := q.text(key)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, text)
}

// appendWireText writes a text: a string, or {"b64": …} when it is not UTF-8.
func appendWireText(out []byte, text string) []byte {
	if utf8.ValidString(text) {
		return appendText(out, text)
	}
	out = appendText(append(out, `{"b64":`...), base64.StdEncoding.EncodeToString([]byte(text)))
	return append(out, '}')
}

func (o *object) wire(key, text string) *object { return o.set(key, appendWireText(nil, text)) }

// fault writes an error's text, null for none.
func (o *object) fault(err error) *object {
	if err == nil {
		return o.set("error", []byte("null"))
	}
	return o.wire("error", err.Error())
}

func appendTexts(out []byte, texts []string) []byte {
	out = append(out, '[')
	for i, text := range texts {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendWireText(out, text)
	}
	return append(out, ']')
}

func said(out []byte, err error) (reply, error) { return reply{out: out}, err }

// questions says, for each question, who judges it and how it is answered.
type offered struct {
	by     string
	answer handler
}

func allQuestions() map[string]offered {
	all := make(map[string]offered, len(stdlibQuestions)+len(modelQuestions))
	for name, answer := range stdlibQuestions {
		all[name] = offered{byStdlib, answer}
	}
	for name, answer := range modelQuestions {
		all[name] = offered{byModel, answer}
	}
	return all
}

func hello() []byte {
	list := func(handlers map[string]handler) []byte {
		names := make([]string, 0, len(handlers))
		for name := range handlers {
			names = append(names, name)
		}
		sort.Strings(names)
		return appendTexts(nil, names)
	}
	questions := new(object).set(byStdlib, list(stdlibQuestions)).set(byModel, list(modelQuestions)).done()
	return new(object).text("version", runtime.Version()).text("unicode", unicode.Version).text("goarch", runtime.GOARCH).
		text("model", modelVersion).set("questions", questions).done()
}

// ask is the verb: one answer for each line, in order; what was written is flushed when no whole question waits.
func ask(in io.Reader, out io.Writer) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriterSize(out, 1<<16)
	a, questions := newAsker(), allQuestions()
	for {
		if waiting, _ := reader.Peek(reader.Buffered()); bytes.IndexByte(waiting, '\n') < 0 {
			if err := writer.Flush(); err != nil {
				return err
			}
		}
		line, tooLong, err := readLine(reader)
		if err != nil && len(line) == 0 && !tooLong {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return errors.Join(err, writer.Flush())
		}
		switch {
		case tooLong:
			writeAnswer(writer, nil, "", reply{}, fmt.Errorf("a line is at most %d bytes", lineLimit))
		case len(bytes.TrimSpace(line)) > 0:
			a.answerLine(writer, questions, line)
		}
	}
}

// readLine reads a line; one that is too long is read past and dropped.
func readLine(reader *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		piece, err := reader.ReadSlice('\n')
		if len(line)+len(piece) > lineLimit {
			tooLong = true
			line = nil
		}
		if !tooLong {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// answerLine answers one question. Whatever the line holds, one answer is written and nothing crashes.
func (a *asker) answerLine(out *bufio.Writer, questions map[string]offered, line []byte) {
	if !utf8.Valid(line) {
		writeAnswer(out, nil, "", reply{}, errors.New("the line is not UTF-8"))
		return
	}
	var q question
	if err := json.Unmarshal(line, &q); err != nil || q == nil {
		writeAnswer(out, nil, "", reply{}, errors.New("the line is not a JSON object"))
		return
	}
	var name string
	if err := q.into("q", &name); err != nil {
		writeAnswer(out, q["id"], "", reply{}, err)
		return
	}
	if name == "hello" {
		writeAnswer(out, q["id"], byStdlib, reply{out: hello()}, nil)
		return
	}
	known, ok := questions[name]
	if !ok {
		writeAnswer(out, q["id"], "", reply{}, fmt.Errorf("no question is called %q", name))
		return
	}
	got, err := a.guarded(known.answer, q)
	writeAnswer(out, q["id"], known.by, got, err)
}

// guarded turns a fault of a handler into an answer: a crash that is Go's own is reported by the handlers themselves.
func (a *asker) guarded(answer handler, q question) (got reply, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			got, err = reply{}, fmt.Errorf("the question can't be answered: %v", recovered)
		}
	}()
	return answer(a, q)
}

func writeAnswer(out *bufio.Writer, id json.RawMessage, by string, got reply, err error) {
	if len(id) == 0 {
		id = []byte("null")
	}
	var o object
	o.set("id", id)
	if err != nil {
		o.text("error", err.Error())
	} else {
		o.text("by", by)
		if got.panicked {
			o.text("panic", got.crash)
		}
		if got.out != nil {
			o.set("out", got.out)
		}
	}
	_, _ = out.Write(append(o.done(), '\n'))
}
