package service

import (
	"cmp"
	"context"
	"fmt"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// SetPassword implements rotation.PasswordSetter: of the user that the details have.
func (c *controller[T]) SetPassword(ctx context.Context, obj T, seen controllers.Observation, password string) (controllers.Observation, error) {
	project, name := c.last.Project, c.last.Name
	in := &avnservice.ServiceUserCredentialsModifyIn{
		Operation: avnservice.ServiceUserCredentialsModifyOperationTypeResetCredentials, NewPassword: &password,
	}
	_, err := c.env.Client.API().ServiceUserCredentialsModify(ctx, project, name, userOf(c.last), in)
	if fault.NotSent(err) {
		c.env.Client.CallNotSent(project, name)
		return controllers.Observation{}, err
	}
	c.env.Client.RecordWrite(project, name, aiven.UserEntry(userOf(c.last)), aiven.WriteResult{MayHaveApplied: aiven.MayHaveApplied(err)})
	if err != nil {
		return controllers.Observation{}, fmt.Errorf("setting password: %w", err)
	}
	if o, err := c.Observe(ctx, obj); err == nil && o.Details.Password == password {
		return o, nil
	}
	return controllers.Observation{Remote: updating(seen.Remote)}, nil // what was read is older
}

// AcknowledgeRenewal implements rotation.RenewalAcknowledger: of the same user.
func (c *controller[T]) AcknowledgeRenewal(ctx context.Context, _ T) error {
	in := &avnservice.ServiceUserCredentialsModifyIn{Operation: avnservice.ServiceUserCredentialsModifyOperationTypeAcknowledgeRenewal}
	if _, err := c.env.Client.API().ServiceUserCredentialsModify(ctx, c.last.Project, c.last.Name, userOf(c.last), in); err != nil {
		return fmt.Errorf("acknowledging: %w", err)
	}
	return nil
}

// userOf is the user whose password the details have.
func userOf(s *aiven.Service) string { return cmp.Or(s.URIParams["user"], aiven.PrimaryUser) }
