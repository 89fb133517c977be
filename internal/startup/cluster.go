package startup

import (
	"context"
	"errors"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// dryRun stores nothing.
var dryRun = []string{metav1.DryRunAll}

// isOf reports whether an error is the absence of an object of a resource.
func isOf(err error, resource string) bool {
	var status apierrors.APIStatus
	return apierrors.IsNotFound(err) && errors.As(err, &status) &&
		status.Status().Details != nil && status.Status().Details.Kind == resource
}

// Election checks that the account may take part in leader election. Without permission, client-go retries forever.
type Election struct {
	Leases    coordinationclient.LeasesGetter
	Namespace string
	Name      string // of the lease
}

// Allowed is a Check. It gets the lease, and creates or updates it in a dry run.
func (e *Election) Allowed(ctx context.Context) error {
	leases := e.Leases.Leases(e.Namespace)
	lease, err := leases.Get(ctx, e.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: e.Name}}
		_, err = leases.Create(ctx, lease, metav1.CreateOptions{DryRun: dryRun})
	case err == nil:
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{DryRun: dryRun})
	}
	switch {
	case isOf(err, "namespaces"):
		return fmt.Errorf("leader election needs namespace %s, which doesn't exist. Remedy: create it, or set --leader-election-namespace", e.Namespace)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("leader election: %w. Remedy: bind this account to a Role in namespace %s with create on leases, and get and "+
			"update on %s, as the chart does, or run one replica without --leader-elect", err, e.Namespace, e.Name)
	case err == nil, apierrors.IsConflict(err), apierrors.IsAlreadyExists(err): // another replica was faster
		return nil
	}
	return fmt.Errorf("reading lease %s in namespace %s: %w", e.Name, e.Namespace, err)
}
