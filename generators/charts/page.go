package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Where the table of values is in the page of a chart. What is around it is written by hand.
const (
	tableBegin = "<!-- Values: generated from values.yaml by generators/charts. -->\n"
	tableEnd   = "<!-- End of the values. -->\n"
)

// newPage is the page of a chart with a new table of its values.
func newPage(chart string) (string, error) {
	page, err := os.ReadFile(filepath.Join(chart, "README.md"))
	if err != nil {
		return "", fmt.Errorf("reading the page of the chart: %w", err)
	}
	values, err := os.ReadFile(filepath.Join(chart, "values.yaml"))
	if err != nil {
		return "", fmt.Errorf("reading the values: %w", err)
	}
	table, err := valuesTable(values)
	if err != nil {
		return "", err
	}
	before, rest, begun := strings.Cut(string(page), tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		return "", fmt.Errorf("the page of the chart must have a line %q, and a line %q behind it",
			strings.TrimSpace(tableBegin), strings.TrimSpace(tableEnd))
	}
	return before + tableBegin + table + tableEnd + after, nil
}

// valuesTable is a table in Markdown with a row for each value: its path, its default, and the comment above it.
func valuesTable(values []byte) (string, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(values, &document); err != nil {
		return "", fmt.Errorf("reading the values: %w", err)
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return "", errors.New("reading the values: they must be a map")
	}
	rows, err := valueRows("", document.Content[0])
	if err != nil {
		return "", err
	}
	return "\n| value | default | meaning |\n|---|---|---|\n" + strings.Join(rows, "") + "\n", nil
}

// valueRows goes through a map. A map in it is a group of values, unless it has a comment of its own.
func valueRows(prefix string, group *yaml.Node) ([]string, error) {
	var rows []string
	for i := 0; i < len(group.Content); i += 2 {
		key, value := group.Content[i], group.Content[i+1]
		path := prefix + key.Value
		meaning := comment(key.HeadComment)
		switch {
		case meaning != "":
			standard, err := inline(value)
			if err != nil {
				return nil, fmt.Errorf("reading the default of %s: %w", path, err)
			}
			rows = append(rows, fmt.Sprintf("| `%s` | `%s` | %s |\n", path, standard, meaning))
		case value.Kind == yaml.MappingNode && len(value.Content) > 0:
			inner, err := valueRows(path+".", value)
			if err != nil {
				return nil, err
			}
			rows = append(rows, inner...)
		default:
			return nil, fmt.Errorf("values.yaml, line %d: write a comment above %s that says what it means", key.Line, path)
		}
	}
	return rows, nil
}

// comment is the last paragraph of a comment in one line, fit for a cell of a table. Paragraphs before it are about the file.
func comment(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	var words []string
	for line := range strings.Lines(paragraphs[len(paragraphs)-1]) {
		words = append(words, strings.TrimSpace(strings.TrimPrefix(line, "#")))
	}
	return strings.ReplaceAll(strings.Join(words, " "), "|", `\|`)
}

// inline is a value as JSON, which is YAML, too; texts that are plain words stay so.
func inline(value *yaml.Node) (string, error) {
	var plain any
	if err := value.Decode(&plain); err != nil {
		return "", err
	}
	if text, isText := plain.(string); isText && text != "" {
		return text, nil
	}
	out, err := json.Marshal(plain)
	return string(out), err
}
