package account

import (
	"context"
	"fmt"
	"strings"

	avnvpc "github.com/aiven/go-client-codegen/handler/vpc"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// ends says whether a network is on its way out. One that is DELETED isn't found any more.
func ends(state avnvpc.VpcStateType) bool { return state == avnvpc.VpcStateTypeDeleting }

// find looks for the network by its id, and without one that leads to something, by its cloud and addresses: a status may
// be lost, and the answer to a creation too. One that stays goes before one that is being deleted.
func (c vpc) find(ctx context.Context, obj *v1alpha1.ProjectVPC) (*avnvpc.VpcOut, error) {
	all, err := c.Client.API().VpcList(ctx, obj.Spec.Project)
	if err != nil {
		return nil, fmt.Errorf("listing the VPCs of project %s: %w", obj.Spec.Project, err)
	}
	var found *avnvpc.VpcOut
	for i := range all {
		candidate := &all[i]
		switch same := candidate.CloudName == obj.Spec.CloudName && candidate.NetworkCidr == obj.Spec.NetworkCidr; {
		case candidate.State == avnvpc.VpcStateTypeDeleted:
		case candidate.ProjectVpcId == obj.Status.ID:
			return candidate, nil
		case same && (found == nil || ends(found.State)):
			found = candidate
		}
	}
	return found, nil
}

// inUse names the services that are in a network.
func (c vpc) inUse(ctx context.Context, project, id string) error {
	services, err := c.Client.API().ServiceList(ctx, project)
	if err != nil {
		return fmt.Errorf("listing services: %w", err)
	}
	var names []string
	for i := range services {
		if services[i].ProjectVpcId == id {
			names = append(names, services[i].ServiceName)
		}
	}
	if len(names) > 0 {
		return &controllers.BlockedError{Reason: "The network is used by the services " + strings.Join(names, ", ")}
	}
	return nil
}

func stateOf(state avnvpc.VpcStateType) status.Remote {
	r := status.Remote{Exists: true, Active: state == avnvpc.VpcStateTypeActive, State: string(state)}
	if !r.Active {
		r.Message = "Waiting for Aiven to build the network: it is " + r.State
	}
	return r
}
