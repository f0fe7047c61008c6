package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

// generateOptions are what a journal is made from; the same options give the same bytes.
type generateOptions struct {
	kind      string
	seed      int64
	steps     int
	blocks    int
	zone      string
	encrypted bool
	locked    bool
	key       bool
	slug      string
	name      string
	stateSize int
	noClock   bool
	farYears  bool
	longNames bool
	badBytes  bool
}

// hasKey says that the journal has a key, so that sealed pages can stand in it.
func (o generateOptions) hasKey() bool { return o.encrypted || o.locked || o.key }

func (o generateOptions) dice() *dice {
	d := newDice(o.seed)
	d.badBytes = o.badBytes
	return d
}

// generators write one kind of journal each.
var generators = map[string]func(io.Writer, generateOptions) error{
	"recall":  generateRecall,
	"memory":  generateMemory,
	"keepimg": generateKeepimg,
	"stdlib":  generateStdlib,
	"rules":   generateRules,
}

// generate is the verb.
func generate(args []string) int {
	o := generateOptions{}
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	flags.Int64Var(&o.seed, "seed", 1, "the seed: same seed, same journal")
	flags.IntVar(&o.steps, "steps", 500, "steps (recall, memory), cases (keepimg) or questions of each sort (stdlib)")
	flags.IntVar(&o.blocks, "blocks", 150, "blocks of the archive (recall)")
	flags.StringVar(&o.zone, "zone", "UTC", "time zone (memory)")
	flags.BoolVar(&o.encrypted, "encrypted", false, "encrypted memory")
	flags.BoolVar(&o.locked, "locked", false, "locked memory")
	flags.BoolVar(&o.key, "key", false, "a key, though the memory is not encrypted")
	flags.StringVar(&o.slug, "slug", "generale", "project slug (memory)")
	flags.StringVar(&o.name, "name", "Générale", "project name (memory)")
	flags.IntVar(&o.stateSize, "state-size", 24000, "bytes of files and trackers a step may hold (memory)")
	flags.BoolVar(&o.noClock, "no-clock", false, "steps without now: new ids are the clock (memory)")
	flags.BoolVar(&o.farYears, "far-years", false, "points outside the years 0 to 9999 (memory)")
	flags.BoolVar(&o.longNames, "long-names", false, "names too long for a file system (memory)")
	flags.BoolVar(&o.badBytes, "bad-bytes", true, "bytes that are not UTF-8 in raw arguments")
	path := flags.String("out", "", "file to write; none: standard output")
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	generator, ok := generators[args[0]]
	if !ok || o.steps < 0 || o.blocks < 0 {
		fmt.Fprintf(os.Stderr, "no journal of kind %q can be made like that\n", args[0])
		return 2
	}
	o.kind = args[0]
	out := os.Stdout
	if *path != "" {
		file, err := os.Create(*path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		out = file
	}
	if err := generator(out, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if err := out.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}
