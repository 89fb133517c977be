package isolation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/tenant"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// visit is the life of one tenant in a world, and what it reached beyond its namespace.
type visit struct {
	*world
	tenant.Tenant
	boundaries
	rand      *rand.Rand
	namespace string
	objects   []testenv.Object
	readers   []client.Object   // that ask for Secrets of logins
	before    map[string]int    // resources of all others, by their types and names
	withID    map[string]string // those of them that calls name by an id, by that
	away      []testenv.Object  // manifests of others who can't come back before the tenant leaves
	breaches  []string
}

// visit lets the tenant of a seed come, act and leave.
func (w *world) visit(seed uint64, draw *rand.Rand) *visit {
	w.t.Helper()
	project := fmt.Sprintf("team-%d", seed)
	v := &visit{world: w, boundaries: drawBoundaries(draw, project, commons, legacy), rand: draw, namespace: fmt.Sprintf("tenant-%d", seed)}
	w.mu.Lock()
	w.disturbs = rand.New(rand.NewPCG(seed, 2))
	w.mu.Unlock()
	w.namespace(v.namespace, v.labels, v.annotations)
	if draw.IntN(2) == 0 {
		w.makeServices(project)
	}
	v.Tenant = tenant.New(seed, tenant.Surroundings{
		Examples: slices.Concat(w.variants, w.theirs), Namespace: v.namespace, Namespaces: []string{bank, commons}, Project: project,
		Projects: []string{bank, bank, commons, legacy, "my-project", "my-organization-project"}, IDs: w.ids(), Token: tenantToken,
		Shared: v.allowed(commons, legacy),
	})
	v.before, v.withID = w.resources(), w.resourcesByID()
	for _, step := range v.Steps {
		if draw.IntN(8) == 0 {
			require.NoError(w.t, w.WriteEvents(w.t.Context()))
			require.NoError(w.t, w.Restart())
		}
		v.take(step)
		if draw.IntN(3) > 0 { // else the next step comes before the operator sees this one
			v.reconcileAll()
		}
		v.othersAreUntouched()
		v.othersAct()
	}
	v.reconcileAll()
	v.othersAreUntouched()
	v.nothingLeaked()
	v.othersCanLeave()
	return v
}

// end ends the visit: the tenant leaves, and all is there that isn't its own.
func (v *visit) end() {
	v.leave()
	away := v.away
	v.away = nil
	for _, manifest := range away {
		v.comes(manifest)
	}
	now := v.resources()
	for r, n := range v.before {
		if now[r] < n && !v.isFree(r) {
			v.breach("%s of another is gone at Aiven", r)
		}
	}
}

func (v *visit) breach(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(v.breaches, text) {
		v.breaches = append(v.breaches, text)
	}
}

// take takes a step. What an API server would refuse fails, and changes nothing.
func (v *visit) take(step tenant.Step) {
	obj, ctx := step.Object.DeepCopyObject().(client.Object), v.t.Context()
	switch step.Verb {
	case tenant.Create:
		if v.admits(nil, obj) != nil || v.Create(ctx, obj) != nil {
			return
		}
		switch made := obj.(type) {
		case testenv.Object:
			v.objects, v.tenants = append(v.objects, made), append(v.tenants, made)
		case *aero.ConnectionSecret, *aero.ServiceUserRotation:
			v.readers = append(v.readers, made)
		}
	case tenant.Edit:
		var before client.Object
		_ = v.Change(ctx, obj, func() error {
			before = obj.DeepCopyObject().(client.Object)
			step.Change.Do(obj)
			return v.admits(before, obj)
		})
	case tenant.Delete:
		_ = v.Delete(ctx, obj)
	}
}

// admits is what the admission policies refuse tenants that have no more than the role edit: see config/admission.
func (v *visit) admits(before, now client.Object) error {
	for name, value := range now.GetAnnotations() {
		if before != nil && before.GetAnnotations()[name] == value {
			continue
		}
		switch short := strings.TrimPrefix(name, "controllers.aiven.io/"); {
		case short == "adoption-policy" && value != "Never",
			before != nil && slices.Contains([]string{"create-attempted", "taken-over", "generation-was-processed", "instance-is-running"}, short):
			return fmt.Errorf("annotation %s is refused", name)
		}
	}
	return nil
}

// reconcileAll reconciles what the tenant has, twice, in any order.
func (v *visit) reconcileAll() {
	for range 2 {
		v.rand.Shuffle(len(v.objects), func(i, j int) { v.objects[i], v.objects[j] = v.objects[j], v.objects[i] })
		for _, obj := range v.objects {
			requests, _ := v.reconcile(obj)
			for _, request := range requests {
				v.checkRequest(obj, request)
			}
			for _, call := range v.calls() {
				v.checkCall(obj, call)
			}
			_ = v.Get(v.t.Context(), client.ObjectKeyFromObject(obj), obj) // it may be gone
			if ready := testenv.Find(obj, "Ready"); ready != nil {
				v.outcomes[ready.Reason] = true
			}
		}
		others := slices.Clone(v.readers)
		for _, secret := range v.secretsIn(v.namespace) {
			others = append(others, &secret)
		}
		for _, obj := range others {
			requests, _ := v.reconcile(obj)
			for _, request := range requests {
				v.checkRequest(obj, request)
			}
			if len(v.calls()) > 0 {
				v.breach("For %s the operator called Aiven: %v", describe(obj), v.calls())
			}
		}
	}
}

// leave ends the tenant: its objects are deleted as the operator does it, and what stays then, by force.
func (v *visit) leave() {
	ctx := v.t.Context()
	for _, obj := range v.objects {
		_ = v.Delete(ctx, obj)
	}
	for _, obj := range v.readers {
		_ = v.Delete(ctx, obj)
	}
	for range 3 {
		v.reconcileAll()
	}
	for _, obj := range v.objects {
		_ = v.Change(ctx, obj, func() error { obj.SetFinalizers(nil); return nil })
		_ = v.Delete(ctx, obj)
	}
}
