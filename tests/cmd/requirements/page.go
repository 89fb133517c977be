package main

import (
	"fmt"
	"slices"
	"strings"
)

// most is how many tests of a requirement are named: more are counted.
const most = 3

// page is the text of docs/contributor/requirements.md.
func page(groups []group, found proofs) string {
	var out, missing strings.Builder
	proven, all := 0, 0
	for _, g := range groups {
		fmt.Fprintf(&out, "\n## %s\n\n| id | aero … | proven by |\n|---|---|---|\n", g.title)
		for _, r := range g.requirements {
			tests := slices.Compact(slices.Sorted(slices.Values(found[r.id])))
			all++
			switch {
			case r.na != "":
				fmt.Fprintf(&out, "| %s | %s | can't apply: %s |\n", r.id, r.says, r.na)
				all--
			case len(tests) == 0:
				fmt.Fprintf(&out, "| %s | %s | **no test** |\n", r.id, r.says)
				fmt.Fprintf(&missing, "- %s: %s\n", r.id, r.says)
			default:
				proven++
				fmt.Fprintf(&out, "| %s | %s | %s |\n", r.id, r.says, cite(tests))
			}
		}
	}
	head := fmt.Sprintf(`# Requirements and their tests

Written by `+"`make requirements`"+`: the list is in tests/cmd/requirements/requirements.yaml, the tests are those whose names, or the
names of whose rows, have the id. %d of %d are proven so.
`, proven, all)
	if missing.Len() > 0 {
		head += "\nWithout a test that names them:\n\n" + missing.String()
	}
	return head + out.String()
}

func cite(tests []string) string {
	more := ""
	if len(tests) > most {
		more = fmt.Sprintf(" and %d more", len(tests)-most)
		tests = tests[:most]
	}
	return "`" + strings.Join(tests, "`, `") + "`" + more
}
