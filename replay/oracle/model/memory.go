package main

import (
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"strings"
	"time"
)

// settings are what a memory is made with and never changes while it runs (journal.md, Shape).
type settings struct {
	slug      string
	name      string
	zone      *time.Location
	encrypted bool
	locked    bool
	// key opens and seals when the memory is unlocked; nil without a key. judgeKey is the journal's own,
	// used to compare and never by the tools.
	key      cipher.AEAD
	judgeKey cipher.AEAD
}

// memory is one project's pages and every tracker of the store, held in RAM. Contents are never changed in
// place: a snapshot copies the maps only.
type memory struct {
	settings settings
	files    map[string][]byte
	trackers map[string]tracker
	now      time.Time
	nonces   io.Reader
}

// isOn says whether a config value means yes (memory.md, Writing a page; keepimg.md, On).
func isOn(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "1", "on", "true", "yes", "oui":
		return true
	}
	return false
}

func (m *memory) snapshot() *memory {
	kept := *m
	kept.files = maps.Clone(m.files)
	kept.trackers = maps.Clone(m.trackers)
	return &kept
}

// crashing runs a piece of the tools and gives the runtime's text where Go crashes (memory.md, mem_search).
func crashing(f func() string) (text, crash string, panicked bool) {
	defer func() {
		recovered := recover()
		if recovered == nil {
			return
		}
		fault, ok := recovered.(runtime.Error)
		if !ok {
			panic(recovered)
		}
		text, crash, panicked = "", fault.Error(), true
	}()
	return f(), "", false
}

// call runs a tool. A crash of Go's runtime is part of the answer, not of this program.
func (m *memory) call(tool string, args arguments) (answer, error) {
	got := answer{label: label(tool, args)}
	switch tool {
	case "mem_search":
		got.result, got.crash, got.panicked = crashing(func() string { return m.search(args) })
	case "mem_read":
		got.result = m.read(args)
	case "mem_add":
		got.result, got.diff = m.add(args)
	case "mem_edit":
		got.result, got.diff = m.edit(args)
	case "tracker":
		got.result = m.track(args)
	default:
		return answer{}, fmt.Errorf("a memory offers no tool %q", tool)
	}
	return got, nil
}

var (
	errPageLocked  = errors.New("page chiffrée, mémoire verrouillée")
	errValueLocked = errors.New("valeur chiffrée, mémoire verrouillée")
)

// mustNotWrite says that a write can only fail: encrypted, and no key at hand.
func (m *memory) mustNotWrite() bool {
	return m.settings.encrypted && m.settings.key == nil
}
