package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// lostMarker stands where an image was (keepimg.md, head; the space at its start is part of it).
const lostMarker = " [image — not kept past this point in the conversation once summarized; call see_image on the same file again if you still need to see it]"

// part is a piece of a message: a text or an image (keepimg.md, A message).
type part struct {
	Type string
	Text string
	URL  string
}

func (p part) isImage() bool { return p.Type == "image_url" }

type wireURL struct {
	URL string `json:"url"`
}

type wirePart struct {
	Type     string   `json:"type"`
	Text     *string  `json:"text,omitempty"`
	ImageURL *wireURL `json:"image_url,omitempty"`
}

func (p part) MarshalJSON() ([]byte, error) {
	if p.isImage() {
		return json.Marshal(wirePart{Type: p.Type, ImageURL: &wireURL{p.URL}})
	}
	return json.Marshal(wirePart{Type: p.Type, Text: &p.Text})
}

func (p *part) UnmarshalJSON(raw []byte) error {
	var wire wirePart
	if err := json.Unmarshal(raw, &wire); err != nil {
		return err
	}
	*p = part{Type: wire.Type}
	if wire.Text != nil {
		p.Text = *wire.Text
	}
	if wire.ImageURL != nil {
		p.URL = wire.ImageURL.URL
	}
	return nil
}

// content is a text, a list of parts, or nothing.
type content struct {
	text    string
	parts   []part
	isParts bool
}

func (c *content) MarshalJSON() ([]byte, error) {
	if c.isParts {
		return json.Marshal(c.parts)
	}
	return json.Marshal(c.text)
}

func (c *content) UnmarshalJSON(raw []byte) error {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) > 0 && raw[0] == '[':
		c.isParts = true
		c.parts = []part{}
		return json.Unmarshal(raw, &c.parts)
	case len(raw) > 0 && raw[0] == '"':
		return json.Unmarshal(raw, &c.text)
	}
	return errors.New("content is neither a text nor a list of parts")
}

type toolFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type toolCall struct {
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function toolFunction `json:"function"`
}

// message is one message of a conversation. Relay is the mark; Tokens the image's measured cost.
type message struct {
	Role       string     `json:"role"`
	Content    *content   `json:"content,omitempty"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	Relay      bool       `json:"img_relay,omitempty"`
	Tokens     int        `json:"img_tokens,omitempty"`
}

// images counts the image parts.
func (m *message) images() int {
	if m.Content == nil {
		return 0
	}
	n := 0
	for _, p := range m.Content.parts {
		if p.isImage() {
			n++
		}
	}
	return n
}

// text is the text of a message, the lost marker for each image (keepimg.md, Text of a message).
func (m *message) text() string {
	if m.Content == nil {
		return ""
	}
	if !m.Content.isParts {
		return m.Content.text
	}
	var out strings.Builder
	for _, p := range m.Content.parts {
		switch {
		case p.isImage():
			out.WriteString(lostMarker)
		case p.Type == "text":
			out.WriteString(p.Text)
		}
	}
	return out.String()
}

// tokens estimates a message's weight in the context (keepimg.md, Tokens estimate).
func (m *message) tokens() int {
	n := 4 + len(m.text())/4
	for _, call := range m.ToolCalls {
		n += (len(call.Function.Name) + len(call.Function.Arguments)) / 4
	}
	return n + m.Tokens
}

// kept says that the image stays: its cost is known (keepimg.md, Operations, kept).
func (m *message) kept() bool { return m.Tokens > 0 }

// withoutImage is a kept image once dropped: captions and lost marker, still marked (keepimg.md, drop).
func (m *message) withoutImage() *message {
	caption := ""
	if m.Content != nil {
		caption = m.Content.text
		var captions []string
		for _, p := range m.Content.parts {
			if p.Type == "text" {
				captions = append(captions, p.Text)
			}
		}
		if m.Content.isParts {
			caption = strings.Join(captions, "\n")
		}
	}
	dropped := *m
	dropped.Content = &content{text: caption + lostMarker}
	dropped.Tokens = 0
	return &dropped
}

func (m *message) String() string {
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Sprintf("%+v", *m)
	}
	return string(raw)
}
