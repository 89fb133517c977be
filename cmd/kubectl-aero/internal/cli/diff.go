package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
	"github.com/aero-operator/aero/controllers/preview"
)

// Exit codes of diff, besides 0 for no difference.
const (
	exitChanges    = 1
	exitDisruptive = 2
	exitUncompared = 3 // that of errors and of what would be refused, too
)

// exitError is an exit code without an error.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// diffFlags are what diff reads, and how it applies that.
type diffFlags struct {
	files    resource.FilenameOptions
	apply    applyOptions
	policies preview.Options
	format   *string
}

// differences is what diff prints for other programs.
type differences struct {
	Objects []preview.Result `json:"objects"`
	// NotCompared are the objects of other API groups.
	NotCompared int `json:"notCompared"`
}

func (p *plugin) diff() *cobra.Command {
	var f diffFlags
	command := &cobra.Command{
		Use: "diff -f FILENAME", Short: "Show what manifests would change at Aiven, before they are applied",
		Long: "Lets the API server apply manifests without storing them, compares what it would store with Aiven as the operator does, with " +
			"the token in AIVEN_TOKEN, and says what each change costs or interrupts. AIVEN_WEB_URL is the address of the API, if it isn't " +
			"Aiven's own. Nothing is written. What an object refers to has to exist already.\n\n" +
			"Exit codes: 0, nothing would be changed; 1, something would be; 2, something would be that is disruptive; 3, an error, or an " +
			"object that would be refused or couldn't be compared.",
		Example: "  kubectl aero diff -f my-pg.yaml\n  kubectl aero diff -k overlays/prod\n  kubectl aero diff -f - -o json < all.yaml",
	}
	flags := command.Flags()
	flags.StringSliceVarP(&f.files.Filenames, "filename", "f", nil, "File, folder or URL with manifests; - is the standard input")
	flags.StringVarP(&f.files.Kustomize, "kustomize", "k", "", "Folder with a kustomization")
	flags.BoolVarP(&f.files.Recursive, "recursive", "R", false, "Folders in a folder, too")
	flags.BoolVar(&f.apply.serverSide, "server-side", false, "Server-side apply, as kubectl apply --server-side makes it")
	flags.StringVar(&f.apply.fieldManager, "field-manager", "kubectl", "Field manager for --server-side")
	flags.StringVar(&f.policies.Adoption, "adoption-policy", "Never", "The operator's flag of that name: Never, Adopt or AdoptOrCreate")
	complete(command, "adoption-policy", cobra.FixedCompletions([]string{"Never", "Adopt", "AdoptOrCreate"}, cobra.ShellCompDirectiveNoFileComp))
	flags.StringVar(&f.policies.Recreate, "recreate-policy", "Never", "The operator's flag of that name: Never or Always")
	complete(command, "recreate-policy", cobra.FixedCompletions([]string{"Never", "Always"}, cobra.ShellCompDirectiveNoFileComp))
	flags.StringVar(&f.policies.Change, "change-policy", "Auto", "The operator's flag of that name: Auto, HoldDisruptive or HoldAll")
	complete(command, "change-policy", cobra.FixedCompletions([]string{"Auto", "HoldDisruptive", "HoldAll"}, cobra.ShellCompDirectiveNoFileComp))
	f.format = output(command)
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return codedError{err, exitUncompared} })
	command.Args = func(command *cobra.Command, args []string) error {
		if err := cobra.NoArgs(command, args); err != nil {
			return codedError{err, exitUncompared}
		}
		return nil
	}
	command.RunE = func(command *cobra.Command, _ []string) error {
		err := p.runDiff(command.Context(), f)
		if _, is := errors.AsType[exitError](err); err == nil || is {
			return err
		}
		return codedError{err, exitUncompared}
	}
	return command
}

func (p *plugin) runDiff(ctx context.Context, f diffFlags) error {
	if len(f.files.Filenames) == 0 && f.files.Kustomize == "" {
		return errors.New("must specify one of -f and -k")
	}
	comparer, err := p.comparer(f.policies)
	if err != nil {
		return err
	}
	if _, err := p.kinds(); err != nil {
		return err // clearer than that a kind is unknown
	}
	namespace, enforced, err := p.flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return err
	}
	infos, err := resource.NewBuilder(p.flags).Unstructured().ContinueOnError().
		NamespaceParam(namespace).DefaultNamespace().FilenameParam(enforced, &f.files).Flatten().Do().Infos()
	if err != nil {
		return manifestError{err}
	}
	if len(infos) == 0 {
		return errors.New("no objects in the manifests")
	}
	found := differences{Objects: []preview.Result{}}
	for _, info := range infos {
		if info.Mapping.GroupVersionKind.Group != v1alpha1.GroupVersion.Group {
			found.NotCompared++
			continue
		}
		result, err := p.preview(ctx, comparer, info, f.apply)
		if err != nil {
			return err
		}
		found.Objects = append(found.Objects, result)
	}
	if err := p.print(*f.format, found, func(w *table.Writer) error { return writeDifferences(w, found) }); err != nil {
		return err
	}
	return found.status()
}

// comparer reads Aiven with the token of the user, and the cluster as the user.
func (p *plugin) comparer(o preview.Options) (*preview.Comparer, error) {
	o.URL, o.Token, o.UserAgent = p.login()
	var err error
	if o.Cluster, err = p.flags.ToRESTConfig(); err != nil {
		return nil, err
	}
	return preview.New(o)
}

// preview compares one object. What the API server refuses is an error.
func (p *plugin) preview(ctx context.Context, comparer *preview.Comparer, info *resource.Info, o applyOptions) (preview.Result, error) {
	stored, err := dryRun(info, o)
	if err != nil {
		return preview.Result{}, fmt.Errorf("applying %s without storing it: %w", info.ObjectName(), err)
	}
	return comparer.Compare(ctx, stored)
}

// status is the exit code of what was found.
func (d differences) status() error {
	has := func(is func(preview.Result) bool) bool { return slices.ContainsFunc(d.Objects, is) }
	switch {
	case has(func(r preview.Result) bool { return r.Action == preview.Unknown || r.Action == preview.Refuse }):
		return exitError(exitUncompared)
	case has(preview.Result.Disruptive):
		return exitError(exitDisruptive)
	case has(preview.Result.Writes):
		return exitError(exitChanges)
	default:
		return nil
	}
}

// actions are how the table writes what the operator would do.
var actions = map[preview.Action]table.Cell{
	preview.Nothing: {Text: "no change at Aiven"},
	preview.Create:  {Text: "would be created", Color: table.Green},
	preview.Update:  {Text: "would be changed", Color: table.Yellow},
	preview.Leave:   {Text: "differs, and would be left as it is"},
	preview.Refuse:  {Text: "would be refused", Color: table.Red},
	preview.Unknown: {Text: "couldn't be compared", Color: table.Red},
}

func writeDifferences(w *table.Writer, d differences) error {
	for _, r := range d.Objects {
		if err := w.Line(table.Cell{Text: fmt.Sprintf("%s %s/%s: ", r.Kind, r.Namespace, r.Name)}, actions[r.Action]); err != nil {
			return err
		}
		for _, change := range slices.Concat(r.Changes, r.Left) {
			if err := writeChange(w, change); err != nil {
				return err
			}
		}
		if r.Message == "" {
			continue
		}
		if err := w.Line(table.Cell{Text: "  " + r.Message}); err != nil {
			return err
		}
	}
	if d.NotCompared == 0 {
		return nil
	}
	return w.Line(table.Cell{Text: fmt.Sprintf("Not compared, as they aren't of %s: %d", v1alpha1.GroupVersion.Group, d.NotCompared)})
}

// changeOf is a change of a status, as it is written.
func changeOf(pending v1alpha1.PendingChange) preview.Change {
	c := preview.Change{Path: pending.Path, From: pending.From, To: pending.To, Message: pending.Message, MonthlyPrice: pending.MonthlyPrice}
	for _, name := range pending.Impact {
		c.Impacts = append(c.Impacts, preview.Impact(name))
	}
	return c
}

func writeChange(w *table.Writer, c preview.Change) error {
	values := c.From + " -> " + c.To
	if c.From == "" && c.To == "" {
		values = "Aiven doesn't return it, so it is sent"
	}
	if err := w.Line(table.Cell{Text: "  " + c.Path + ": " + values}); err != nil || len(c.Impacts) == 0 {
		return err
	}
	names := make([]string, 0, len(c.Impacts))
	for _, one := range c.Impacts {
		names = append(names, string(one))
	}
	color := table.Yellow
	if c.Disruptive() {
		color = table.Red
	}
	message := c.Message
	if price := c.MonthlyPrice; price != nil {
		message += fmt.Sprintf(". The list price, without discounts and taxes, goes from about $%d to $%d a month", price.FromUSD, price.ToUSD)
	}
	return w.Line(table.Cell{Text: "    " + strings.Join(names, ", "), Color: color}, table.Cell{Text: ": " + message})
}
