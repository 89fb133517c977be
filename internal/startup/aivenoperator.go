package startup

import (
	"context"
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

const (
	// aivenOperatorLease is the lease of the leader election of aiven/aiven-operator.
	aivenOperatorLease = "40db2fac.aiven.io"
	// defaultLeaseDuration is for leases without a duration.
	defaultLeaseDuration = 15 * time.Second
	// leaseInterval is the interval at which the lease is read while we work.
	leaseInterval = 10 * time.Second
)

// AivenOperator detects a running aiven-operator: two operators would overwrite each other's changes. It isn't safe for
// concurrent use.
type AivenOperator struct {
	Leases     coordinationclient.LeasesGetter
	Namespaces []string // to search, all if empty
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
	held := a.held(leases)
	if held == nil {
		return nil
	}
	return fmt.Errorf("aiven-operator is running: %q holds lease %s in namespace %s. Two operators would overwrite each other's changes, "+
		"so aero waits. Remedy: scale aiven-operator's Deployment in namespace %[3]s to 0; no restart of aero is needed",
		*held.Spec.HolderIdentity, aivenOperatorLease, held.Namespace)
}

// Appeared returns nil when ctx is done, or an error as soon as aiven-operator holds its lease. Errors of a list are ignored:
// Absent has shown that the permission is there.
func (a *AivenOperator) Appeared(ctx context.Context) error {
	for pause(ctx, leaseInterval) {
		leases, err := a.list(ctx)
		if err != nil {
			continue
		}
		if held := a.held(leases); held != nil {
			return fmt.Errorf("stopping because aiven-operator has started: %q holds lease %s in namespace %s. "+
				"Two operators would overwrite each other's changes. aero continues after a restart, once aiven-operator has stopped",
				*held.Spec.HolderIdentity, aivenOperatorLease, held.Namespace)
		}
	}
	return nil
}

func (a *AivenOperator) list(ctx context.Context) ([]coordinationv1.Lease, error) {
	namespaces := a.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	// With this selector, permission to list leases of that name is enough.
	options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, aivenOperatorLease).String()}
	var all []coordinationv1.Lease
	for _, namespace := range namespaces {
		leases, err := a.Leases.Leases(namespace).List(ctx, options)
		if err != nil {
			return nil, listError(namespace, err)
		}
		all = append(all, leases.Items...)
	}
	return all, nil
}

func listError(namespace string, err error) error {
	remedy := ""
	if apierrors.IsForbidden(err) {
		remedy = ". Remedy: grant list of leases.coordination.k8s.io with the name " + aivenOperatorLease +
			", or set --aiven-operator-namespaces"
	}
	where := "all namespaces"
	if namespace != metav1.NamespaceAll {
		where = "namespace " + namespace
	}
	return fmt.Errorf("searching for aiven-operator's lease in %s: %w%s", where, err, remedy)
}

// held is the first lease that is held and has not expired, or nil.
func (a *AivenOperator) held(leases []coordinationv1.Lease) (held *coordinationv1.Lease) {
	seen, now := map[types.NamespacedName]renewal{}, a.Now()
	for i := range leases {
		lease := &leases[i]
		key := types.NamespacedName{Namespace: lease.Namespace, Name: lease.Name}
		latest := latestRenewal(a.seen, key, lease, now)
		seen[key] = latest
		isHeld := lease.Name == aivenOperatorLease && lease.Spec.HolderIdentity != nil && strings.TrimSpace(*lease.Spec.HolderIdentity) != ""
		if held == nil && isHeld && now.Sub(latest.at) < duration(lease) {
			held = lease
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
