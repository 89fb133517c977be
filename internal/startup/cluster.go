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

// Namespaces asks whether namespaces exist. No right to read them is needed: an event that isn't stored gets another answer
// where there is no namespace. Whether objects there may be read is what Watches tells.
type Namespaces struct {
	Events eventsclient.EventsGetter
	Names  []string
}

// Exist is a Check: it fails for the first namespace that doesn't exist.
func (n *Namespaces) Exist(ctx context.Context) error {
	for _, name := range n.Names {
		_, err := n.Events.Events(name).Create(ctx, trial(name), metav1.CreateOptions{DryRun: dryRun})
		if isOf(err, "namespaces") {
			return fmt.Errorf("namespace %s, which WATCHED_NAMESPACES names, doesn't exist. Remedy: kubectl create namespace %[1]s, "+
				"or take it out of watchedNamespaces of the chart", name)
		}
		if err != nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown {
			return fmt.Errorf("asking the API server for namespace %s: %w", name, err)
		}
	}
	return nil
}

// trial is an event that is never stored.
func trial(namespace string) *eventsv1.Event {
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
