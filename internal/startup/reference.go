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
	// referenceLease is what the replicas of the reference operator, aiven/aiven-operator, agree on a leader by.
	referenceLease = "40db2fac.aiven.io"
	// referenceDuration is for leases that name no duration.
	referenceDuration = 15 * time.Second
	// watchEvery is the pause between two looks at the lease of an operator that may still start.
	watchEvery = 10 * time.Second
)

// AivenOperator looks for the reference operator: two operators would work against each other. It isn't safe for concurrent use.
type AivenOperator struct {
	Leases     coordinationclient.LeasesGetter
	Namespaces []string // where to look; everywhere, if empty
	Now        func() time.Time

	seen map[types.NamespacedName]sighting
}

// sighting is what is remembered of a lease.
type sighting struct {
	version string
	renewed time.Time // by our clock, if we saw it change
}

// Absent is a Check: it fails while a lease of the reference operator is freshly held, or can't be looked for.
func (r *AivenOperator) Absent(ctx context.Context) error {
	leases, err := r.list(ctx)
	if err != nil {
		return err
	}
	held := r.held(leases)
	if held == nil {
		return nil
	}
	return fmt.Errorf("the reference operator is at work: %q holds the lease %s in namespace %s. Two operators would work against "+
		"each other, so aero waits. Remedy: scale the reference operator's Deployment in namespace %[3]s to 0, and aero goes on by itself",
		*held.Spec.HolderIdentity, referenceLease, held.Namespace)
}

// Appeared returns nil when ctx is done, or an error as soon as the reference operator works beside us. A look that fails
// is no news: it was allowed once.
func (r *AivenOperator) Appeared(ctx context.Context) error {
	for pause(ctx, watchEvery) {
		leases, err := r.list(ctx)
		if err != nil {
			continue
		}
		if held := r.held(leases); held != nil {
			return fmt.Errorf("stepping aside: the reference operator has started: %q holds the lease %s in namespace %s. "+
				"Two operators would work against each other. aero starts again when that one is gone",
				*held.Spec.HolderIdentity, referenceLease, held.Namespace)
		}
	}
	return nil
}

func (r *AivenOperator) list(ctx context.Context) ([]coordinationv1.Lease, error) {
	namespaces := r.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	// With this selector, the right to list leases of that name is enough.
	options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, referenceLease).String()}
	var all []coordinationv1.Lease
	for _, namespace := range namespaces {
		leases, err := r.Leases.Leases(namespace).List(ctx, options)
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
		remedy = ". Remedy: grant list of leases.coordination.k8s.io with the name " + referenceLease +
			", or name the namespaces to look in by --reference-namespaces"
	}
	where := "all namespaces"
	if namespace != metav1.NamespaceAll {
		where = "namespace " + namespace
	}
	return fmt.Errorf("looking for the reference operator's lease in %s: %w%s", where, err, remedy)
}

// held is the first lease that is freshly held, or nil.
func (r *AivenOperator) held(leases []coordinationv1.Lease) (held *coordinationv1.Lease) {
	seen, now := map[types.NamespacedName]sighting{}, r.Now()
	for i := range leases {
		lease := &leases[i]
		key := types.NamespacedName{Namespace: lease.Namespace, Name: lease.Name}
		latest := look(r.seen, key, lease, now)
		seen[key] = latest
		isHeld := lease.Name == referenceLease && lease.Spec.HolderIdentity != nil && strings.TrimSpace(*lease.Spec.HolderIdentity) != ""
		if held == nil && isHeld && now.Sub(latest.renewed) < duration(lease) {
			held = lease
		}
	}
	r.seen = seen
	return held
}

// look is what to remember of a lease. Clocks differ: what its holder says is believed at first sight only, and only if it
// may be true. A change that we see ourselves is a renewal, whatever the holder's clock says.
func look(before map[types.NamespacedName]sighting, key types.NamespacedName, lease *coordinationv1.Lease, now time.Time) sighting {
	last, known := before[key]
	switch {
	case known && last.version == lease.ResourceVersion:
		return last
	case known:
		return sighting{lease.ResourceVersion, now}
	case lease.Spec.RenewTime != nil && now.Sub(lease.Spec.RenewTime.Time).Abs() < duration(lease):
		return sighting{lease.ResourceVersion, lease.Spec.RenewTime.Time}
	}
	return sighting{version: lease.ResourceVersion}
}

func duration(lease *coordinationv1.Lease) time.Duration {
	if seconds := lease.Spec.LeaseDurationSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return referenceDuration
}
