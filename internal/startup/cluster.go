package startup

import (
	"context"
	"errors"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/metadata"
)

// dryRun stores nothing.
var dryRun = []string{metav1.DryRunAll}

// Namespaces checks that namespaces exist and can be read. It needs no permission to read Namespaces: the dry run of an event
// has another error where the namespace doesn't exist. Watches reports other permissions that are missing.
type Namespaces struct {
	Metadata metadata.Interface
	Events   eventsclient.EventsGetter
	Names    []string
}

// Readable is a Check. It fails for the first namespace that doesn't exist, or that the account can't read.
func (n *Namespaces) Readable(ctx context.Context) error {
	for _, name := range n.Names {
		if err := n.readable(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (n *Namespaces) readable(ctx context.Context, name string) error {
	_, err := n.Metadata.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).Namespace(name).List(ctx, metav1.ListOptions{Limit: 1})
	if apierrors.IsForbidden(err) {
		return fmt.Errorf("namespace %s of WATCHED_NAMESPACES can't be read: it doesn't exist, or this account has no permission "+
			"in it: %w. Remedy: create it, or grant the permissions, as the chart does with watchedNamespaces; no restart is needed", name, err)
	}
	if err != nil {
		return fmt.Errorf("reading namespace %s: %w", name, err)
	}
	// Other errors mean nothing: quotas and policies may refuse the event.
	_, err = n.Events.Events(name).Create(ctx, dryRunEvent(name), metav1.CreateOptions{DryRun: dryRun})
	if isOf(err, "namespaces") {
		return fmt.Errorf("namespace %s of WATCHED_NAMESPACES doesn't exist. Remedy: kubectl create namespace %[1]s (no restart is "+
			"needed), or remove it from WATCHED_NAMESPACES", name)
	}
	return nil
}

// dryRunEvent is an event that is never stored.
func dryRunEvent(namespace string) *eventsv1.Event {
	return &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "startup-"},
		EventTime:  metav1.NowMicro(), ReportingController: "aero", ReportingInstance: "aero",
		Action: "Start", Reason: "Starting", Type: corev1.EventTypeNormal,
		Regarding: corev1.ObjectReference{APIVersion: "v1", Kind: "Namespace", Name: namespace, Namespace: namespace},
	}
}

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
