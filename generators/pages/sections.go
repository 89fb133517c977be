package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// printedFolder has what kubectl prints of the example of each kind once it is ready. tests/suites/docs compares it, and writes it
// with -update.
const printedFolder = "generators/pages/printed"

// readPrinted reads the file of each kind: a command, and what it prints.
func readPrinted(folder string) (map[string]string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return nil, fmt.Errorf("listing what kubectl prints: %w", err)
	}
	printed := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading what kubectl prints: %w", err)
		}
		printed[strings.TrimSuffix(filepath.Base(path), ".txt")] = string(text)
	}
	return printed, nil
}

// printedSection is the example in a terminal; empty until the test has written it.
func (k kind) printedSection() string {
	if k.printed == "" {
		return ""
	}
	return "When it is ready:\n\n```console\n" + k.printed + "```\n\n"
}

// secretKeys is the row of a kind in the table of connection Secrets, in Markdown.
type secretKeys struct {
	prefix, keys, legacy string
}

// readSecretKeys reads the rows of the table of keys: kind, prefix, keys with it, and keys without.
func readSecretKeys(path string) (map[string]secretKeys, error) {
	page, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the page of connection Secrets: %w", err)
	}
	rows := map[string]secretKeys{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) == 4 && strings.HasPrefix(cells[1], "`") && strings.HasSuffix(cells[1], "_`") {
			rows[strings.Trim(cells[0], " `")] = secretKeys{cells[1], cells[2], strings.TrimSpace(cells[3])}
		}
	}
	return rows, nil
}

// secretSection has the keys of the connection Secret, for kinds that have one.
func (k kind) secretSection() string {
	if k.keys == (secretKeys{}) {
		return ""
	}
	return fmt.Sprintf("\n## Connection Secret\n\n| default prefix | keys with the prefix | keys without a prefix |\n|---|---|---|\n| %s | %s | %s |\n\n"+
		"[Connection Secrets](../connection-secrets.md#keys) has what each key contains, and when the Secret changes.\n",
		k.keys.prefix, k.keys.keys, k.keys.legacy)
}

// driftSection has what is compared, under this title, what isn't, and what removing a field does.
func (k kind) driftSection(compared string) string {
	var section strings.Builder
	section.WriteString("\n## Drift\n\n| | |\n|---|---|\n")
	for _, row := range [][2]string{
		{compared, k.facts.compared},
		{"not compared", k.facts.ignored},
		{"if you remove a field from the spec", cmp.Or(k.facts.removed, "No field that describes the resource can be removed.")},
	} {
		if row[1] != "" {
			fmt.Fprintf(&section, "| %s | %s |\n", row[0], cell(row[1]))
		}
	}
	return section.String()
}

// ownSections end the page of a kind that makes no calls to Aiven.
func (k kind) ownSections() string {
	var section strings.Builder
	status := k.schema().Properties["status"]
	section.WriteString(k.driftSection("compared with the Secret, and corrected"))
	section.WriteString("\n[Changes to the Secret](../connection-secrets.md#changes-to-the-secret) has the rules of all Secrets.\n")
	fmt.Fprintf(&section, "\n## Deletion\n\n%s\n\n## Status\n\nThe conditions are `Ready`, `SecretReady`, and `%s` while they are true. The reasons of `Ready` are in the "+
		"[list of reasons](../reasons/README.md).\n\n"+tableHead, k.facts.deleted, either(k.facts.conditions))
	for _, f := range fieldsOf(&status, "", nil) {
		section.WriteString(f.row(""))
	}
	section.WriteString("\n" + k.columns())
	return section.String()
}

// either are conditions that come and go. A kind whose facts aren't written yet has none.
func either(conditions []string) string {
	if len(conditions) < 2 {
		return strings.Join(conditions, "")
	}
	last := len(conditions) - 1
	return strings.Join(conditions[:last], "`, `") + "` or `" + conditions[last]
}

// statusSection has the conditions, the fields of the status that the kind alone has, and the columns.
func (k kind) statusSection() string {
	var section strings.Builder
	fmt.Fprintf(&section, "\n## Status\n\nBesides the [conditions of all kinds](../status.md#other-conditions), where they apply: `%s`. "+
		"The reasons of `Ready` are in the [list of reasons](../reasons/README.md), and the fields that all kinds have are on the page "+
		"[Status](../status.md).\n\n", strings.Join(k.facts.conditions, "`, `"))
	if k.facts.isService || slices.Contains(k.facts.conditions, expiring) {
		section.WriteString("What Aiven announces of a service, and until when credentials are valid: [Notices](../notices.md).\n\n")
	}
	section.WriteString(k.ownStatus())
	section.WriteString(k.columns())
	return section.String()
}

// columns is the table of what kubectl get shows.
func (k kind) columns() string {
	var section strings.Builder
	section.WriteString("Columns of `kubectl get`:\n\n| column | value | shown |\n|---|---|---|\n")
	for _, column := range k.version().AdditionalPrinterColumns {
		shown := "always"
		if column.Priority > 0 {
			shown = "with `-o wide`"
		}
		fmt.Fprintf(&section, "| %s | `%s` | %s |\n", column.Name, cell(column.JSONPath), shown)
	}
	return section.String()
}

// operationsSection has the calls, and what Aiven requires for them.
func (k kind) operationsSection() string {
	var section strings.Builder
	section.WriteString("\n## Aiven API\n\nOperations that the operator may call for this kind, and the roles or permissions of which Aiven's " +
		"documentation requires one. `–` is: none is documented.\n\n| operation | request | requires one of |\n|---|---|---|\n")
	for _, o := range k.operations {
		required := "–"
		if len(o.Required) > 0 {
			required = "`" + strings.Join(o.Required, "`, `") + "`"
		}
		fmt.Fprintf(&section, "| `%s` | `%s` | %s |\n", o.ID, o.Request, required)
	}
	section.WriteString("\nThe table quotes Aiven's API documentation, which may ask for more than a call needs. Test the role with a small service " +
		"first: [A token with few permissions](../guides/least-privilege-token.md) has the steps.\n")
	return section.String()
}
