package startup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/metadata"
)

// namespaceFile is where a pod finds its namespace.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// OwnNamespace is the namespace of the pod, or empty outside of one.
func OwnNamespace() (string, error) {
	content, err := os.ReadFile(namespaceFile)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("finding the pod's namespace: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}

// dryRun changes nothing.
var dryRun = []string{metav1.DryRunAll}

// Namespaces asks whether namespaces exist and may be read. No right to read Namespaces is needed: an event that isn't stored
// gets another answer where there is no namespace. What else is missing, Watches tells.
type Namespaces struct {
	Metadata metadata.Interface
	Events   eventsclient.EventsGetter
	Names    []string
}

// Readable is a Check: it fails for the first namespace that doesn't exist, or that the account can't read.
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
		return fmt.Errorf("namespace %s, which WATCHED_NAMESPACES names, can't be read: it doesn't exist, or this account has no rights "+
			"there: %w. Remedy: create it, or grant the rights, as the chart does with watchedNamespaces; aero goes on by itself", name, err)
	}
	if err != nil {
		return fmt.Errorf("reading namespace %s: %w", name, err)
	}
	// Only that there is no namespace is an answer. Quotas and policies may well refuse the event.
	_, err = n.Events.Events(name).Create(ctx, dryRunEvent(name), metav1.CreateOptions{DryRun: dryRun})
	if isOf(err, "namespaces") {
		return fmt.Errorf("namespace %s, which WATCHED_NAMESPACES names, doesn't exist. Remedy: kubectl create namespace %[1]s, "+
			"and aero goes on by itself, or take it out of WATCHED_NAMESPACES", name)
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

// isOf says whether an error is that something of a resource isn't there.
func isOf(err error, resource string) bool {
	var status apierrors.APIStatus
	return apierrors.IsNotFound(err) && errors.As(err, &status) &&
		status.Status().Details != nil && status.Status().Details.Kind == resource
}

// Election asks whether the account may take part in leader election. Without the right, client-go tries forever.
type Election struct {
	Leases    coordinationclient.LeasesGetter
	Namespace string
	Name      string // of the lease
}

// Allowed is a Check. It gets the lease, and then makes or updates it without storing it.
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
		return fmt.Errorf("leader election needs namespace %s, which doesn't exist. Remedy: name another by --leader-election-namespace", e.Namespace)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("leader election: %w. Remedy: bind a Role in namespace %s to this account that allows to create leases, and "+
			"to get and update %s, as the chart does, or run one replica without --leader-elect", err, e.Namespace, e.Name)
	case err == nil, apierrors.IsConflict(err), apierrors.IsAlreadyExists(err): // another replica was faster
		return nil
	}
	return fmt.Errorf("reading the lease %s in namespace %s: %w", e.Name, e.Namespace, err)
}
