package service

import (
	"context"
	"fmt"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// backupPending keeps a service on until there is a backup to bring it back from.
func (c *controller[T]) backupPending(ctx context.Context, s *aiven.Service) (string, error) {
	ready, err := c.hasBackup(ctx, s.Project, s.Name)
	if err != nil || ready {
		return "", err
	}
	return "Waiting for the first backup: without one, a service that is powered off can't be restored", nil
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
		ready, err := c.hasBackup(ctx, w.project, source)
		if err != nil {
			return "", err
		}
		if !ready {
			return fmt.Sprintf("Waiting for the first backup of service %s, which this one replicates", source), nil
		}
	}
	return "", nil
}

func (c *controller[T]) hasBackup(ctx context.Context, project, service string) (bool, error) {
	out, err := c.env.Client.API().ServiceBackupsGet(ctx, project, service)
	if err != nil {
		return false, fmt.Errorf("listing backups of %s: %w", service, err)
	}
	return len(out.Backups) > 0, nil
}
