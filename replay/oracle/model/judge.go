package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"sort"
)

// A judgement replays a journal and collects what differs from the recording (journal.md, Replay).
type judgement struct {
	out         io.Writer
	differences int
	printed     int
	bound       int // differences printed
}

func (v *judgement) differs(place, field, recorded, got string) {
	v.differences++
	if v.printed >= v.bound {
		return
	}
	v.printed++
	fmt.Fprintf(v.out, "%s %s:\n  recorded %.600q\n  model    %.600q\n", place, field, recorded, got)
}

const (
	isolated = "isolated"
	chained  = "chained"
)

// judgeFiles is the verb: 0 all match, 1 something differs, 2 bad input.
func judgeFiles(paths []string, out io.Writer, bound int) int {
	exit := 0
	for _, path := range paths {
		j, err := readJournal(path)
		if err != nil {
			fmt.Fprintf(out, "%s: %v\n", filepath.Base(path), err)
			exit = 2
			continue
		}
		for _, mode := range []string{isolated, chained} {
			v := &judgement{out: out, bound: bound}
			count, err := v.judge(j, mode)
			if err != nil {
				fmt.Fprintf(out, "%s: %v\n", filepath.Base(path), err)
				exit = 2
				break
			}
			fmt.Fprintf(out, "%s: %s, %s: %d steps, %d differences\n", filepath.Base(path), j.Kind, mode, count, v.differences)
			if v.differences > 0 && exit == 0 {
				exit = 1
			}
		}
	}
	return exit
}

func (v *judgement) judge(j *journal, mode string) (int, error) {
	switch j.Kind {
	case "recall":
		return v.judgeRecall(j, mode)
	case "memory":
		return v.judgeMemory(j, mode)
	case "keepimg":
		return v.judgeKeepimg(j, mode)
	}
	return 0, fmt.Errorf("unknown kind %q", j.Kind)
}

func (v *judgement) judgeRecall(j *journal, mode string) (int, error) {
	blocks := newArchive(j.Blocks)
	for i, raw := range j.Steps {
		s, err := readStep(raw)
		if err != nil {
			return i, fmt.Errorf("steps[%d]: %w", i, err)
		}
		got, err := blocks.call(s.Tool, decodeArguments(s.Args))
		if err != nil {
			return i, fmt.Errorf("steps[%d]: %w", i, err)
		}
		v.compareAnswer(fmt.Sprintf("%s steps[%d] %s", mode, i, s.Tool), s, got, nil)
	}
	return len(j.Steps), nil
}

func (v *judgement) judgeMemory(j *journal, mode string) (int, error) {
	m, err := j.newMemory()
	if err != nil {
		return 0, err
	}
	for i, raw := range j.Steps {
		s, err := readStep(raw)
		if err != nil {
			return i, fmt.Errorf("steps[%d]: %w", i, err)
		}
		if err := m.setClock(s); err != nil {
			return i, fmt.Errorf("steps[%d]: %w", i, err)
		}
		before := m.snapshot()
		got, err := m.call(s.Tool, decodeArguments(s.Args))
		if err != nil {
			return i, fmt.Errorf("steps[%d]: %w", i, err)
		}
		place := fmt.Sprintf("%s steps[%d] %s", mode, i, s.Tool)
		v.compareAnswer(place, s, got, before)
		v.compareState(place, s, m)
		if mode == isolated {
			m.restore(s.Files, s.Trackers)
		}
	}
	return len(j.Steps), nil
}

// compareAnswer compares result or panic, label and diff. before is the memory the step started from, nil where
// there is none: the order among equal trackers is free (journal.md).
func (v *judgement) compareAnswer(place string, s step, got answer, before *memory) {
	switch {
	case s.Panic != nil && !got.panicked:
		v.differs(place, "panic", *s.Panic, "no panic: "+got.result)
	case s.Panic != nil && *s.Panic != got.crash:
		v.differs(place, "panic", *s.Panic, got.crash)
	case s.Panic == nil && got.panicked:
		v.differs(place, "panic", "none", got.crash)
	case s.Result != nil && !got.panicked && cleaned(got.result) != *s.Result:
		if s.Tool != "tracker" || before == nil || !before.sameOverview(*s.Result) ||
			!before.sameOverview(cleaned(got.result)) {
			v.differs(place, "result", *s.Result, cleaned(got.result))
		}
	}
	if s.Label != nil && cleaned(got.label) != *s.Label {
		v.differs(place, "label", *s.Label, cleaned(got.label))
	}
	if got.panicked && s.Diff == nil {
		return
	}
	var recorded []diffEntry
	if s.Diff != nil {
		recorded = *s.Diff
	}
	var shown []diffEntry
	for _, entry := range got.diff {
		shown = append(shown, diffEntry{entry.Op, cleaned(entry.Text)})
	}
	if len(recorded) != len(shown) || len(shown) > 0 && !reflect.DeepEqual(recorded, shown) {
		v.differs(place, "diff", asJSON(recorded), asJSON(shown))
	}
}

// compareState compares every file and every tracker with what was recorded.
func (v *judgement) compareState(place string, s step, m *memory) {
	if s.Files != nil {
		v.compareFiles(place, *s.Files, m)
	}
	if s.Trackers == nil {
		return
	}
	for _, key := range unionOfKeys(*s.Trackers, m.trackers) {
		recorded, hasRecorded := (*s.Trackers)[key]
		got, hasGot := m.trackers[key]
		if hasRecorded != hasGot || trackerText(recorded) != trackerText(got) {
			v.differs(place, fmt.Sprintf("trackers[%q]", key), presence(hasRecorded, trackerText(recorded)), presence(hasGot, trackerText(got)))
		}
	}
}

func (v *judgement) compareFiles(place string, recorded map[string]fileContent, m *memory) {
	for _, name := range unionOfKeys(recorded, m.files) {
		wanted, hasWanted := recorded[name]
		got, hasGot := m.files[name]
		if hasWanted && hasGot && sameFile(m.settings, wanted, got) {
			continue
		}
		if hasWanted || hasGot {
			v.differs(place, fmt.Sprintf("files[%q]", name), presence(hasWanted, string(wanted)), presence(hasGot, string(got)))
		}
	}
}

// sameFile compares two files. Nonces are never compared: sealed files are compared open, and whether a file is
// sealed is compared too (journal.md, What is nondeterministic is an input).
func sameFile(s settings, wanted, got []byte) bool {
	if isSealed(wanted) != isSealed(got) {
		return false
	}
	if isSealed(wanted) && s.judgeKey != nil {
		a, errA := openBytes(s.judgeKey, wanted)
		b, errB := openBytes(s.judgeKey, got)
		if errA == nil && errB == nil {
			return bytes.Equal(a, b)
		}
	}
	return bytes.Equal(wanted, got)
}

func unionOfKeys[A, B any](a map[string]A, b map[string]B) []string {
	all := make(map[string]bool, len(a)+len(b))
	for key := range a {
		all[key] = true
	}
	for key := range b {
		all[key] = true
	}
	keys := make([]string, 0, len(all))
	for key := range all {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

func presence(there bool, text string) string {
	if !there {
		return "(absent)"
	}
	return text
}

// trackerText is a tracker written out; events null and none are the same.
func trackerText(t tracker) string {
	if t.Events == nil {
		t.Events = []event{}
	}
	return asJSON(t)
}

func asJSON(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func (v *judgement) judgeKeepimg(j *journal, mode string) (int, error) {
	count := 0
	for i, c := range j.Cases {
		t, err := newTurn(c)
		if err != nil {
			return count, fmt.Errorf("cases[%d]: %w", i, err)
		}
		for k, raw := range c.Steps {
			place := fmt.Sprintf("%s cases[%d].steps[%d]", mode, i, k)
			var recorded struct {
				Step  keepOp          `json:"step"`
				After json.RawMessage `json:"after"`
			}
			if err := json.Unmarshal(raw, &recorded); err != nil {
				return count, fmt.Errorf("%s: %w", place, err)
			}
			got, err := t.run(recorded.Step)
			if err != nil {
				return count, fmt.Errorf("%s: %w", place, err)
			}
			if err := v.compareAfter(place+" "+recorded.Step.Op, recorded.After, got); err != nil {
				return count, fmt.Errorf("%s: %w", place, err)
			}
			if mode == isolated {
				if err := t.restoreVisible(recorded.After); err != nil {
					return count, fmt.Errorf("%s: %w", place, err)
				}
			}
			count++
		}
	}
	return count, nil
}

func (v *judgement) compareAfter(place string, recorded json.RawMessage, got keepAfter) error {
	var wanted, shown map[string]any
	if err := decodeExactly(recorded, &wanted); err != nil {
		return err
	}
	if err := decodeExactly([]byte(asJSON(got)), &shown); err != nil {
		return err
	}
	for _, key := range unionOfKeys(wanted, shown) {
		a, hasA := wanted[key]
		b, hasB := shown[key]
		if hasA != hasB || !reflect.DeepEqual(a, b) {
			v.differs(place, key, presence(hasA, asJSON(a)), presence(hasB, asJSON(b)))
		}
	}
	return nil
}

// decodeExactly keeps numbers as they are written.
func decodeExactly(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// restoreVisible puts what was recorded after a step in place of the turn's own lists (journal.md, Replay).
// Where both agree nothing moves.
func (t *turn) restoreVisible(raw json.RawMessage) error {
	var recorded keepAfter
	if err := json.Unmarshal(raw, &recorded); err != nil {
		return err
	}
	if err := errors.Join(checked(recorded.Messages), checked(recorded.Extra)); err != nil {
		return err
	}
	if asJSON(recorded.Messages) != asJSON(listed(t.messages)) || asJSON(recorded.Extra) != asJSON(listed(t.extra)) {
		t.messages = recorded.Messages
		t.extra = linked(recorded.Extra, recorded.Messages)
		if t.state != nil && recorded.OnTrial != nil {
			if err := t.relinkTrials(*recorded.OnTrial); err != nil {
				return err
			}
		}
	}
	if s := t.state; s != nil && recorded.Requests != nil && recorded.Stopped != nil {
		s.requests, s.stopped = *recorded.Requests, *recorded.Stopped
	}
	return nil
}

// linked makes extra hold the same messages as the other list wherever they read the same.
func linked(extra, messages []*message) []*message {
	last := len(messages)
	out := make([]*message, len(extra))
	for i := len(extra) - 1; i >= 0; i-- {
		out[i] = extra[i]
		for k := last - 1; k >= 0; k-- {
			if messages[k].String() == extra[i].String() {
				out[i], last = messages[k], k
				break
			}
		}
	}
	return out
}

// relinkTrials finds the messages on trial again: the last ones of extra.
func (t *turn) relinkTrials(n int) error {
	if n > len(t.extra) {
		return errors.New("more images on trial than messages in extra")
	}
	weights := t.state.trials
	t.state.trials = nil
	var candidates []*message
	for _, m := range t.extra {
		if m.Relay && !m.kept() && m.images() > 0 {
			candidates = append(candidates, m)
		}
	}
	if n > len(candidates) {
		return errors.New("more images on trial than marked messages in extra")
	}
	for i, m := range candidates[len(candidates)-n:] {
		weight := 1
		if i < len(weights) {
			weight = weights[i].weight
		}
		t.state.trials = append(t.state.trials, trial{m, weight})
	}
	return nil
}
