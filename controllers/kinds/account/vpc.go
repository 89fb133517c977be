package account

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	avnvpc "github.com/aiven/go-client-codegen/handler/vpc"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=projectvpcs,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=projectvpcs/status,verbs=patch

// VPC is a virtual private cloud of a project. Nothing of it can be changed.
var VPC = resource.Definition[*v1alpha1.ProjectVPC, avnvpc.VpcOut]{
	Object: &v1alpha1.ProjectVPC{},
	Place:  resource.InProject(),
	Identity: func(obj *v1alpha1.ProjectVPC) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + networkKey(obj.Spec.CloudName, obj.Spec.NetworkCidr)}
	},
	LookupOnDelete: true,
	Item:           vpcItem,
	Find:           findVPC,
	State:          vpcState,
	Intent:         recordVPC, // a deletion goes by the id, and would miss one that is made now beside that of one that is gone
	Create:         createVPC,
	Delete:         deleteVPC,
}.Kind()

// vpcItem is the VPC in the list of its project.
func vpcItem(obj *v1alpha1.ProjectVPC) aiven.Item {
	list := aiven.ListKey{Project: obj.Spec.Project, Operation: "VpcList"}
	return aiven.Item{List: list, Key: networkKey(obj.Spec.CloudName, obj.Spec.NetworkCidr)}
}

// networkKey identifies a network in its project, however it is written: Aiven's answers have clouds in lower case, and no bits of hosts.
func networkKey(cloud, addresses string) string {
	if prefix, err := netip.ParsePrefix(addresses); err == nil {
		addresses = prefix.Masked().String()
	}
	return strings.ToLower(cloud) + "/" + addresses
}

// byNetwork indexes VPCs as vpcItem names them. One that is being deleted can share its network with its successor.
func byNetwork(all []avnvpc.VpcOut) map[string]any {
	if all == nil {
		return nil
	}
	items := map[string]any{}
	for _, vpc := range all {
		key := networkKey(vpc.CloudName, vpc.NetworkCidr)
		same, _ := items[key].([]avnvpc.VpcOut)
		items[key] = append(same, vpc)
	}
	return items
}

func findVPC(ctx context.Context, s resource.Scope, obj *v1alpha1.ProjectVPC) (*avnvpc.VpcOut, error) {
	item := vpcItem(obj)
	all, err := aiven.List(ctx, s.Client, item.List, aiven.ListSource[[]avnvpc.VpcOut]{
		Read:  func(ctx context.Context) ([]avnvpc.VpcOut, error) { return s.Client.API().VpcList(ctx, s.Project) },
		Items: byNetwork,
	}, item.Key)
	if err != nil {
		return nil, err
	}
	return chooseVPC(obj, all)
}

// chooseVPC finds the VPC by its cloud and address range, which never change: a status may be lost, and the answer to a
// creation too. Of several it is the one with the id in the status, else one that stays. For a deletion that id has to be
// there: after the VPC has gone, another client may have made one with the same network. An id of another network, by a forged
// status, leads to nothing.
func chooseVPC(obj *v1alpha1.ProjectVPC, all []avnvpc.VpcOut) (*avnvpc.VpcOut, error) {
	var found *avnvpc.VpcOut
	deleting := obj.GetDeletionTimestamp() != nil
	for i := range all {
		candidate := &all[i]
		same := sameNetwork(obj, candidate)
		switch had := obj.Status.ID != "" && candidate.ProjectVpcId == obj.Status.ID; {
		case candidate.State == avnvpc.VpcStateTypeDeleted:
		case had && same:
			recordVPC(obj, candidate)
			return candidate, nil
		case had && deleting:
			return nil, &deletion.BlockedError{Reason: fmt.Sprintf("The VPC in the status, %s, is another network: %s in %s. Remove status.id",
				obj.Status.ID, candidate.NetworkCidr, candidate.CloudName)}
		case same && (found == nil || isDeleting(found)):
			found = candidate
		}
	}
	if obj.Status.ID != "" && deleting {
		return nil, nil // the id stays, for a later attempt
	}
	recordVPC(obj, found)
	return found, nil
}

// sameNetwork compares apart from how the spec writes names and bits of hosts.
func sameNetwork(obj *v1alpha1.ProjectVPC, vpc *avnvpc.VpcOut) bool {
	return networkKey(obj.Spec.CloudName, obj.Spec.NetworkCidr) == networkKey(vpc.CloudName, vpc.NetworkCidr)
}

// recordVPC fills the status. Of a VPC that is being deleted, which may be another one, only the state is recorded.
func recordVPC(obj *v1alpha1.ProjectVPC, found *avnvpc.VpcOut) {
	if found == nil {
		obj.Status.ID, obj.Status.State = "", ""
		return
	}
	obj.Status.State = string(found.State)
	if !isDeleting(found) {
		obj.Status.ID = found.ProjectVpcId
	}
}

// isDeleting is for a VPC on its way out. One that is DELETED isn't found.
func isDeleting(found *avnvpc.VpcOut) bool { return found.State == avnvpc.VpcStateTypeDeleting }

func vpcState(found *avnvpc.VpcOut) status.Remote {
	if isDeleting(found) {
		return status.Remote{Message: "Waiting for Aiven to delete the VPC that had this address range before"}
	}
	r := status.Remote{Exists: true, Active: found.State == avnvpc.VpcStateTypeActive, State: string(found.State)}
	if !r.Active {
		r.Message = "Waiting for Aiven to build the VPC: it is " + r.State
	}
	return r
}

// vpcFields are the fields of a VPC by the parameters that they are sent as.
func vpcFields() fault.Fields {
	return fault.Fields{
		"cloud": fault.Fixed("spec.cloudName"), "cloud_name": fault.Fixed("spec.cloudName"), "network_cidr": fault.Fixed("spec.networkCidr"),
	}
}

func createVPC(ctx context.Context, s resource.Scope, obj *v1alpha1.ProjectVPC) (*avnvpc.VpcOut, error) {
	in := &avnvpc.VpcCreateIn{
		CloudName: obj.Spec.CloudName, NetworkCidr: obj.Spec.NetworkCidr, PeeringConnections: []avnvpc.PeeringConnectionIn{},
	}
	out, err := s.Client.API().VpcCreate(ctx, s.Project, in)
	if err != nil {
		return nil, fmt.Errorf("creating VPC: %w", vpcFields().Of(err))
	}
	made := &avnvpc.VpcOut{
		ProjectVpcId: out.ProjectVpcId, CloudName: out.CloudName, NetworkCidr: out.NetworkCidr, State: out.State,
	}
	if made.ProjectVpcId == "" || !sameNetwork(obj, made) {
		return nil, nil // about another VPC, or none: it is read
	}
	recordVPC(obj, made)
	return made, nil
}

// deleteVPC waits for the services in a VPC: they have to leave it first.
func deleteVPC(ctx context.Context, s resource.Scope, obj *v1alpha1.ProjectVPC, found *avnvpc.VpcOut) error {
	switch {
	case found == nil:
		return s.LookupErr
	case isDeleting(found):
		s.Client.InvalidateList(vpcItem(obj).List) // so that its end is noticed by the next attempt
		return deletion.ErrPending
	}
	if err := vpcInUse(ctx, s, found.ProjectVpcId); err != nil {
		return err
	}
	_, err := s.Client.API().VpcDelete(ctx, s.Project, found.ProjectVpcId)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return fmt.Errorf("deleting VPC: %w", err)
	}
	return deletion.ErrPending
}

// vpcInUse returns a *deletion.BlockedError that names the services in a VPC.
func vpcInUse(ctx context.Context, s resource.Scope, id string) error {
	services, err := s.Client.API().ServiceList(ctx, s.Project)
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
		return &deletion.BlockedError{Reason: "The VPC has services in it: " + fault.Few(names, fault.ListLimit) + ". Delete them, or move them to another VPC, first"}
	}
	return nil
}
