package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"
	"unicode/utf8"
)

const journalFormat = "loki-parity-journal/1"

// journal is a recording (journal.md, Shape). Steps stay raw until they are needed: a file can be large.
type journal struct {
	Format  string         `json:"format"`
	Kind    string         `json:"kind"`
	Blocks  []block        `json:"blocks"`
	Project *projectHeader `json:"project"`
	Clock   struct {
		TZ  string `json:"tz"`
		Now string `json:"now"`
	} `json:"clock"`
	Config  map[string]any    `json:"config"`
	DEK     string            `json:"dek"`
	Locked  bool              `json:"locked"`
	Initial memoryState       `json:"initial"`
	Steps   []json.RawMessage `json:"steps"`
	Cases   []keepCase        `json:"cases"`
}

type projectHeader struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// memoryState is every file and every tracker at a moment.
type memoryState struct {
	Files    map[string]fileContent `json:"files"`
	Trackers map[string]tracker     `json:"trackers"`
}

// fileContent is a file's bytes: a text, or {"base64": …} when they are not UTF-8.
type fileContent []byte

func (f *fileContent) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
		*f = []byte(text)
		return nil
	}
	var coded struct {
		Base64 *string `json:"base64"`
	}
	if err := json.Unmarshal(raw, &coded); err != nil || coded.Base64 == nil {
		return fmt.Errorf("a file's content is a text or {\"base64\": …}, not %.40s", raw)
	}
	content, err := base64.StdEncoding.DecodeString(*coded.Base64)
	*f = content
	return err
}

func (f fileContent) MarshalJSON() ([]byte, error) {
	return appendFile(nil, f), nil
}

// appendFile writes a file's content as a journal holds it.
func appendFile(out []byte, content []byte) []byte {
	if utf8.Valid(content) {
		return appendText(out, string(content))
	}
	out = append(out, `{"base64":`...)
	out = appendText(out, base64.StdEncoding.EncodeToString(content))
	return append(out, '}')
}

// step is one recorded call. A field that is not there is nil.
type step struct {
	Tool     string                  `json:"tool"`
	Now      string                  `json:"now"`
	Args     json.RawMessage         `json:"args"`
	Label    *string                 `json:"label"`
	Result   *string                 `json:"result"`
	Panic    *string                 `json:"panic"`
	Diff     *[]diffEntry            `json:"diff"`
	Files    *map[string]fileContent `json:"files"`
	Trackers *map[string]tracker     `json:"trackers"`
}

// aliases are other names for keys, at the top and in steps only (journal.md, Shape).
var (
	topAliases = map[string]string{
		"blocs": "blocks", "appels": "steps", "etapes": "steps", "étapes": "steps", "calls": "steps",
	}
	stepAliases = map[string]string{
		"outil": "tool", "name": "tool", "nom": "tool", "arguments": "args", "resultat": "result", "résultat": "result",
		"libelle": "label", "libellé": "label", "fichiers": "files", "suivis": "trackers", "heure": "now", "maintenant": "now",
	}
)

// renamed rewrites the keys of one object; the values stay as they are, byte for byte.
func renamed(raw []byte, aliases map[string]string) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for key, value := range fields {
		if proper, ok := aliases[key]; ok {
			key = proper
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(appendText(nil, key))
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// readJournal reads a file.
func readJournal(path string) (*journal, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	raw, err = renamed(raw, topAliases)
	if err != nil {
		return nil, err
	}
	var j journal
	if err := json.Unmarshal(raw, &j); err != nil {
		return nil, err
	}
	if j.Format != "" && j.Format != journalFormat {
		return nil, fmt.Errorf("format is %q, not %q", j.Format, journalFormat)
	}
	if j.Kind == "" {
		j.Kind = inferredKind(&j)
	}
	return &j, nil
}

func inferredKind(j *journal) string {
	switch {
	case j.Cases != nil:
		return "keepimg"
	case j.Blocks != nil:
		return "recall"
	}
	return "memory"
}

func readStep(raw []byte) (step, error) {
	var s step
	raw, err := renamed(raw, stepAliases)
	if err != nil {
		return s, err
	}
	err = json.Unmarshal(raw, &s)
	return s, err
}

// newMemory makes the memory a journal starts from (journal.md, Shape and Defaults).
func (j *journal) newMemory() (*memory, error) {
	s := settings{slug: "generale", name: "Générale", locked: j.Locked}
	if j.Project != nil {
		s.slug, s.name = j.Project.Slug, j.Project.Name
	}
	zone, err := loadZone(j.Clock.TZ)
	if err != nil {
		return nil, err
	}
	s.zone = zone
	s.encrypted = isOn(plain(j.Config["MEM_ENCRYPTED"]))
	if j.DEK != "" {
		key, err := hex.DecodeString(j.DEK)
		if err != nil {
			return nil, fmt.Errorf("dek: %w", err)
		}
		if s.judgeKey, err = newSeal(key); err != nil {
			return nil, fmt.Errorf("dek: %w", err)
		}
		if !j.Locked {
			s.key = s.judgeKey
		}
	}
	m := &memory{settings: s, now: time.Unix(0, 0).UTC(), nonces: rand.Reader}
	if j.Clock.Now != "" {
		if m.now, err = time.Parse(time.RFC3339Nano, j.Clock.Now); err != nil {
			return nil, fmt.Errorf("clock: %w", err)
		}
	}
	m.restore(&j.Initial.Files, &j.Initial.Trackers)
	return m, nil
}

// restore puts recorded files and trackers in the memory's place; what was not recorded stays.
func (m *memory) restore(files *map[string]fileContent, trackers *map[string]tracker) {
	if files != nil {
		m.files = make(map[string][]byte, len(*files))
		for name, content := range *files {
			m.files[name] = content
		}
	}
	if trackers != nil {
		m.trackers = make(map[string]tracker, len(*trackers))
		for key, t := range *trackers {
			m.trackers[key] = t
		}
	}
}

var addedPoint = regexp.MustCompile(`\(id (-?[0-9]+)\)\.$`)

// setClock sets the clock from a step: its now, else the new id it recorded, else as it was
// (journal.md, What is nondeterministic is an input).
func (m *memory) setClock(s step) error {
	if s.Now != "" {
		now, err := time.Parse(time.RFC3339Nano, s.Now)
		if err != nil {
			return fmt.Errorf("now: %w", err)
		}
		m.now = now
		return nil
	}
	if s.Tool != "tracker" || s.Result == nil {
		return nil
	}
	if found := addedPoint.FindStringSubmatch(*s.Result); found != nil {
		nanoseconds, err := strconv.ParseInt(found[1], 10, 64)
		if err != nil {
			return fmt.Errorf("id: %w", err)
		}
		m.now = time.Unix(0, nanoseconds).UTC()
	}
	return nil
}
