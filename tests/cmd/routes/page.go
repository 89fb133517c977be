package main

import (
	"fmt"
	"strings"
)

// page is the table of operations, in Markdown.
func page(all []operation) string {
	var served, missing []operation
	for _, o := range all {
		if o.served {
			served = append(served, o)
		} else {
			missing = append(missing, o)
		}
	}
	var b strings.Builder
	b.WriteString("<!-- Written by `make routes`. -->\n\n# The routes of the local Aiven\n\n")
	fmt.Fprintf(&b, "The public client has %d operations. The local Aiven serves %d of them. It answers the others with 501, and "+
		"counts them as `unknown_routes`.\n\n", len(all), len(served))
	b.WriteString("## Served\n\n")
	table(&b, served)
	b.WriteString("\n## Not served\n\n")
	table(&b, missing)
	return b.String()
}

func table(b *strings.Builder, all []operation) {
	b.WriteString("| operation | method | path |\n|---|---|---|\n")
	for _, o := range all {
		fmt.Fprintf(b, "| %s | %s | `%s` |\n", o.id, o.method, o.path)
	}
}
