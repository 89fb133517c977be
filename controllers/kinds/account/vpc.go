package account

import (
	"context"
	"fmt"

	avnvpc "github.com/aiven/go-client-codegen/handler/vpc"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// +kubebuilder:rbac:groups=aiven.io,resources=projectvpcs,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=projectvpcs/status,verbs=patch

// VPC is a private network of a project.
var VPC = controllers.Kind[*v1alpha1.ProjectVPC]{
	Object: &v1alpha1.ProjectVPC{},
	New:    func(env controllers.Env) controllers.AivenController[*v1alpha1.ProjectVPC] { return vpc{env} },
	Claim: func(obj *v1alpha1.ProjectVPC) string {
		return obj.Spec.Project + "/" + obj.Spec.CloudName + "/" + obj.Spec.NetworkCidr
	},
}

type vpc struct{ controllers.Env }

// Observe implements controllers.AivenController.
func (c vpc) Observe(ctx context.Context, obj *v1alpha1.ProjectVPC) (controllers.Observation, error) {
	found, err := c.find(ctx, obj)
	switch {
	case err != nil:
		return controllers.Observation{}, err
	case found == nil:
		obj.Status.ID, obj.Status.State = "", ""
		return controllers.Observation{}, nil
	case ends(found.State):
		obj.Status.State = string(found.State)
		return controllers.Observation{WaitFor: "Waiting for Aiven to delete the network that had these addresses before"}, nil
	}
	obj.Status.ID, obj.Status.State = found.ProjectVpcId, string(found.State)
	return controllers.Observation{Remote: stateOf(found.State)}, nil
}

// Create implements controllers.AivenController.
func (c vpc) Create(ctx context.Context, obj *v1alpha1.ProjectVPC) (controllers.Observation, error) {
	in := &avnvpc.VpcCreateIn{
		CloudName: obj.Spec.CloudName, NetworkCidr: obj.Spec.NetworkCidr, PeeringConnections: []avnvpc.PeeringConnectionIn{},
	}
	out, err := c.Client.API().VpcCreate(ctx, obj.Spec.Project, in)
	if err != nil {
		return controllers.Observation{}, fmt.Errorf("creating VPC: %w", err)
	}
	obj.Status.ID, obj.Status.State = out.ProjectVpcId, string(out.State)
	return controllers.Observation{Remote: stateOf(out.State)}, nil
}

// Update implements controllers.AivenController: nothing of a network can be changed.
func (c vpc) Update(_ context.Context, _ *v1alpha1.ProjectVPC, seen controllers.Observation) (controllers.Observation, error) {
	return seen, nil
}

// Delete implements controllers.AivenController. Services in the network have to leave first.
func (c vpc) Delete(ctx context.Context, obj *v1alpha1.ProjectVPC) error {
	found, err := c.find(ctx, obj)
	switch {
	case fault.Is(err, fault.NotFound), err == nil && found == nil:
		return nil // nothing is left, perhaps not even the project
	case err != nil:
		return err
	case ends(found.State):
		return controllers.ErrDeletionPending
	}
	if err := c.inUse(ctx, obj.Spec.Project, found.ProjectVpcId); err != nil {
		return err
	}
	_, err = c.Client.API().VpcDelete(ctx, obj.Spec.Project, found.ProjectVpcId)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return fmt.Errorf("deleting VPC: %w", err)
	}
	return controllers.ErrDeletionPending
}
