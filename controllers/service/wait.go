package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/plan"
)

// messageBackup is why a service isn't powered off, and how to end a wait that Aiven doesn't end.
const messageBackup = "Waiting for the first backup: without one, a service that is powered off loses its data. To keep it on, set " +
	pathPowered + " to true"

// checkPowerOff finds what is in the way of powering a service off.
func (c *controller[T]) checkPowerOff(ctx context.Context, obj T, w desired, o *controllers.Observation) error {
	switch {
	case c.OffLosesData == "" && !c.NoBackups:
		return c.awaitBackup(ctx, obj, w, o)
	case c.OffLosesData != "" && !c.env.MayLoseData:
		o.Diff, o.Held.Diff = o.Diff.Without(pathPowered), w.powerOff()
		o.Held.Loss = pathPowered + " is false: " + c.OffLosesData
	}
	return nil
}

// powerOff is how a service that runs differs from a spec that powers it off; nil if the spec doesn't.
func (w *desired) powerOff() plan.Diff {
	var diff plan.Diff
	if !w.powered {
		diff.Add(pathPowered, false, true)
	}
	return diff
}

// awaitBackup keeps a service on until there is a backup to bring it back from. Other changes don't wait: one of them may be
// what turns backups on.
func (c *controller[T]) awaitBackup(ctx context.Context, obj T, w desired, o *controllers.Observation) error {
	ready, err := c.hasBackup(ctx, c.last)
	if err == nil && !ready && !processed(obj) {
		err = c.unrestorable(w, c.last)
	}
	switch {
	case err != nil || ready:
		return err
	case len(o.Diff) > 1:
		o.Diff, o.Held.Later = o.Diff.Without(pathPowered), w.powerOff()
	default:
		o.WaitFor = messageBackup
	}
	return nil
}

// withIntegrations completes a service whose disk differs, if the answer has no list of integrations: it doesn't rule out an
// autoscaler, whose disk is no difference.
func (c *controller[T]) withIntegrations(ctx context.Context, w desired, s *aiven.Service) (*aiven.Service, error) {
	if w.diskMB == 0 || w.diskMB == s.DiskSpaceMB || s.Lists(aiven.AnyIntegration) {
		return s, nil
	}
	return aiven.Beside(c.env.Client, s, "ServiceIntegrationList", func() (*aiven.Service, error) {
		listed, err := c.env.Client.API().ServiceIntegrationList(ctx, w.project, w.name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("listing integrations of %s: %w", w.name, err)
		case listed == nil:
			return nil, errors.New("unclear answer: Aiven has returned no list of integrations, and the disk isn't as " + pathDisk +
				" asks: an autoscaler may have changed it")
		}
		return s.WithIntegrations(listed), nil
	})
}

// unrestorable finds a service, or a new one, for which s is nil, that the spec powers off and that never has a backup.
func (c *controller[T]) unrestorable(w desired, s *aiven.Service) error {
	value, set := w.update[c.BackupsOff.Name]
	if !set && s != nil {
		value = s.UserConfig[c.BackupsOff.Name]
	}
	if w.powered || c.BackupsOff == (Option{}) || value != c.BackupsOff.Value {
		return nil
	}
	return fault.InvalidSpec(pathPowered, fmt.Sprintf("can't be false while %s.%s is %s: without a backup, the service would lose its data. "+
		"Change the option, or set powered to true", pathOptions, c.BackupsOff.Name, c.BackupsOff.Value))
}

// sourcesPending returns what a new service waits for: the service that it replicates, and a backup of it.
func (c *controller[T]) sourcesPending(ctx context.Context, w desired) (string, error) {
	for _, integration := range w.integrations {
		source := *integration.SourceService
		found, err := c.env.Client.Service(ctx, w.project, source)
		switch {
		case fault.Is(err, fault.NotFound):
			return fmt.Sprintf("Waiting for service %s, which this one replicates: it does not exist at Aiven. Create it, or recreate "+
				"this object with another %s", source, pathIntegrations), nil
		case err != nil:
			return "", err
		case !found.Operational():
			return fmt.Sprintf("Waiting for service %s, which this one replicates: it is %s", source, found.State), nil
		}
		ready, err := c.hasBackup(ctx, found)
		if err != nil {
			return "", err
		}
		if !ready {
			return fmt.Sprintf("Waiting for the first backup of service %s, which this one replicates", source), nil
		}
	}
	return "", nil
}

func (c *controller[T]) hasBackup(ctx context.Context, s *aiven.Service) (bool, error) {
	return aiven.Beside(c.env.Client, s, "ServiceBackupsGet", func() (bool, error) {
		out, err := c.env.Client.API().ServiceBackupsGet(ctx, s.Project, s.Name)
		if err != nil {
			return false, fmt.Errorf("listing backups of %s: %w", s.Name, err)
		}
		return len(out.Backups) > 0, nil
	})
}
