package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/kafka/internal/rules"
	"github.com/aero-operator/aero/controllers/resource"
)

// holder returns the service that has what is to be deleted; nil if it is gone, with all that was in it. A service of another
// type has its name then. A deletion waits by what was read before, and concludes by a read that begins now.
func holder(ctx context.Context, s resource.Scope) (*aiven.Service, error) {
	service, err := s.Client.Service(ctx, s.Project, s.ServiceName)
	if fault.Is(err, fault.NotFound) || err == nil && service.Type != serviceType {
		service, err = deletion.LiveService(ctx, s.Client, s.Project, s.ServiceName)
	}
	if err != nil || service == nil || service.Type != serviceType {
		return nil, err
	}
	return service, nil
}

// removeEach deletes ACLs by their ids. It is done with what is gone already.
func removeEach(ids []string, remove func(id string) error) error {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		switch {
		case id == "":
			return errors.New("unclear answer: Aiven has returned an ACL without an id, so it can't be deleted")
		case rules.IsDefault(id):
			continue
		}
		if err := remove(id); err != nil && !fault.Is(err, fault.NotFound) {
			return fmt.Errorf("deleting ACL: %w", err)
		}
	}
	return nil
}
