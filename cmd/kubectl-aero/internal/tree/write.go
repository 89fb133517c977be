package tree

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
)

// Write writes a tree as a table, with the namespaces if there may be several.
func Write(w *table.Writer, root *Node, namespaces bool) error {
	header := []table.Cell{{Text: "NAME"}, {Text: "READY"}, {Text: "REASON"}, {Text: "AGE"}}
	if namespaces {
		header = append([]table.Cell{{Text: "NAMESPACE"}}, header...)
	}
	rows := [][]table.Cell{header}
	var add func(n *Node, branch, below string)
	add = func(n *Node, branch, below string) {
		var created metav1.Time
		if n.Created != nil {
			created = *n.Created
		}
		row := []table.Cell{{Text: branch + n.Kind + "/" + n.Name}, table.Status(n.Ready), {Text: n.state()}, {Text: w.Age(created)}}
		if namespaces {
			row = append([]table.Cell{{Text: n.Namespace}}, row...)
		}
		rows = append(rows, row)
		for i, child := range n.Children {
			if i == len(n.Children)-1 {
				add(child, below+"└─ ", below+"   ")
			} else {
				add(child, below+"├─ ", below+"│  ")
			}
		}
	}
	add(root, "", "")
	return w.Rows(rows...)
}

// state is the reason of Ready, and whether the object is paused: Ready is from before then.
func (n *Node) state() string {
	var parts []string
	if n.Reason != "" {
		parts = append(parts, n.Reason)
	}
	if n.Paused && n.Reason != "Paused" {
		parts = append(parts, "paused")
	}
	return strings.Join(parts, ", ")
}
