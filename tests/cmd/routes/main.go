// Command routes says which operations of the public client the local Aiven serves, and which it answers with 501. It
// prints a page for docs/contributor. What it says, it has tried: it calls every method of the client.
package main

import (
	"fmt"
	"os"
)

func main() {
	all, err := operations()
	if err == nil {
		_, err = os.Stdout.WriteString(page(all))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "routes:", err)
		os.Exit(1)
	}
}
