package explain

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
	"github.com/aero-operator/aero/controllers/view"
)

// Write writes explanations, one below the other, with the namespaces if there may be several. Objects that share one are written with the
// first of them: a rejected token may concern hundreds.
func Write(w *table.Writer, list []Explanation, namespaces bool) error {
	for i, g := range grouped(list) {
		if i > 0 {
			if err := w.Line(); err != nil {
				return err
			}
		}
		if err := g.write(w, namespaces); err != nil {
			return err
		}
	}
	return nil
}

// group is an explanation with the other objects that have the same.
type group struct {
	*Explanation
	others []*Explanation
}

// grouped keeps the order of the list.
func grouped(list []Explanation) (groups []*group) {
	for i := range list {
		e := &list[i]
		at := slices.IndexFunc(groups, func(g *group) bool { return g.sameAs(e) })
		if at >= 0 {
			groups[at].others = append(groups[at].others, e)
		} else {
			groups = append(groups, &group{Explanation: e})
		}
	}
	return groups
}

// sameAs reports whether nothing of another explanation would be missing.
func (e *Explanation) sameAs(other *Explanation) bool {
	type text struct{ ready, reason, message, cause, condition string }
	of := func(e *Explanation) text {
		t := text{string(e.Ready), e.Reason, e.Message, e.Cause, ""}
		if e.Condition != nil {
			t.condition = e.Condition.Type + e.Condition.Reason
		}
		return t
	}
	return of(e) == of(other) && e.Deleting == other.Deleting && len(e.Notes)+len(other.Notes) == 0
}

// label is the name of the object, with its namespace if there may be several.
func (e *Explanation) label(namespaces bool) string {
	if namespaces {
		return e.Namespace + " " + e.Kind + "/" + e.Name
	}
	return e.Kind + "/" + e.Name
}

func (g *group) write(w *table.Writer, namespaces bool) error {
	if err := w.Line(g.title(w, namespaces)...); err != nil {
		return err
	}
	var rows [][]table.Cell
	row := func(label, text string) {
		if text != "" {
			rows = append(rows, []table.Cell{{Text: "  " + label, Color: table.Bold}, {Text: text}})
		}
	}
	row("Message", g.Message)
	if !g.IsReady() {
		if c := g.Condition; c != nil && c.Type != view.Ready { // the title has Ready
			row("Condition", c.Type+"="+string(c.Status)+" ("+c.Reason+")")
			if c.Message != g.Message {
				row("", c.Message)
			}
		}
		row("Cause", g.Cause)
		row("Fix", g.Fix)
		row("Page", g.Page)
	}
	for _, note := range g.Notes {
		row("Note", note)
	}
	label := "Also"
	for _, other := range g.others {
		row(label, other.label(namespaces))
		label = ""
	}
	return w.Rows(rows...)
}

// title names the object, and its readiness with the time since when.
func (e *Explanation) title(w *table.Writer, namespaces bool) []table.Cell {
	state := map[metav1.ConditionStatus]string{metav1.ConditionTrue: "ready", metav1.ConditionFalse: "not ready"}[e.Ready]
	if e.Deleting {
		state = "being deleted"
	}
	rest := ""
	if e.Reason != "" {
		rest += ": " + e.Reason
	}
	if e.Since != nil {
		rest += ", for " + w.Age(*e.Since)
	}
	return []table.Cell{
		{Text: e.label(namespaces), Color: table.Bold}, {Text: " is "},
		{Text: cmp.Or(state, "not ready yet"), Color: table.Status(e.Ready).Color}, {Text: rest},
	}
}
