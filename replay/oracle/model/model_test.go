package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func options(kind string, steps int) generateOptions {
	return generateOptions{kind: kind, seed: 7, steps: steps, blocks: 40, zone: "Europe/Paris", slug: "generale", name: "Générale",
		stateSize: 12000, badBytes: true}
}

func generated(t *testing.T, kind string, o generateOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := generators[kind](&out, o); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func judged(t *testing.T, raw []byte) (exit int, report string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	exit = judgeFiles([]string{path}, &out, 5)
	return exit, out.String()
}

// What the model records, the model replays: isolated and chained, encrypted, locked, without a clock.
func TestGeneratedJournalsMatch(t *testing.T) {
	cases := map[string]generateOptions{"recall": options("recall", 150), "keepimg": options("keepimg", 20), "memory": options("memory", 120)}
	encrypted, locked, clockless := options("memory", 60), options("memory", 40), options("memory", 60)
	encrypted.encrypted, locked.encrypted, locked.locked, clockless.noClock = true, true, true, true
	cases["encrypted"], cases["locked"], cases["clockless"] = encrypted, locked, clockless
	for name, o := range cases {
		t.Run(name, func(t *testing.T) {
			if exit, report := judged(t, generated(t, o.kind, o)); exit != 0 {
				t.Errorf("exit %d:\n%s", exit, report)
			}
		})
	}
}

// The same seed gives the same bytes.
func TestGenerationIsDeterministic(t *testing.T) {
	for kind := range generators {
		o := options(kind, 25)
		if !bytes.Equal(generated(t, kind, o), generated(t, kind, o)) {
			t.Errorf("two %s journals of one seed differ", kind)
		}
	}
}

// A judge that finds nothing in a wrong journal would prove nothing.
func TestOneWrongCharacterIsReported(t *testing.T) {
	raw := generated(t, "memory", options("memory", 30))
	wrong := bytes.Replace(raw, []byte(`"result":"[ok] p`), []byte(`"result":"[ok] P`), 1)
	if bytes.Equal(raw, wrong) {
		t.Fatal("nothing to spoil")
	}
	if exit, report := judged(t, wrong); exit != 1 || strings.Count(report, "result:") != 2 {
		t.Errorf("exit %d:\n%s", exit, report)
	}
}

// Whatever a line holds, it has one answer, in order, and the next line is answered too.
func TestBadQuestionsAreAnswered(t *testing.T) {
	lines := []string{
		`{}`, `[]`, `null`, "\xff", `{"q":1}`, `{"q":"nope"}`, `{"q":"to_lower"}`, `{"q":"to_lower","s":{"b64":"!"}}`, `{"q":"exec"}`,
		`{"q":"reset","kind":"keepimg","case":{"messages":[null]}}`, `{"q":"reset","kind":"memory","clock":{"tz":"Mars/X"}}`,
		`{"q":"reset","kind":"memory","dek":"00"}`, `{"q":"json_marshal"}`, strings.Repeat("[", 50000),
	}
	var out bytes.Buffer
	if err := ask(strings.NewReader(strings.Join(lines, "\n")+"\n\n"+`{"id":"last","q":"to_lower","s":"É"}`), &out); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(answers) != len(lines)+1 {
		t.Fatalf("%d answers to %d lines:\n%s", len(answers), len(lines)+1, out.String())
	}
	for i, line := range lines {
		var got struct{ Error string }
		if err := json.Unmarshal([]byte(answers[i]), &got); err != nil || got.Error == "" {
			t.Errorf("%.60q is answered %s", line, answers[i])
		}
	}
	if want := `{"id":"last","by":"stdlib","out":"é"}`; answers[len(lines)] != want {
		t.Errorf("the last answer is %s", answers[len(lines)])
	}
}

// An answer does not wait for a question that is not there yet.
func TestAnswersAreFlushedWhenInputRunsDry(t *testing.T) {
	asked, askedEnd := io.Pipe()
	answered, answeredEnd := io.Pipe()
	go func() { _ = ask(asked, answeredEnd) }()
	got := make(chan string, 1)
	go func() {
		buffer := make([]byte, 4096)
		n, _ := answered.Read(buffer)
		got <- string(buffer[:n])
	}()
	if _, err := io.WriteString(askedEnd, `{"id":1,"q":"quote","s":"a"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case line := <-got:
		if line != `{"id":1,"by":"stdlib","out":"\"a\""}`+"\n" {
			t.Errorf("answered %s", line)
		}
	case <-time.After(5 * time.Second):
		t.Error("no answer")
	}
	_ = askedEnd.Close()
}

// Go's own crash, word for word (memory.md, mem_search).
func TestSnippetThatGrowsCrashes(t *testing.T) {
	_, crash, panicked := crashing(func() string { return pageSnippet(strings.Repeat("Ⱥ", 112)+" apres", []string{"apres"}) })
	if !panicked || crash != "runtime error: slice bounds out of range [277:230]" {
		t.Errorf("panicked %v: %s", panicked, crash)
	}
}
