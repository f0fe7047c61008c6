// Command model is the tools of Loki, written in Go from the contract alone: a second reading of it, beside the
// port's. What its standard library does is Go's own word; what its tools do is a reading (PROTOCOL.md).
package main

import (
	"fmt"
	"os"
)

const usage = `model judge FILE…                    replay journals, print what differs; 0 all match, 1 not, 2 bad input
model generate KIND -seed N -steps N  write a hostile journal (recall, memory, keepimg) or vectors (stdlib)
model ask                             answer questions, JSON lines (PROTOCOL.md)
model bench WHAT …                    time Go doing a search (recall_search, mem_search, to_lower)
`

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	verb, rest := args[0], args[1:]
	switch verb {
	case "judge":
		if len(rest) == 0 {
			fmt.Fprint(os.Stderr, usage)
			return 2
		}
		return judgeFiles(rest, os.Stdout, 100)
	case "generate":
		return generate(rest)
	case "ask":
		if err := ask(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		return 0
	case "bench":
		return bench(rest)
	case "help", "-h", "--help":
		fmt.Print(usage)
		return 0
	}
	fmt.Fprintf(os.Stderr, "unknown verb %q\n%s", verb, usage)
	return 2
}
