package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// caseMaker walks at random over one case of kept images (keepimg.md, Operations).
type caseMaker struct {
	dice   *dice
	turn   *turn
	images []string
	// opening makes the first two steps a request and its usage: without them there is no base to measure from.
	opening bool
	closing bool
	// raised counts relays so that captions differ.
	raised int
}

// generateKeepimg writes a keepimg journal; steps is its number of cases.
func generateKeepimg(out io.Writer, o generateOptions) error {
	d := o.dice()
	w := newJournalWriter(out)
	w.header("keepimg", fmt.Sprintf("%d generated cases, seed %d", o.steps, o.seed))
	w.openList("cases")
	for i := range o.steps {
		raw, err := makeCase(d, i)
		if err != nil {
			return err
		}
		w.item(raw)
	}
	w.closeList()
	return w.close()
}

func makeCase(d *dice, number int) ([]byte, error) {
	c := &caseMaker{dice: d}
	for range d.between(2, 5) {
		c.images = append(c.images, c.image())
	}
	head := keepCase{
		Name:           fmt.Sprintf("cas %d %s", number, cleaned(d.hostile())),
		Window:         pick(d, []int{32768, 32768, 32768, 8192, 4096, 2000, 1000, 400, 320, 170, 160, 159, 100, 10, 9, 1, 131072}),
		KeepTurnImages: "on",
		Thread:         "main",
		Conversation:   pick(d, []string{"c1", "c1", "é", " "}),
		Vision:         true,
	}
	if d.chance(15) {
		c.spoil(&head)
	}
	head.Messages = c.firstMessages()
	var err error
	if c.turn, err = newTurn(head); err != nil {
		return nil, err
	}
	var o object
	o.text("name", head.Name).set("ctx_window", strconv.AppendInt(nil, int64(head.Window), 10)).
		text("keep_turn_images", head.KeepTurnImages).text("thread", head.Thread).text("conversation", head.Conversation).
		set("vision", strconv.AppendBool(nil, head.Vision)).set("messages", messagesJSON(head.Messages))
	steps := []byte{'['}
	c.opening = d.chance(85)
	for i := range d.between(4, 40) {
		if i > 0 {
			steps = append(steps, ',')
		}
		if c.turn.state != nil && c.turn.state.stopped && d.chance(20) {
			// Once stopped, little more can happen.
			c.closing = true
		}
		raw, err := c.step()
		if err != nil {
			return nil, err
		}
		steps = append(steps, raw...)
		if c.closing {
			break
		}
	}
	return o.set("steps", append(steps, ']')).done(), nil
}

// spoil takes away one of the things a state needs, or writes the key another way (keepimg.md, On).
func (c *caseMaker) spoil(head *keepCase) {
	d := c.dice
	switch d.below(4) {
	case 0:
		head.KeepTurnImages = pick(d, []string{"", "off", "0", "non", "enabled", "ON", " oui\t", "1", "\u00a0True\u3000", "y", "yes ", "Oui", "\x1con", "ＯＮ", "on\x00", "true."})
	case 1:
		head.Thread = pick(d, []string{"", "task", "Main", "main ", "plan"})
	case 2:
		head.Conversation = ""
	case 3:
		head.Vision = false
	}
}

func (c *caseMaker) firstMessages() []*message {
	d := c.dice
	messages := []*message{}
	for range d.below(4) {
		messages = append(messages, c.plainMessage())
	}
	if d.chance(35) {
		for range d.between(1, 3) {
			messages = append(messages, c.oldImage())
		}
	}
	return messages
}

// plainMessage is one without an image or a mark.
func (c *caseMaker) plainMessage() *message {
	d := c.dice
	switch d.below(5) {
	case 0:
		call := toolCall{ID: "v" + strconv.Itoa(d.below(9)), Type: "function", Function: toolFunction{
			Name: pick(d, []string{"see_image", "recall", "é"}), Arguments: pick(d, []string{"{}", `{"file":"img.png"}`, "", `{"é":"` + d.word() + `"}`})}}
		m := &message{Role: "assistant", ToolCalls: []toolCall{call}}
		if d.chance(30) {
			m.ToolCalls = append(m.ToolCalls, call)
			m.Content = &content{text: d.sentence(2)}
		}
		return m
	case 1:
		return &message{Role: "tool", Content: &content{text: "[ok] image chargée : " + d.word()}, ToolCallID: "v1"}
	case 2:
		return &message{Role: "user", Content: &content{isParts: true, parts: []part{{Type: "text", Text: d.sentence(3)}, {Type: "text", Text: d.hostile()}}}}
	case 3:
		return &message{Role: "assistant", Content: &content{text: d.hostile()}}
	}
	return &message{Role: "user", Content: &content{text: d.sentence(d.between(1, 12))}}
}

// oldImage is an image kept by a turn before, or one that was not, or one dropped already.
func (c *caseMaker) oldImage() *message {
	d := c.dice
	reference := imageReference + fmt.Sprintf("%032x", d.random.Uint64()) + pick(d, []string{".png", ".jpg", ".gif", ".webp"})
	m := &message{Role: "user", Relay: true, Content: &content{isParts: true}}
	for range d.between(0, 2) {
		m.Content.parts = append(m.Content.parts, part{Type: "text", Text: "Voici la capture demandée : " + d.word()})
	}
	m.Content.parts = append(m.Content.parts, part{Type: "image_url", URL: reference})
	if d.chance(15) {
		m.Content.parts = append(m.Content.parts, part{Type: "text", Text: d.word()})
	}
	switch d.below(12) {
	case 0:
		// A cost is enough, whatever the parts (keepimg.md, Operations, kept).
		m.Content = &content{text: "Voici, sans image : " + d.word()}
		m.Tokens = pick(d, []int{1, 16, 50})
	case 1, 3:
		// Never kept: no cost.
	case 2, 4:
		m.Content = &content{text: "Voici." + lostMarker}
	case 5, 6:
		m.Content.parts[len(m.Content.parts)-1] = part{Type: "image_url", URL: c.image()}
	default:
		m.Tokens = pick(d, []int{1, 15, 16, 50, 70, 300, 1000, 3276})
	}
	return m
}

// image is a data URL of random bytes.
func (c *caseMaker) image() string {
	d := c.dice
	format := pick(d, []string{"png", "png", "jpeg", "gif", "webp"})
	size := pick(d, []int{1, 2, 3, 4, 16, 74, 74, 121, 200, 500})
	return "data:image/" + format + ";base64," + base64.StdEncoding.EncodeToString(d.bytes(size))
}

// badImage is a URL that the store refuses (keepimg.md, Store).
func (c *caseMaker) badImage() string {
	d := c.dice
	good := pick(d, c.images)
	head, coded, _ := strings.Cut(good, ",")
	return pick(d, []string{
		"https://exemple.invalid/a.png", "", "data:image/bmp;base64," + coded, "data:image/svg+xml;base64," + coded, "data:image/jpg;base64," + coded,
		"data:image/PNG;base64," + coded, "DATA:image/png;base64," + coded, "data:image/png;charset=utf-8;base64," + coded, "data:image/png," + coded,
		head + "," + coded[:2] + "\n" + coded[2:], head + "," + coded + "\n", head + ", " + coded, head + "," + coded + "=", head + ",", head + ",====",
		head + ",@@@", head + ",QR==", head + ",QQ", head + ",QQ==QQ==", head + ",__--", head + "," + coded + "\r\n", " " + good, "loki-img:" + strings.Repeat("0", 32) + ".png",
		"loki-img:../../etc/passwd", head + ",QQ=", head + ",QUJD\u200b", "data:image/png;base64", "data:image/png;base64;," + coded, "data:application/png;base64," + coded,
	})
}

// shownImage is the message a tool shows an image with.
func (c *caseMaker) shownImage() *message {
	d := c.dice
	c.raised++
	m := &message{Role: "user", Content: &content{isParts: true}}
	if d.chance(85) {
		m.Content.parts = append(m.Content.parts, part{Type: "text", Text: fmt.Sprintf("Image demandée (%s-%d.png) :", d.word(), c.raised)})
	}
	switch {
	case d.chance(84):
		m.Content.parts = append(m.Content.parts, part{Type: "image_url", URL: pick(d, c.images)})
	case d.chance(70):
		m.Content.parts = append(m.Content.parts, part{Type: "image_url", URL: c.badImage()})
	case d.chance(40):
		m.Content.parts = append(m.Content.parts, part{Type: "image_url", URL: pick(d, c.images)}, part{Type: "image_url", URL: pick(d, c.images)})
	case d.chance(50):
		m.Content = &content{text: "rien à voir"}
	}
	if m.Content.isParts && d.chance(10) {
		m.Content.parts = append(m.Content.parts, part{Type: "text", Text: d.word()})
	}
	return m
}

// step makes one operation, runs it, and writes both.
func (c *caseMaker) step() ([]byte, error) {
	op := c.operation()
	raw := operationJSON(op)
	got, err := c.turn.run(op)
	if err != nil {
		return nil, err
	}
	return new(object).set("step", raw).set("after", afterJSON(got)).done(), nil
}

func (c *caseMaker) operation() keepOp {
	d := c.dice
	onTrial := c.turn.state != nil && len(c.turn.state.trials) > 0
	name := weighed(d, []choice[string]{
		{16, "append"}, {24, "relay"}, {16, "sending"}, {18, "observe"}, {2, "rewritten"}, {7, "publishable"}, {3, "finish"}, {5, "drop"}, {5, "store"},
	})
	// What is on trial is measured more often than not, else no image would ever be kept.
	if onTrial && d.chance(70) {
		name = weighed(d, []choice[string]{{6, "observe"}, {2, "relay"}, {1, "append"}})
		if c.turn.state.requests < c.turn.state.request {
			name = weighed(d, []choice[string]{{6, "sending"}, {2, "relay"}, {1, "append"}})
		}
	}
	if c.opening && c.turn.state != nil {
		name = "sending"
		if c.turn.state.requests > 0 {
			name = "observe"
			c.opening = false
		}
	}
	op := keepOp{Op: name}
	switch name {
	case "append":
		op.Message = c.plainMessage()
		if d.chance(6) {
			op.Message = c.oldImage()
		}
	case "relay":
		op.Message = c.shownImage()
		op.StoreFails = d.chance(4)
		if d.chance(60) {
			from := len(c.turn.messages) - min(d.below(3), len(c.turn.messages))
			if d.chance(5) {
				from = pick(d, []int{0, 1, len(c.turn.messages) + 1, len(c.turn.messages) + 5, 100})
			}
			op.From = &from
		}
	case "observe":
		c.usage(&op)
	case "store":
		op.Message = c.shownImage()
		op.StoreFails = d.chance(10)
		if d.chance(30) {
			op.Note = "rangement"
		}
	}
	return op
}

// usage makes the numbers of a completion; those of a measure stand around its bounds (keepimg.md, observe).
func (c *caseMaker) usage(op *keepOp) {
	d := c.dice
	op.PromptTokens = pick(d, []int{1, 500, 1000, 1331, 2000})
	if d.chance(5) {
		op.PromptTokens = 0
	}
	op.GenTokens = pick(d, []int{0, 1, 5, 20, 50, 400})
	if d.chance(25) {
		op.ReasoningTokens = pick(d, []int{1, 15, 20, 80, 400, 1000})
		op.ReasoningEchoed = d.chance(30)
	}
	if d.chance(6) {
		complete := d.chance(50)
		op.Complete = &complete
	}
	s := c.turn.state
	if s == nil || len(s.trials) == 0 || d.chance(8) {
		return
	}
	other := 0
	if s.from >= 0 && s.from <= s.sent && s.sent <= len(c.turn.messages) {
		for _, m := range c.turn.messages[s.from:s.sent] {
			if !m.Relay {
				other += m.tokens()
			}
		}
	}
	n := len(s.trials)
	left := c.turn.budget() - c.turn.keptTokens()
	cost := pick(d, []int{15 * n, 16*n - 1, 16 * n, 16*n + 1, 17 * n, 40 * n, 300, 1000, left - 1, left, left + 1, left / 2, -5})
	if d.chance(55) && left >= 40*n {
		cost = d.between(40*n, min(left, 400*n))
	}
	op.PromptTokens = max(s.base+other+cost, 0)
}

func messagesJSON(messages []*message) []byte {
	raw := []byte{'['}
	for i, m := range messages {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = append(raw, messageJSON(m)...)
	}
	return append(raw, ']')
}

// messageJSON writes a message without HTML escapes, fields in the order journals have them.
func messageJSON(m *message) []byte {
	var o object
	o.text("role", m.Role)
	if m.Content != nil {
		o.set("content", contentJSON(m.Content))
	}
	if len(m.ToolCalls) > 0 {
		calls := []byte{'['}
		for i, call := range m.ToolCalls {
			if i > 0 {
				calls = append(calls, ',')
			}
			function := new(object).text("name", call.Function.Name).text("arguments", call.Function.Arguments).done()
			calls = append(calls, new(object).text("id", call.ID).text("type", call.Type).set("function", function).done()...)
		}
		o.set("tool_calls", append(calls, ']'))
	}
	if m.ToolCallID != "" {
		o.text("tool_call_id", m.ToolCallID)
	}
	if m.Relay {
		o.set("img_relay", []byte("true"))
	}
	if m.Tokens != 0 {
		o.set("img_tokens", strconv.AppendInt(nil, int64(m.Tokens), 10))
	}
	return o.done()
}

func contentJSON(c *content) []byte {
	if !c.isParts {
		return appendText(nil, c.text)
	}
	raw := []byte{'['}
	for i, p := range c.parts {
		if i > 0 {
			raw = append(raw, ',')
		}
		var o object
		if p.isImage() {
			o.set("image_url", new(object).text("url", p.URL).done())
		} else {
			o.text("text", p.Text)
		}
		raw = append(raw, o.text("type", p.Type).done()...)
	}
	return append(raw, ']')
}

// operationJSON writes a step's operation; what is at its default is left out.
func operationJSON(op keepOp) []byte {
	var o object
	o.text("op", op.Op)
	if op.Note != "" {
		o.text("note", op.Note)
	}
	if op.Message != nil {
		o.set("message", messageJSON(op.Message))
	}
	integer := func(key string, value int) {
		if value != 0 {
			o.set(key, strconv.AppendInt(nil, int64(value), 10))
		}
	}
	if op.From != nil {
		o.set("from", strconv.AppendInt(nil, int64(*op.From), 10))
	}
	if op.StoreFails {
		o.set("store_fails", []byte("true"))
	}
	if op.Complete != nil {
		o.set("complete", strconv.AppendBool(nil, *op.Complete))
	}
	integer("prompt_tokens", op.PromptTokens)
	integer("gen_tokens", op.GenTokens)
	integer("reasoning_tokens", op.ReasoningTokens)
	if op.ReasoningEchoed {
		o.set("reasoning_echoed", []byte("true"))
	}
	return o.done()
}

// afterJSON writes what can be seen after an operation.
func afterJSON(after keepAfter) []byte {
	var o object
	boolean := func(key string, value *bool) {
		if value != nil {
			o.set(key, strconv.AppendBool(nil, *value))
		}
	}
	integer := func(key string, value *int) {
		if value != nil {
			o.set(key, strconv.AppendInt(nil, int64(*value), 10))
		}
	}
	boolean("active", &after.Active)
	integer("budget", &after.Budget)
	o.set("extra", messagesJSON(after.Extra))
	integer("freed", after.Freed)
	integer("kept_tokens", &after.KeptTokens)
	if after.Message != nil {
		o.set("message", messageJSON(after.Message))
	}
	o.set("messages", messagesJSON(after.Messages))
	integer("on_trial", after.OnTrial)
	if after.Published != nil {
		o.set("published", messagesJSON(*after.Published))
	}
	integer("requests", after.Requests)
	boolean("stopped", after.Stopped)
	boolean("stored", after.Stored)
	integer("weight", after.Weight)
	return o.done()
}
