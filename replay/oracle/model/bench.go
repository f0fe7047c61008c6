package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A bench times the code Loki would naturally have: nothing is kept from one search to the next. What is read
// from the disk before the clock starts is said beside each bench.

// benchOptions are what a bench works on.
type benchOptions struct {
	archive string
	folder  string
	file    string
	queries []string
	limit   int
	runs    int
}

// benches give a search to time, and how many searches one run of it makes.
var benches = map[string]func(benchOptions) (run func() int, err error){
	"recall_search": benchRecallSearch,
	"mem_search":    benchMemSearch,
	"to_lower":      benchToLower,
}

// bench is the verb.
func bench(args []string) int {
	var o benchOptions
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.archive, "archive", "", "JSON list of blocks, or a recall journal (recall_search)")
	flags.StringVar(&o.folder, "folder", "", "folder of pages (mem_search)")
	flags.StringVar(&o.file, "file", "", "text to lower (to_lower)")
	flags.IntVar(&o.limit, "limit", 0, "hits shown")
	flags.IntVar(&o.runs, "runs", 20, "runs")
	query := flags.String("query", "rapport inventaire", "the query")
	list := flags.String("queries", "", "JSON list of queries, all searched in each run")
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	prepare, ok := benches[args[0]]
	if !ok || o.runs < 1 {
		fmt.Fprintf(os.Stderr, "no bench is called %q, or no run was asked for\n", args[0])
		return 2
	}
	o.queries = []string{*query}
	if *list != "" {
		if err := readJSON(*list, &o.queries); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	run, err := prepare(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	fmt.Println(timed(args[0], o, run))
	return 0
}

// timed runs a bench and writes nanoseconds per search, each run, the least and the middle one.
func timed(name string, o benchOptions, run func() int) string {
	run() // the first run warms the caches up and is not counted
	each := make([]int64, o.runs)
	for i := range each {
		begin := time.Now()
		searches := run()
		each[i] = time.Since(begin).Nanoseconds() / int64(max(searches, 1))
	}
	sorted := slices.Clone(each)
	slices.Sort(sorted)
	return asJSON(struct {
		Bench   string  `json:"bench"`
		Version string  `json:"version"`
		Goarch  string  `json:"goarch"`
		Runs    int     `json:"runs"`
		Least   int64   `json:"least_ns"`
		Median  int64   `json:"median_ns"`
		Each    []int64 `json:"each_ns"`
	}{name, runtime.Version(), runtime.GOARCH, o.runs, sorted[0], sorted[len(sorted)/2], each})
}

func readJSON(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// readBlocks reads a JSON list of blocks, or the blocks of a recall journal.
func readBlocks(path string) ([]block, error) {
	var blocks []block
	if readJSON(path, &blocks) == nil {
		return blocks, nil
	}
	j, err := readJournal(path)
	if err != nil {
		return nil, err
	}
	return j.Blocks, nil
}

// sink keeps the compiler from dropping what nobody reads.
var sink int

// benchRecallSearch searches blocks that are decoded already; each search lowers every label and content.
func benchRecallSearch(o benchOptions) (func() int, error) {
	blocks, err := readBlocks(o.archive)
	if err != nil {
		return nil, err
	}
	lowered := func(i int) (string, string) {
		return strings.ToLower(blocks[i].Label), strings.ToLower(blocks[i].Content)
	}
	return func() int {
		for _, query := range o.queries {
			sink += len(searchBlocks(blocks, lowered, arguments{"query": query, "limit": float64(o.limit)}))
		}
		return len(o.queries)
	}, nil
}

// benchMemSearch searches a folder, which each search reads from the disk.
func benchMemSearch(o benchOptions) (func() int, error) {
	if o.folder == "" {
		return nil, errors.New("a folder is needed: -folder")
	}
	if _, err := readPages(o.folder); err != nil {
		return nil, err
	}
	return func() int {
		for _, query := range o.queries {
			listed, err := readPages(o.folder)
			if err != nil {
				continue
			}
			limit := pageLimit(arguments{"limit": float64(o.limit)})
			text, _, _ := crashing(func() string { return searchPages(listed, terms(query), limit) })
			sink += len(text)
		}
		return len(o.queries)
	}, nil
}

// readPages lists a folder on the disk (memory.md, Listing).
func readPages(folder string) ([]page, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var listed []page
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || strings.HasPrefix(name, ".") || !hasPageSuffix(name) {
			continue
		}
		stored, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || isSealed(stored) {
			listed = append(listed, page{name: name, title: lockedTitle})
			continue
		}
		listed = append(listed, page{name, title(string(stored)), string(stored)})
	}
	return listed, nil
}

// benchToLower lowers a text that is in memory already.
func benchToLower(o benchOptions) (func() int, error) {
	raw, err := os.ReadFile(o.file)
	if err != nil {
		return nil, err
	}
	text := string(raw)
	return func() int {
		sink += len(strings.ToLower(text))
		return 1
	}, nil
}
