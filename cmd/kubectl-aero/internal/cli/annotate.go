package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
	"github.com/aero-operator/aero/controllers/view"
)

// objects adds the flags that choose several objects, as those of kubectl annotate, and the completion of names.
func (p *plugin) objects(command *cobra.Command) *selection {
	sel := &selection{}
	command.Args, command.ValidArgsFunction = naming(cobra.MinimumNArgs(1)), p.completeObjects
	command.Flags().StringVarP(&sel.selector, "selector", "l", "", "Label selector of the objects")
	command.Flags().BoolVar(&sel.every, "all", false, "All objects of the kinds; of all kinds with the category aiven")
	command.Flags().BoolVarP(&sel.allNS, "all-namespaces", "A", false, "Objects of all namespaces, with --all or --selector")
	return sel
}

func (p *plugin) pause() *cobra.Command {
	command := &cobra.Command{
		Use:   "pause KIND NAME... | KIND/NAME...",
		Short: "Pause objects: nothing is read or written at Aiven",
		Long: "Sets the annotation controllers.aiven.io/paused. The status keeps what was observed last. A deletion is carried out in spite " +
			"of a pause.",
		Example: "  kubectl aero pause postgresql my-pg\n  kubectl aero pause aiven --all",
	}
	sel := p.objects(command)
	command.RunE = func(_ *cobra.Command, args []string) error {
		return p.annotateAll(sel, args, view.Pause(), "paused")
	}
	return command
}

func (p *plugin) resume() *cobra.Command {
	command := &cobra.Command{
		Use: "resume KIND NAME... | KIND/NAME...", Short: "Resume paused objects",
		Long:    "Removes the annotation controllers.aiven.io/paused.",
		Example: "  kubectl aero resume postgresql my-pg\n  kubectl aero resume aiven --all",
	}
	sel := p.objects(command)
	command.RunE = func(_ *cobra.Command, args []string) error {
		return p.annotateAll(sel, args, view.Resume(), "resumed")
	}
	return command
}

// annotateAll annotates objects, and prints what was done to each.
func (p *plugin) annotateAll(sel *selection, args []string, annotations view.Annotations, done string) error {
	sel.args = args
	infos, failed, err := p.findAll(*sel)
	if err != nil {
		return err
	}
	for _, info := range infos {
		if err := annotate(info, annotations); err != nil {
			failed = append(failed, err)
			continue
		}
		p.say(info, table.Cell{Text: done})
	}
	return utilerrors.NewAggregate(failed)
}

// say prints a line about an object, as kubectl does. Several objects may be waited for.
func (p *plugin) say(info *resource.Info, what ...table.Cell) {
	p.speaking.Lock()
	defer p.speaking.Unlock()
	_ = p.writer().Line(slices.Concat([]table.Cell{{Text: nameOf(info) + " "}}, what)...)
}

// nameOf is the name of an object as kubectl prints it.
func nameOf(info *resource.Info) string {
	return strings.ToLower(info.Mapping.GroupVersionKind.GroupKind().String()) + "/" + info.Name
}

// annotate changes annotations of an object, without those that others change at the same time, and puts the result in the info.
func annotate(info *resource.Info, annotations view.Annotations) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		return err
	}
	options := &metav1.PatchOptions{FieldManager: "kubectl-aero"}
	written, err := resource.NewHelper(info.Client, info.Mapping).Patch(info.Namespace, info.Name, types.MergePatchType, patch, options)
	if err != nil {
		return err
	}
	return info.Refresh(written, true)
}

func (p *plugin) reconcile() *cobra.Command {
	var wait bool
	var timeout time.Duration
	command := &cobra.Command{
		Use:   "reconcile KIND NAME... | KIND/NAME...",
		Short: "Reconcile objects now, and perhaps wait until they are ready",
		Long: "Sets the annotation controllers.aiven.io/reconcile-requested-at. With --wait, it prints each change of Ready, and ends when " +
			"the operator has reconciled the object and Ready is True, or with an error if Ready is False then.",
		Example: "  kubectl aero reconcile postgresql my-pg\n  kubectl aero reconcile aiven --all --wait --timeout 10m",
	}
	sel := p.objects(command)
	command.Flags().BoolVar(&wait, "wait", false, "Wait until the objects are reconciled and ready")
	command.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "Deadline of --wait, for all objects together")
	command.RunE = func(command *cobra.Command, args []string) error {
		at := p.now().UTC().Format(time.RFC3339Nano)
		sel.args = args
		infos, failed, err := p.findAll(*sel)
		if err != nil {
			return err
		}
		for _, info := range infos {
			if err := annotate(info, view.Request(at)); err != nil {
				failed = append(failed, err)
				continue
			}
			p.say(info, table.Cell{Text: "reconcile requested"})
		}
		if wait && len(failed) == 0 {
			ctx, cancel := context.WithTimeout(command.Context(), timeout)
			defer cancel()
			failed = p.awaitAll(ctx, infos, at)
		}
		return utilerrors.NewAggregate(failed)
	}
	return command
}
