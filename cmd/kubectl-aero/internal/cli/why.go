package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/explain"
	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
)

// reasons is what why prints for other programs.
type reasons struct {
	Objects []explain.Explanation `json:"objects"`
	// NotListed are the kinds that the caller may not list.
	NotListed []string `json:"notListed,omitempty"`
	// Paused are those of all objects, ready or not, where no object is named.
	Paused []pausedObject `json:"paused,omitempty"`
}

// pausedObject is what a list has of an object that the operator leaves alone.
type pausedObject struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// maxPaused bounds the objects that a line lists.
const maxPaused = 10

// pausedLine lists the paused objects, with the namespaces if there may be several; empty if there are none.
func (r *reasons) pausedLine(namespaces bool) string {
	var names []string
	for _, one := range r.Paused[:min(len(r.Paused), maxPaused)] {
		name := one.Kind + "/" + one.Name
		if namespaces {
			name = one.Namespace + " " + name
		}
		names = append(names, name)
	}
	line := strings.Join(names, ", ")
	if others := len(r.Paused) - len(names); others > 0 {
		line += fmt.Sprintf(" and %d more", others)
	}
	if line == "" {
		return ""
	}
	return "Paused: " + line
}

func (p *plugin) why() *cobra.Command {
	var allNS bool
	command := &cobra.Command{
		Use:   "why [KIND NAME... | KIND/NAME...]",
		Short: "Show why objects aren't ready, and what to do",
		Long: "Shows the condition that decides, its cause, the fix and the page about it: of the objects that are named, or of all that " +
			"aren't ready in the namespace, or in all namespaces. No Secret is read.",
		Example: "  kubectl aero why\n  kubectl aero why -A\n  kubectl aero why postgresql my-pg\n  kubectl aero why avndb/orders -o json",
		Args:    cobra.ArbitraryArgs, ValidArgsFunction: p.completeObjects,
	}
	format := output(command)
	command.Flags().BoolVarP(&allNS, "all-namespaces", "A", false, "Objects of all namespaces")
	command.RunE = func(command *cobra.Command, args []string) error {
		if len(args) > 0 {
			return p.whyNamed(*format, selection{args: args, allNS: allNS})
		}
		return p.whyAll(command.Context(), *format, allNS)
	}
	return command
}

func (p *plugin) whyNamed(format string, sel selection) error {
	sel.every = true // `why postgresql` is about all of them
	infos, err := p.find(sel)
	if errors.Is(err, errNothing) {
		return p.whyNone(format, sel.allNS)
	}
	if err != nil {
		return err
	}
	var found reasons
	for _, info := range infos {
		o, err := viewed(info.Object)
		if err != nil {
			return err
		}
		found.Objects = append(found.Objects, explain.Of(o))
	}
	explain.Sort(found.Objects)
	return p.print(format, found, func(w *table.Writer) error { return explain.Write(w, found.Objects, sel.allNS) })
}

// whyNone is the answer about kinds without objects, as it is about a namespace without any: no error, and an empty list for a program.
func (p *plugin) whyNone(format string, allNS bool) error {
	namespace, err := p.namespace(allNS)
	if err != nil {
		return err
	}
	return p.print(format, reasons{Objects: []explain.Explanation{}}, func(w *table.Writer) error { return p.sumUp(w, 0, 0, namespace, nil) })
}

func (p *plugin) whyAll(ctx context.Context, format string, allNS bool) error {
	namespace, err := p.namespace(allNS)
	if err != nil {
		return err
	}
	all, err := p.readAll(ctx, namespace)
	if err != nil {
		return err
	}
	found := reasons{NotListed: all.hidden, Objects: []explain.Explanation{}}
	for _, o := range all.objects {
		found.Objects = append(found.Objects, explain.Of(o))
		if o.Paused() {
			found.Paused = append(found.Paused, pausedObject{o.Kind, o.Namespace, o.Name})
		}
	}
	slices.SortFunc(found.Paused, func(a, b pausedObject) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
	})
	found.Objects = slices.DeleteFunc(found.Objects, func(e explain.Explanation) bool { return e.IsReady() })
	explain.Sort(found.Objects)
	return p.print(format, found, func(w *table.Writer) error {
		if err := explain.Write(w, found.Objects, allNS); err != nil {
			return err
		}
		return p.sumUp(w, len(all.objects), len(found.Objects), namespace, []string{found.pausedLine(allNS), hiddenKinds(found.NotListed)})
	})
}

// sumUp is what follows the explanations, with more lines, of which some may be empty.
func (p *plugin) sumUp(w *table.Writer, all, unready int, namespace string, more []string) error {
	where := "in " + cmp.Or(namespace, "any namespace")
	if namespace != "" {
		where = "in namespace " + namespace
	}
	var lines []string
	switch {
	case all == 0:
		lines = append(lines, "No objects found "+where)
	case unready == 0:
		lines = append(lines, fmt.Sprintf("All %d objects %s are ready", all, where))
	}
	lines = append(lines, slices.DeleteFunc(more, func(line string) bool { return line == "" })...)
	if unready > 0 && len(lines) > 0 {
		lines = slices.Insert(lines, 0, "")
	}
	for _, line := range lines {
		if err := w.Line(table.Cell{Text: line}); err != nil {
			return err
		}
	}
	return nil
}

// namespace is that of the command line or of the context; empty for all.
func (p *plugin) namespace(all bool) (string, error) {
	if all {
		return "", nil
	}
	namespace, _, err := p.flags.ToRawKubeConfigLoader().Namespace()
	return namespace, err
}
