package startup

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
)

// The lease of aiven-operator is checked before the start, and afterwards.
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,resourceNames=40db2fac.aiven.io,verbs=list

const (
	// aivenOperatorLease is the lease of the leader election of aiven/aiven-operator.
	aivenOperatorLease = "40db2fac.aiven.io"
	// aivenOperatorNamespace is where it is installed, unless its users choose another one.
	aivenOperatorNamespace = "aiven-operator-system"
	// defaultLeaseDuration is for leases without a duration.
	defaultLeaseDuration = 15 * time.Second
	// leaseInterval is the interval at which the lease is read while we work.
	leaseInterval = 10 * time.Second
)

// AivenOperator detects a running aiven-operator: two operators would overwrite each other's changes. It isn't safe for
// concurrent use.
type AivenOperator struct {
	Leases     coordinationclient.LeasesGetter
	Pods       coreclient.PodsGetter
	Namespaces []string                    // to search
	LeftOut    func(namespace string) bool // reports whether one can't be searched; nil for none
	Now        func() time.Time

	seen map[types.NamespacedName]renewal
}

// renewal is the latest renewal of a lease.
type renewal struct {
	version string
	at      time.Time // by our clock, if the lease changed since we read it first
}

// Absent is a Check. It fails while aiven-operator holds its lease, or if leases can't be listed.
func (a *AivenOperator) Absent(ctx context.Context) error {
	leases, err := a.list(ctx)
	if err != nil {
		return err
	}
	held, doubt := a.heldByPod(ctx, leases)
	if held == nil {
		return nil
	}
	return fmt.Errorf("aiven-operator is running: %q holds lease %s in namespace %s%s. Two operators would overwrite each other's changes, "+
		"so aero waits. Remedy: scale aiven-operator's Deployment in namespace %[3]s to 0; no restart of aero is needed",
		*held.Spec.HolderIdentity, aivenOperatorLease, held.Namespace, doubt)
}

// Appeared returns nil when ctx is done, or an error as soon as aiven-operator holds its lease. Errors of a list are ignored:
// Absent has shown that the permission is there, and a namespace that is gone since hides no other.
func (a *AivenOperator) Appeared(ctx context.Context) error {
	for pause(ctx, leaseInterval) {
		leases, _ := a.list(ctx)
		if held, doubt := a.heldByPod(ctx, leases); held != nil {
			return fmt.Errorf("stopping because aiven-operator has started: %q holds lease %s in namespace %s%s. "+
				"Two operators would overwrite each other's changes. aero continues after a restart, once aiven-operator has stopped",
				*held.Spec.HolderIdentity, aivenOperatorLease, held.Namespace, doubt)
		}
	}
	return nil
}

func (a *AivenOperator) list(ctx context.Context) ([]coordinationv1.Lease, error) {
	// With this selector, permission to list leases of that name is enough.
	options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, aivenOperatorLease).String()}
	found := make([][]coordinationv1.Lease, len(a.Namespaces))
	errs := forEach(ctx, a.Namespaces, func(ctx context.Context, i int) error {
		if a.LeftOut != nil && a.LeftOut(a.Namespaces[i]) {
			return nil
		}
		leases, err := a.Leases.Leases(a.Namespaces[i]).List(ctx, options)
		if err != nil {
			return listError(a.Namespaces[i], err)
		}
		found[i] = leases.Items
		return nil
	})
	for _, err := range errs {
		if err != nil {
			return slices.Concat(found...), err
		}
	}
	return slices.Concat(found...), nil
}

func listError(namespace string, err error) error {
	remedy := ""
	if apierrors.IsForbidden(err) {
		remedy = ". Remedy: grant list of leases.coordination.k8s.io with the name " + aivenOperatorLease +
			", or set --aiven-operator-namespaces"
	}
	return fmt.Errorf("searching for aiven-operator's lease in namespace %s: %w%s", namespace, err, remedy)
}

// heldByPod is the first lease that a pod of its namespace holds, or nil: a user who may create leases only stops nothing. If pods
// can't be read, any holder counts, and the doubt says so: two operators would be worse than none.
func (a *AivenOperator) heldByPod(ctx context.Context, leases []coordinationv1.Lease) (lease *coordinationv1.Lease, doubt string) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	for _, lease := range a.held(leases) {
		// As controller-runtime writes it: the name of the host, which is that of the pod, and a UUID.
		name, _, _ := strings.Cut(*lease.Spec.HolderIdentity, "_")
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			continue // no pod has such a name, and the client reads none
		}
		_, err := a.Pods.Pods(lease.Namespace).Get(ctx, name, metav1.GetOptions{})
		switch {
		case err == nil:
			return lease, ""
		case !apierrors.IsNotFound(err):
			return lease, fmt.Sprintf(" (not known to be a pod: %v)", err)
		}
	}
	return nil, ""
}

// held are the leases that are held and have not expired.
func (a *AivenOperator) held(leases []coordinationv1.Lease) (held []*coordinationv1.Lease) {
	seen, now := map[types.NamespacedName]renewal{}, a.Now()
	for i := range leases {
		lease := &leases[i]
		key := types.NamespacedName{Namespace: lease.Namespace, Name: lease.Name}
		latest := latestRenewal(a.seen, key, lease, now)
		seen[key] = latest
		isHeld := lease.Name == aivenOperatorLease && lease.Spec.HolderIdentity != nil && strings.TrimSpace(*lease.Spec.HolderIdentity) != ""
		if isHeld && now.Sub(latest.at) < duration(lease) {
			held = append(held, lease)
		}
	}
	a.seen = seen
	return held
}

// latestRenewal allows for clocks that differ. The holder's time counts only when the lease is read first, and only if it is
// plausible. A later change of the lease is a renewal at our time, whatever the holder's clock shows.
func latestRenewal(before map[types.NamespacedName]renewal, key types.NamespacedName, lease *coordinationv1.Lease, now time.Time) renewal {
	last, known := before[key]
	switch {
	case known && last.version == lease.ResourceVersion:
		return last
	case known:
		return renewal{lease.ResourceVersion, now}
	case lease.Spec.RenewTime != nil && now.Sub(lease.Spec.RenewTime.Time).Abs() < duration(lease):
		return renewal{lease.ResourceVersion, lease.Spec.RenewTime.Time}
	}
	return renewal{version: lease.ResourceVersion}
}

func duration(lease *coordinationv1.Lease) time.Duration {
	if seconds := lease.Spec.LeaseDurationSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return defaultLeaseDuration
}
