// Command requirements says which requirement is proven by which test. It reads requirements.yaml beside it and all test
// files of the project, and prints a page for docs/contributor:
//
//	requirements [--root DIR]
//
// A test proves a requirement if its name has the id, or if a string in it has: the name of a row of a table.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
)

//go:embed requirements.yaml
var list []byte

func main() {
	root := flag.String("root", "..", "folder of the project")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "requirements:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	groups, err := read(list)
	if err != nil {
		return err
	}
	proofs, err := search(root)
	if err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(page(groups, proofs))
	return err
}
