package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// measurement is one line of the report.
type measurement struct {
	name  string
	value float64
	unit  string
	note  string // how to read the value
	// What aiven-operator was measured to need for the same, if that is known.
	reference string
	// What the value may be, if that is limited.
	budget  budget
	limited bool
}

func (m *measurement) ok() bool { return !m.limited || m.budget.allows(m.value) }

// report is what was measured so far, in order.
type report []measurement

// add notes a value, and looks up its budget and what to compare it with.
func (r *report) add(name string, value float64, unit, note string) {
	m := measurement{name: name, value: value, unit: unit, note: note, reference: references[name]}
	m.budget, m.limited = budgetOf(name)
	*r = append(*r, m)
}

// complete fails if there is a budget for something that was not measured.
func (r *report) complete(all map[string]budget) error {
	var missing []string
	for name := range all {
		if !slices.ContainsFunc(*r, func(m measurement) bool { return m.name == name }) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("no measurement for the budget of: %s", strings.Join(missing, ", "))
}

// over names the budgets that were missed.
func (r *report) over() error {
	var missed []string
	for _, m := range *r {
		if !m.ok() {
			missed = append(missed, fmt.Sprintf("%s is %s %s, with a budget of %s", m.name, number(m.value), m.unit, m.bound()))
		}
	}
	if len(missed) == 0 {
		return nil
	}
	return fmt.Errorf("over budget: %s", strings.Join(missed, "; "))
}

// bound is the budget as the table shows it.
func (m *measurement) bound() string {
	switch {
	case !m.limited:
		return "-"
	case m.budget.atLeast:
		return ">= " + number(m.budget.limit)
	default:
		return "<= " + number(m.budget.limit)
	}
}

func (m *measurement) result() string {
	switch {
	case !m.limited:
		return "-"
	case m.ok():
		return "ok"
	default:
		return "OVER"
	}
}

// print prints the table, and the missed budgets once more below it.
func (r *report) print(out io.Writer) error {
	if len(*r) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	lines := []string{"NAME\tVALUE\tUNIT\tBUDGET\tOK\tREFERENCE\tNOTE"}
	for _, m := range *r {
		lines = append(lines, strings.Join([]string{
			m.name, number(m.value), m.unit, m.bound(), m.result(), cmp.Or(m.reference, "-"), m.note,
		}, "\t"))
	}
	if over := r.over(); over != nil {
		lines = append(lines, "", over.Error())
	}
	_, err := fmt.Fprintln(table, strings.Join(lines, "\n"))
	if err == nil {
		err = table.Flush()
	}
	if err != nil {
		return fmt.Errorf("printing the table: %w", err)
	}
	return nil
}

// number has no more digits than mean something.
func number(value float64) string {
	switch text := strconv.FormatFloat(value, 'f', -1, 64); {
	case !strings.Contains(text, "."):
		return text
	case value >= 100:
		return strconv.FormatFloat(value, 'f', 0, 64)
	default:
		return strconv.FormatFloat(value, 'f', 2, 64)
	}
}

// entry is a measurement in the JSON. Without a budget it is ok.
type entry struct {
	Name      string   `json:"name"`
	Value     float64  `json:"value"`
	Unit      string   `json:"unit"`
	Budget    *float64 `json:"budget"`
	OK        bool     `json:"ok"`
	Reference string   `json:"reference,omitempty"`
	Note      string   `json:"note,omitempty"`
}

func (r *report) json() ([]byte, error) {
	entries := []entry{}
	for _, m := range *r {
		e := entry{Name: m.name, Value: m.value, Unit: m.unit, OK: m.ok(), Reference: m.reference, Note: m.note}
		if m.limited {
			e.Budget = &m.budget.limit
		}
		entries = append(entries, e)
	}
	text, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding the report: %w", err)
	}
	return append(text, '\n'), nil
}

// write writes the JSON.
func (r *report) write(path string) error {
	text, err := r.json()
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
