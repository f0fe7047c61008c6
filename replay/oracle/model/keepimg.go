package main

import (
	"encoding/json"
	"fmt"
)

const (
	defaultWindow  = 32768 // tokens
	budgetPercent  = 10
	minImageTokens = 16
)

// trial is an image shown by the next request, whose cost is not known yet. The message is the one that stands
// in messages and in extra.
type trial struct {
	message *message
	weight  int
}

// keepState is a turn's state (keepimg.md, On).
type keepState struct {
	stopped  bool
	requests int
	sent     int // messages in the last request
	after    int // context after the last completion, 0 unknown
	trials   []trial
	// noted by the first image on trial:
	request int
	base    int
	from    int
}

// turn is one case of a keepimg journal: the lists, and a state when images can be kept.
type turn struct {
	window   int
	messages []*message
	extra    []*message
	state    *keepState
	images   imageStore
}

// keepCase is a case as a journal writes it (journal.md, Shape).
type keepCase struct {
	Name           string            `json:"name"`
	Window         int               `json:"ctx_window"`
	KeepTurnImages string            `json:"keep_turn_images"`
	Thread         string            `json:"thread"`
	Conversation   string            `json:"conversation"`
	Vision         bool              `json:"vision"`
	Messages       []*message        `json:"messages"`
	Steps          []json.RawMessage `json:"steps"`
}

// checked refuses a list that holds something else than messages.
func checked(messages []*message) error {
	for i, m := range messages {
		if m == nil {
			return fmt.Errorf("messages[%d] is null", i)
		}
	}
	return nil
}

func newTurn(c keepCase) (*turn, error) {
	if err := checked(c.Messages); err != nil {
		return nil, err
	}
	t := &turn{window: c.Window, messages: c.Messages, images: imageStore{}}
	if t.window <= 0 {
		t.window = defaultWindow
	}
	// keepimg.md, On: config, main thread, a conversation, vision.
	if isOn(c.KeepTurnImages) && c.Thread == "main" && c.Conversation != "" && c.Vision {
		t.state = &keepState{}
	}
	return t, nil
}

func (t *turn) budget() int { return t.window * budgetPercent / 100 }

func (t *turn) keptTokens() int {
	total := 0
	for _, m := range t.messages {
		if m.kept() {
			total += m.Tokens
		}
	}
	return total
}

// keepOp is a step's operation (journal.md, keepimg steps).
type keepOp struct {
	Op              string   `json:"op"`
	Note            string   `json:"note,omitempty"`
	Message         *message `json:"message,omitempty"`
	From            *int     `json:"from,omitempty"`
	StoreFails      bool     `json:"store_fails,omitempty"`
	Complete        *bool    `json:"complete,omitempty"`
	PromptTokens    int      `json:"prompt_tokens,omitempty"`
	GenTokens       int      `json:"gen_tokens,omitempty"`
	ReasoningTokens int      `json:"reasoning_tokens,omitempty"`
	ReasoningEchoed bool     `json:"reasoning_echoed,omitempty"`
}

// keepAfter is what can be seen after an operation (journal.md, keepimg steps). Keys in alphabetical order, as
// journals have them.
type keepAfter struct {
	Active     bool        `json:"active"`
	Budget     int         `json:"budget"`
	Extra      []*message  `json:"extra"`
	Freed      *int        `json:"freed,omitempty"`
	KeptTokens int         `json:"kept_tokens"`
	Message    *message    `json:"message,omitempty"`
	Messages   []*message  `json:"messages"`
	OnTrial    *int        `json:"on_trial,omitempty"`
	Published  *[]*message `json:"published,omitempty"`
	Requests   *int        `json:"requests,omitempty"`
	Stopped    *bool       `json:"stopped,omitempty"`
	Stored     *bool       `json:"stored,omitempty"`
	Weight     *int        `json:"weight,omitempty"`
}

// run does one operation.
func (t *turn) run(op keepOp) (keepAfter, error) {
	var shown keepAfter
	needsMessage := op.Op == "append" || op.Op == "relay" || op.Op == "store"
	if needsMessage && op.Message == nil {
		return shown, fmt.Errorf("operation %q without a message", op.Op)
	}
	switch op.Op {
	case "append":
		t.messages = append(t.messages, op.Message)
		t.extra = append(t.extra, op.Message)
	case "relay":
		from := len(t.messages)
		if op.From != nil {
			from = *op.From
		}
		t.relay(op.Message, from, op.StoreFails)
	case "sending":
		t.sending()
	case "observe":
		t.observe(op)
	case "rewritten":
		t.rewritten()
	case "publishable":
		published := t.publishable()
		shown.Published = &published
	case "finish":
		t.finish()
	case "drop":
		freed := t.drop()
		shown.Freed = &freed
	case "store":
		stored, weight, ok := t.images.store(op.Message, op.StoreFails)
		shown.Message, shown.Weight, shown.Stored = stored, &weight, &ok
	default:
		return shown, fmt.Errorf("unknown operation %q", op.Op)
	}
	t.show(&shown)
	return shown, nil
}

func (t *turn) show(shown *keepAfter) {
	shown.Active = t.state != nil
	shown.Budget = t.budget()
	shown.KeptTokens = t.keptTokens()
	shown.Messages = listed(t.messages)
	shown.Extra = listed(t.extra)
	if s := t.state; s != nil {
		onTrial, requests, stopped := len(s.trials), s.requests, s.stopped
		shown.OnTrial, shown.Requests, shown.Stopped = &onTrial, &requests, &stopped
	}
}

// listed never gives nil: an empty list is written [].
func listed(messages []*message) []*message {
	if messages == nil {
		return []*message{}
	}
	return messages
}

// relay shows an image to the model (keepimg.md, relay).
func (t *turn) relay(m *message, from int, storeFails bool) {
	s := t.state
	if s == nil {
		t.messages = append(t.messages, m)
		return
	}
	marked := *m
	marked.Relay = true
	if s.stopped {
		t.messages = append(t.messages, &marked)
		return
	}
	var stored *message
	weight, ok := 0, false
	if t.keptTokens() < t.budget() {
		stored, weight, ok = t.images.store(&marked, storeFails)
	}
	if !ok {
		s.stopped = true
		t.messages = append(t.messages, &marked)
		return
	}
	if len(s.trials) == 0 {
		s.request, s.base, s.from = s.requests+1, s.after, from
	}
	s.trials = append(s.trials, trial{stored, weight})
	t.messages = append(t.messages, stored)
	t.extra = append(t.extra, stored)
}

// sending notes one more request (keepimg.md, sending).
func (t *turn) sending() {
	if t.state == nil {
		return
	}
	t.state.requests++
	t.state.sent = len(t.messages)
}

// contextAfter is the context once a completion is in (keepimg.md, Context after a completion; observe).
func contextAfter(op keepOp) int {
	complete := op.Complete == nil || *op.Complete
	if !complete || op.PromptTokens == 0 {
		return 0
	}
	after := op.PromptTokens + op.GenTokens
	if !op.ReasoningEchoed {
		after -= min(op.GenTokens, op.ReasoningTokens)
	}
	return after
}

// observe measures what is on trial, from a completion's usage (keepimg.md, observe).
func (t *turn) observe(op keepOp) {
	s := t.state
	if s == nil {
		return
	}
	after := contextAfter(op)
	if len(s.trials) > 0 {
		if shares, ok := t.measure(op.PromptTokens, after); ok {
			for i, share := range shares {
				s.trials[i].message.Tokens = share
			}
		} else {
			t.withdrawTrials()
			s.stopped = true
		}
		s.trials = nil
	}
	s.after = after
}

// measure gives the cost of each image on trial; false when it can't be known or does not fit
// (keepimg.md, observe, Measure).
func (t *turn) measure(prompt, after int) ([]int, bool) {
	s := t.state
	if after <= 0 || s.base <= 0 || s.requests != s.request {
		return nil, false
	}
	if s.from < 0 || s.from > s.sent || s.sent > len(t.messages) {
		return nil, false
	}
	cost := prompt - s.base
	for _, m := range t.messages[s.from:s.sent] {
		if !m.Relay {
			cost -= m.tokens()
		}
	}
	if cost < minImageTokens*len(s.trials) || t.keptTokens()+cost > t.budget() {
		return nil, false
	}
	total := 0
	for _, image := range s.trials {
		total += image.weight
	}
	shares := make([]int, len(s.trials))
	left := cost
	for i, image := range s.trials {
		share := left
		if i < len(s.trials)-1 {
			share = cost * image.weight / total
		}
		if share < minImageTokens {
			return nil, false
		}
		shares[i] = share
		left -= share
	}
	return shares, true
}

// withdrawTrials takes what is on trial out of extra.
func (t *turn) withdrawTrials() {
	onTrial := make(map[*message]bool, len(t.state.trials))
	for _, image := range t.state.trials {
		onTrial[image.message] = true
	}
	var kept []*message
	for _, m := range t.extra {
		if !onTrial[m] {
			kept = append(kept, m)
		}
	}
	t.extra = kept
}

// rewritten: the history was rewritten within the turn (keepimg.md, rewritten).
func (t *turn) rewritten() {
	t.extra = nil
	if s := t.state; s != nil && len(s.trials) > 0 {
		s.stopped = true
		s.trials = nil
	}
}

// publishable is what may leave the turn (keepimg.md, publishable). Without a state the list is as it is.
func (t *turn) publishable() []*message {
	if t.state == nil {
		return listed(t.messages)
	}
	published := []*message{}
	for _, m := range t.messages {
		if m.Relay && !m.kept() && m.images() > 0 {
			continue
		}
		published = append(published, m)
	}
	return published
}

// finish ends the turn: what is on trial leaves extra (keepimg.md, finish).
func (t *turn) finish() {
	s := t.state
	if s == nil || len(s.trials) == 0 {
		return
	}
	t.withdrawTrials()
	s.trials = nil
	s.stopped = true
}

// drop takes the kept images out of the messages and says how many tokens that frees (keepimg.md, drop).
func (t *turn) drop() int {
	freed := t.keptTokens()
	if freed == 0 {
		return 0
	}
	replaced := make([]*message, len(t.messages))
	for i, m := range t.messages {
		replaced[i] = m
		if m.kept() {
			replaced[i] = m.withoutImage()
		}
	}
	t.messages = replaced
	return freed
}
