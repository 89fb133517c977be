package cli

import (
	"github.com/spf13/cobra"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/tree"
)

// forest is what tree prints for other programs.
type forest struct {
	Root *tree.Node `json:"root"`
	// NotListed are the kinds that the caller may not list.
	NotListed []string `json:"notListed,omitempty"`
}

func (p *plugin) tree() *cobra.Command {
	var allNS bool
	command := &cobra.Command{
		Use:   "tree KIND NAME | KIND/NAME",
		Short: "Show what belongs to an object, with connection Secrets and readiness",
		Long: "Shows an object and what belongs to it: what is in its service or project, and what refers to it. Objects of other " +
			"namespaces are shown with -A. Whether a Secret is published is in the status of its object: no Secret is read.",
		Example: "  kubectl aero tree postgresql my-pg\n  kubectl aero tree avnkafka/my-kafka -A\n  kubectl aero tree project my-project -o json",
		Args:    naming(cobra.RangeArgs(1, 2)), ValidArgsFunction: p.completeObjects,
	}
	format := output(command)
	command.Flags().BoolVarP(&allNS, "all-namespaces", "A", false, "Objects of other namespaces, too")
	command.RunE = func(command *cobra.Command, args []string) error {
		root, err := p.one(args)
		if err != nil {
			return err
		}
		namespace := root.Namespace
		if allNS {
			namespace = ""
		}
		all, err := p.readAll(command.Context(), namespace)
		if err != nil {
			return err
		}
		found := forest{Root: tree.Of(root, all.objects), NotListed: all.hidden}
		return p.print(*format, found, func(w *table.Writer) error {
			if err := tree.Write(w, found.Root, allNS); err != nil {
				return err
			}
			if line := hiddenKinds(found.NotListed); line != "" {
				return w.Line(table.Cell{Text: line})
			}
			return nil
		})
	}
	return command
}
