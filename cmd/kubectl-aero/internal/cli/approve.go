package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
	"github.com/aero-operator/aero/controllers/view"
)

// approval is the command line of approve.
type approval struct {
	hash string // that the caller has seen
	yes  bool   // approve without a question
}

func (p *plugin) approve() *cobra.Command {
	var a approval
	command := &cobra.Command{
		Use:   "approve KIND NAME | KIND/NAME",
		Short: "Show the changes of an object that wait for approval, and approve them",
		Long: "Shows what the operator would change at Aiven and what that costs or interrupts, and asks. Then it sets the annotation " +
			"controllers.aiven.io/approved-changes to the hash of exactly these changes. That needs a role with the verb approve for the kind. With --hash, changes with another hash are not approved, and nothing is asked.",
		Example: "  kubectl aero approve postgresql my-pg\n  kubectl aero approve postgresql my-pg --hash 15c0218842e04f28c7041fc62a74c767f12fdcd7\n" +
			"  kubectl aero approve kafkatopic/orders --yes",
		Args: naming(cobra.MinimumNArgs(1)), ValidArgsFunction: p.completeObjects,
	}
	command.Flags().StringVar(&a.hash, "hash", "", "Hash of the changes to approve: status.pendingChanges.hash")
	command.Flags().BoolVarP(&a.yes, "yes", "y", false, "Approval of what waits, without a question")
	command.RunE = func(command *cobra.Command, args []string) error { return p.runApprove(args, a) }
	return command
}

func (p *plugin) runApprove(args []string, a approval) error {
	info, pending, err := p.pendingOf(args)
	if err != nil {
		return err
	}
	if a.hash != "" && a.hash != pending.Hash {
		return fmt.Errorf("%s: nothing was approved: the changes that wait have the hash %s, and not %s. Check them again", nameOf(info), pending.Hash, a.hash)
	}
	if err := p.showPending(info, pending); err != nil {
		return err
	}
	if a.hash == "" && !a.yes {
		if err := p.confirm("Approve these changes? Type yes: "); err != nil {
			return err
		}
		_, now, err := p.pendingOf(args)
		if err != nil {
			return err
		}
		if now.Hash != pending.Hash {
			return fmt.Errorf("%s: nothing was approved: other changes wait by now. Check them again", nameOf(info))
		}
	}
	if err := annotate(info, view.Approve(pending.Hash)); err != nil {
		return err
	}
	p.say(info, table.Cell{Text: "approved", Color: table.Green})
	return nil
}

// pendingOf reads one object, and what waits for approval.
func (p *plugin) pendingOf(args []string) (*resource.Info, *v1alpha1.PendingChanges, error) {
	info, err := p.oneInfo(args)
	if err != nil {
		return nil, nil, err
	}
	o, err := viewed(info.Object)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case o.Status.PendingChanges == nil && !o.Current():
		return nil, nil, fmt.Errorf("%s: the operator hasn't reconciled the latest edit yet. Try again in some seconds", nameOf(info))
	case o.Status.PendingChanges == nil:
		return nil, nil, fmt.Errorf("%s: no change waits for approval", nameOf(info))
	case !o.Current():
		return nil, nil, fmt.Errorf("%s: the changes that wait may be those of an earlier edit, as the operator hasn't reconciled the latest one yet. Try again in some seconds",
			nameOf(info))
	}
	return info, o.Status.PendingChanges, nil
}

func (p *plugin) showPending(info *resource.Info, pending *v1alpha1.PendingChanges) error {
	w := p.writer()
	if err := w.Line(table.Cell{Text: nameOf(info) + " has changes that wait for approval:"}); err != nil {
		return err
	}
	for _, c := range pending.Changes {
		if err := writeChange(w, changeOf(c)); err != nil {
			return err
		}
	}
	return w.Line(table.Cell{Text: "Hash: " + pending.Hash})
}

// confirm asks the caller. An end of the input is a no.
func (p *plugin) confirm(question string) error {
	if _, err := fmt.Fprint(p.streams.ErrOut, question); err != nil {
		return err
	}
	answer, err := bufio.NewReader(p.streams.In).ReadString('\n')
	if err != nil || strings.TrimSpace(answer) != "yes" {
		return errors.New("nothing was approved. Without a terminal, use --hash or --yes")
	}
	return nil
}
