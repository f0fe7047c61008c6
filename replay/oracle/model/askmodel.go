package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// modelQuestions are answered by this program's reading of the contract.
var modelQuestions = map[string]handler{
	"slug":           textToText(slug),
	"title":          textToText(title),
	"block_snippet":  textToText(blockSnippet),
	"level":          askLevel,
	"page_name":      askPageName,
	"keywords":       askList(keywords),
	"terms":          askList(terms),
	"when":           askWhen,
	"label":          askLabel,
	"line_diff":      askLineDiff,
	"block_score":    askBlockScore,
	"page_snippet":   askPageSnippet,
	"archive":        askArchive,
	"forget_archive": askForgetArchive,
	"recall":         askArchiveTool("recall"),
	"recall_search":  askArchiveTool("recall_search"),
	"reset":          askReset,
	"restore":        askRestore,
	"set_clock":      askSetClock,
	"exec":           askExec,
	"state":          askState,
	"close":          askClose,
}

func askList(f func(string) []string) handler {
	return func(_ *asker, q question) (reply, error) {
		s, err := q.text("s")
		return said(appendTexts(nil, f(s)), err)
	}
}

func askLevel(_ *asker, q question) (reply, error) {
	s, err := q.text("s")
	return said(strconv.AppendInt(nil, int64(level(strings.TrimSpace(s))), 10), err)
}

func askPageName(_ *asker, q question) (reply, error) {
	s, err := q.text("s")
	if err != nil {
		return reply{}, err
	}
	name, err := normalName(s)
	return said(new(object).wire("name", name).fault(err).done(), nil)
}

func askWhen(_ *asker, q question) (reply, error) {
	s, err := q.text("s")
	if err != nil {
		return reply{}, err
	}
	zone, err := q.zone()
	if err != nil {
		return reply{}, err
	}
	now, err := q.instant("now")
	if err != nil {
		return reply{}, err
	}
	at, dateOnly, err := parseWhen(s, now, zone)
	if err != nil {
		return said(new(object).fault(err).done(), nil)
	}
	out := new(object).set("ts", strconv.AppendInt(nil, at.UnixMilli(), 10)).set("date_only", strconv.AppendBool(nil, dateOnly))
	return said(out.fault(nil).done(), nil)
}

// rawArgs reads args: a text that holds raw JSON, so that traps survive on the way.
func (q question) rawArgs() (arguments, error) {
	text, err := q.textOr("args", "{}")
	return decodeArguments([]byte(text)), err
}

func askLabel(_ *asker, q question) (reply, error) {
	tool, err := q.text("tool")
	if err != nil {
		return reply{}, err
	}
	args, err := q.rawArgs()
	return said(appendWireText(nil, label(tool, args)), err)
}

func askLineDiff(_ *asker, q question) (reply, error) {
	before, err := q.text("old")
	if err != nil {
		return reply{}, err
	}
	after, err := q.text("new")
	return said(wireDiff(lineDiff(before, after)), err)
}

func wireDiff(entries []diffEntry) []byte {
	raw := []byte{'['}
	for i, entry := range entries {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = append(raw, new(object).text("op", entry.Op).wire("text", entry.Text).done()...)
	}
	return append(raw, ']')
}

func askBlockScore(_ *asker, q question) (reply, error) {
	query, err := q.text("query")
	if err != nil {
		return reply{}, err
	}
	blockLabel, err := q.text("label")
	if err != nil {
		return reply{}, err
	}
	content, err := q.text("content")
	score := blockScore(keywords(query), strings.ToLower(blockLabel), strings.ToLower(content))
	return said(strconv.AppendInt(nil, int64(score), 10), err)
}

func askPageSnippet(_ *asker, q question) (reply, error) {
	query, err := q.text("query")
	if err != nil {
		return reply{}, err
	}
	content, err := q.text("content")
	if err != nil {
		return reply{}, err
	}
	snippet, crash, panicked := crashing(func() string { return pageSnippet(content, terms(query)) })
	if panicked {
		return reply{panicked: true, crash: crash}, nil
	}
	return said(appendWireText(nil, snippet), nil)
}

// askArchive registers blocks under a name, once for many searches.
func askArchive(a *asker, q question) (reply, error) {
	name, err := q.text("archive")
	if err != nil {
		return reply{}, err
	}
	var blocks []block
	if err := q.into("blocks", &blocks); err != nil {
		return reply{}, err
	}
	if _, known := a.archives[name]; !known && len(a.archives) >= registeredLimit {
		return reply{}, fmt.Errorf("at most %d archives", registeredLimit)
	}
	a.archives[name] = newArchive(blocks)
	return said(strconv.AppendInt(nil, int64(len(blocks)), 10), nil)
}

func askForgetArchive(a *asker, q question) (reply, error) {
	name, err := q.text("archive")
	if err != nil {
		return reply{}, err
	}
	delete(a.archives, name)
	return said([]byte("true"), nil)
}

func askArchiveTool(tool string) handler {
	return func(a *asker, q question) (reply, error) {
		name, err := q.text("archive")
		if err != nil {
			return reply{}, err
		}
		blocks, ok := a.archives[name]
		if !ok {
			return reply{}, fmt.Errorf("no archive is called %q", name)
		}
		args, err := q.rawArgs()
		if err != nil {
			return reply{}, err
		}
		got, err := blocks.call(tool, args)
		return said(appendWireText(nil, got.result), err)
	}
}

// session is a candidate's state: one of an archive, a memory, a turn.
type session struct {
	archive *archive
	memory  *memory
	turn    *turn
}

func (a *asker) session(q question) (*session, error) {
	name, err := q.textOr("session", "")
	if err != nil {
		return nil, err
	}
	s, ok := a.sessions[name]
	if !ok {
		return nil, fmt.Errorf("no session is called %q", name)
	}
	return s, nil
}

// askReset makes a session anew from a journal's own head: kind, blocks, project, clock, config, dek, locked,
// initial, or case.
func askReset(a *asker, q question) (reply, error) {
	name, err := q.textOr("session", "")
	if err != nil {
		return reply{}, err
	}
	s, err := a.newSession(q)
	if err != nil {
		return reply{}, err
	}
	if _, known := a.sessions[name]; !known && len(a.sessions) >= registeredLimit {
		return reply{}, fmt.Errorf("at most %d sessions", registeredLimit)
	}
	a.sessions[name] = s
	return said([]byte("true"), nil)
}

func (a *asker) newSession(q question) (*session, error) {
	kind, err := q.text("kind")
	if err != nil {
		return nil, err
	}
	switch kind {
	case "recall":
		if !q.has("archive") {
			var blocks []block
			err := q.into("blocks", &blocks)
			return &session{archive: newArchive(blocks)}, err
		}
		name, err := q.text("archive")
		if err != nil {
			return nil, err
		}
		if a.archives[name] == nil {
			return nil, fmt.Errorf("no archive is called %q", name)
		}
		return &session{archive: a.archives[name]}, nil
	case "memory":
		m, err := memoryFrom(q)
		return &session{memory: m}, err
	case "keepimg":
		var c keepCase
		if err := q.into("case", &c); err != nil {
			return nil, err
		}
		t, err := newTurn(c)
		return &session{turn: t}, err
	}
	return nil, fmt.Errorf("no kind is called %q", kind)
}

func memoryFrom(q question) (*memory, error) {
	head := map[string]json.RawMessage{}
	for _, key := range []string{"project", "clock", "config", "dek", "locked", "initial"} {
		if raw, ok := q[key]; ok {
			head[key] = raw
		}
	}
	raw, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	var j journal
	if err := json.Unmarshal(raw, &j); err != nil {
		return nil, err
	}
	m, err := j.newMemory()
	if err != nil {
		return nil, err
	}
	return m, m.clockFrom(q)
}

func (m *memory) clockFrom(q question) error {
	if !q.has("now") {
		return nil
	}
	now, err := q.instant("now")
	if err != nil {
		return err
	}
	m.now = now
	return nil
}

// askRestore puts a recorded state in the session's place: files and trackers, or after.
func askRestore(a *asker, q question) (reply, error) {
	s, err := a.session(q)
	if err != nil {
		return reply{}, err
	}
	switch {
	case s.memory != nil:
		var state struct {
			files    *map[string]fileContent
			trackers *map[string]tracker
		}
		if q.has("files") {
			if err := q.into("files", &state.files); err != nil {
				return reply{}, err
			}
		}
		if q.has("trackers") {
			if err := q.into("trackers", &state.trackers); err != nil {
				return reply{}, err
			}
		}
		s.memory.restore(state.files, state.trackers)
	case s.turn != nil:
		if !q.has("after") {
			return reply{}, errors.New(`field "after" is missing`)
		}
		if err := s.turn.restoreVisible(q["after"]); err != nil {
			return reply{}, err
		}
	}
	return said([]byte("true"), nil)
}

func askSetClock(a *asker, q question) (reply, error) {
	s, err := a.session(q)
	if err != nil {
		return reply{}, err
	}
	if s.memory == nil {
		return reply{}, errors.New("only a memory has a clock")
	}
	if !q.has("now") {
		return reply{}, errors.New(`field "now" is missing`)
	}
	return said([]byte("true"), s.memory.clockFrom(q))
}

// askExec runs one call; state false leaves files and trackers out of the answer.
func askExec(a *asker, q question) (reply, error) {
	s, err := a.session(q)
	if err != nil {
		return reply{}, err
	}
	if s.turn != nil {
		return s.execOperation(q)
	}
	tool, err := q.text("tool")
	if err != nil {
		return reply{}, err
	}
	args, err := q.rawArgs()
	if err != nil {
		return reply{}, err
	}
	var got answer
	if s.archive != nil {
		got, err = s.archive.call(tool, args)
	} else {
		if err := s.memory.clockFrom(q); err != nil {
			return reply{}, err
		}
		got, err = s.memory.call(tool, args)
	}
	if err != nil {
		return reply{}, err
	}
	var out object
	if !got.panicked {
		out.wire("result", got.result)
	}
	out.wire("label", got.label).set("diff", wireDiff(got.diff))
	withState := true
	if q.has("state") {
		if err := q.into("state", &withState); err != nil {
			return reply{}, err
		}
	}
	if s.memory != nil && withState {
		s.memory.stateInto(&out)
	}
	return reply{out: out.done(), panicked: got.panicked, crash: got.crash}, nil
}

func (s *session) execOperation(q question) (reply, error) {
	var op keepOp
	if err := q.into("step", &op); err != nil {
		return reply{}, err
	}
	got, err := s.turn.run(op)
	return said(afterJSON(got), err)
}

func (m *memory) stateInto(out *object) {
	out.set("files", filesJSON(m.files)).set("trackers", trackersJSON(m.trackers))
}

func askState(a *asker, q question) (reply, error) {
	s, err := a.session(q)
	if err != nil {
		return reply{}, err
	}
	var out object
	switch {
	case s.memory != nil:
		s.memory.stateInto(&out)
	case s.turn != nil:
		var after keepAfter
		s.turn.show(&after)
		return said(afterJSON(after), nil)
	}
	return said(out.done(), nil)
}

func askClose(a *asker, q question) (reply, error) {
	name, err := q.textOr("session", "")
	if err != nil {
		return reply{}, err
	}
	delete(a.sessions, name)
	return said([]byte("true"), nil)
}
