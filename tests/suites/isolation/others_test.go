package isolation_test

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

func isAnyone(testenv.Object) bool { return true }

// canLeave reports whether an object of another can be deleted without those of others, and of tenants who may use its project: services of
// theirs may be in its VPC, even after they have left.
func canLeave(obj testenv.Object) bool {
	return isLeaf(obj) && (obj.GetNamespace() != commons || kindOf(obj) != "ProjectVPC")
}

// isOfTheCommons reports whether tenants may contend with an object, and it can leave to them what it has.
func isOfTheCommons(obj testenv.Object) bool { return obj.GetNamespace() == commons && canLeave(obj) }

// anyVictim is an object of another, mostly of one of a kind that the tenant has objects of.
func (v *visit) anyVictim(suits func(testenv.Object) bool) testenv.Object {
	var all, alike []testenv.Object
	for _, victim := range v.victims {
		if !suits(victim) {
			continue
		}
		all = append(all, victim)
		if slices.ContainsFunc(v.objects, func(obj testenv.Object) bool { return kindOf(obj) == kindOf(victim) }) {
			alike = append(alike, victim)
		}
	}
	if len(alike) == 0 || v.rand.IntN(4) == 0 {
		return all[v.rand.IntN(len(all))]
	}
	return alike[v.rand.IntN(len(alike))]
}

// othersAreUntouched reconciles some of the others: they are ready, and nothing is to be done about them.
func (v *visit) othersAreUntouched() {
	for range 2 {
		obj := v.anyVictim(isAnyone)
		_, err := v.reconcile(obj)
		for _, call := range v.calls() {
			if call.writes() {
				v.breach("For %s, which is another's and at rest, the operator called Aiven: %s", describe(obj), call)
			}
		}
		if getErr := v.Get(v.t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil || getErr != nil {
			v.breach("The reconcile of %s, which is another's, failed: %v, %v", describe(obj), err, getErr)
			continue
		}
		if !isReady(obj) {
			v.breach("%s, which is another's, isn't ready any more", describe(obj))
		}
	}
}

// othersCanLeave deletes an object of another, and applies it again: neither is held up, and what it had at Aiven goes with it.
func (v *visit) othersCanLeave() { v.replace(v.anyVictim(canLeave)) }

// othersAct lets another leave and come back, or edit what it has, now and then: then it is younger than what the tenant has. Most often it is
// one with which the tenant contends, and who is away tries to come back.
func (v *visit) othersAct() {
	if n := len(v.away); n > 0 && v.rand.IntN(2) == 0 {
		manifest := v.away[n-1]
		v.away = v.away[:n-1]
		v.comes(manifest)
	}
	contended := func(obj testenv.Object) bool { return isOfTheCommons(obj) && v.contends(obj) }
	if slices.ContainsFunc(v.victims, contended) && v.rand.IntN(2) == 0 {
		v.replace(v.anyVictim(contended))
		return
	}
	switch v.rand.IntN(12) {
	case 0, 1:
		v.replace(v.anyVictim(isOfTheCommons))
	case 2:
		v.edit(v.anyVictim(func(obj testenv.Object) bool { return v.twin(obj) != nil }))
	}
}

// contends reports whether the tenant has an object that waits for what an object of another has.
func (v *visit) contends(victim testenv.Object) bool {
	return slices.ContainsFunc(v.objects, func(obj testenv.Object) bool {
		ready := testenv.Find(obj, "Ready")
		return ready != nil && ready.Reason == "Conflict" && v.isBeside(obj, victim)
	})
}

// replace deletes an object of another, and applies it again. In between the tenant may have what it had.
func (v *visit) replace(obj testenv.Object) {
	manifest, gone := v.goesNow(obj)
	if !gone {
		return
	}
	if v.rand.IntN(3) > 0 {
		v.reconcileAll()
	}
	v.comes(manifest)
}

// twin is another object of the same kind and owner; nil for none.
func (v *visit) twin(obj testenv.Object) testenv.Object {
	for _, other := range v.victims {
		if other != obj && kindOf(other) == kindOf(obj) && other.GetNamespace() == obj.GetNamespace() && isLeaf(obj) {
			return other
		}
	}
	return nil
}

// edit gives an object of another the spec of its twin, which is away meanwhile, and then its own. What can't
// be edited back is made again.
func (v *visit) edit(obj testenv.Object) {
	own := again(obj)
	twin, gone := v.goesNow(v.twin(obj))
	if !gone {
		return
	}
	become := func(spec testenv.Object) bool {
		refused := v.Change(v.t.Context(), obj, func() error { setSpec(obj, spec); return nil }) != nil
		require.NoError(v.t, v.Get(v.t.Context(), client.ObjectKeyFromObject(obj), obj))
		return !refused
	}
	if become(twin) && v.arrives(obj, own) {
		if v.rand.IntN(2) == 0 {
			v.reconcileAll()
		}
		if become(own) {
			v.outcomes["another was edited"] = v.arrives(obj, own) || v.outcomes["another was edited"]
		} else if _, gone = v.goesNow(obj); gone {
			v.comes(own)
		}
	}
	v.comes(twin)
}

func setSpec(obj, other testenv.Object) {
	reflect.ValueOf(obj).Elem().FieldByName("Spec").Set(reflect.ValueOf(other.DeepCopyObject()).Elem().FieldByName("Spec"))
}

// observing lets others do something, and knows then what they have.
func (v *visit) observing(do func()) {
	had, hadID := v.resources(), v.resourcesByID()
	do()
	now := v.resources()
	for r, n := range had {
		if v.before[r] += now[r] - n; v.before[r] <= 0 {
			delete(v.before, r)
		}
	}
	for r, n := range now {
		if had[r] == 0 {
			v.before[r] += n
		}
	}
	for id, r := range v.resourcesByID() {
		if hadID[id] == "" {
			v.withID[id] = r
		}
	}
}

// goesNow deletes an object of another, and returns its manifest.
func (v *visit) goesNow(obj testenv.Object) (manifest testenv.Object, gone bool) {
	manifest, before := again(obj), len(v.aiven.Resources())
	require.NoError(v.t, v.Delete(v.t.Context(), obj))
	v.victims = slices.DeleteFunc(v.victims, func(victim testenv.Object) bool { return victim == obj })
	v.observing(func() { gone = v.goes(obj) })
	if !gone {
		v.breach("%s, which is another's, can't be deleted", describe(obj))
	} else if len(v.aiven.Resources()) >= before && !v.isShared(obj) {
		v.breach("%s, which is another's, was deleted, and its resource is left at Aiven", describe(obj))
	}
	return manifest, gone
}

// comes applies the manifest of another: it isn't held up.
func (v *visit) comes(manifest testenv.Object) {
	own := again(manifest)
	require.NoError(v.t, v.Create(v.t.Context(), manifest))
	v.victims = append(v.victims, manifest)
	v.outcomes["another came back"] = v.arrives(manifest, own) || v.outcomes["another came back"]
}

// arrives waits until an object of another is ready. Where a tenant may have the same, and has it, the object is away for the time of it.
func (v *visit) arrives(obj, own testenv.Object) bool {
	settled := func(obj testenv.Object) bool { return isReady(obj) || isRefused(obj) }
	for range 5 { // the tenant may be about to have it
		v.observing(func() { v.settleUntil([]testenv.Object{obj}, settled) })
		if isReady(obj) {
			return true
		}
		if v.isTaken(obj) {
			break
		}
		v.reconcileAll()
	}
	if !v.isTaken(obj) && !v.isLeft(obj) {
		v.breach("%s, which is another's and new, isn't ready beside %s", describe(obj), describeOwned(v.beside(obj)))
	}
	require.NoError(v.t, v.Delete(v.t.Context(), obj))
	v.victims = slices.DeleteFunc(v.victims, func(victim testenv.Object) bool { return victim == obj })
	v.away = append(v.away, own)
	v.observing(func() {
		if !v.goes(obj) {
			v.breach("%s, which is another's and owns nothing, can't be deleted", describe(obj))
		}
	})
	return false
}

// isRefused reports whether an object can't have what it asks for, as it is there.
func isRefused(obj testenv.Object) bool {
	ready := testenv.Find(obj, "Ready")
	return ready != nil && slices.Contains([]string{"Conflict", "AlreadyExists"}, ready.Reason)
}

// isTaken reports whether an object is in conflict with that of a tenant who may use the project, and owns the resource, or may have made it
// by an attempt whose answer was lost.
func (v *visit) isTaken(obj testenv.Object) bool {
	ready := testenv.Find(obj, "Ready")
	if ready.Reason != "Conflict" || obj.GetNamespace() != commons {
		return false
	}
	return slices.ContainsFunc(v.beside(obj), mayOwn) // the message doesn't name one in another namespace
}

// isShared reports whether a tenant who may use the project has what an object has that is going: grants stay as long as an object has
// them. What a tenant's object has made, and another's has adopted while that only observed, is of both, and stays as long as one is there.
func (v *visit) isShared(obj testenv.Object) bool {
	return obj.GetNamespace() == commons && slices.ContainsFunc(v.beside(obj), func(beside testenv.Object) bool {
		return kindOf(obj) == "ClickhouseGrant" && mayOwn(beside) || owns(beside) && idOf(obj) != "" && idOf(obj) == idOf(beside)
	})
}

// mayOwn reports whether an object of a tenant owns what it is about, or has begun to make it.
func mayOwn(obj testenv.Object) bool {
	return owns(obj) || obj.GetAnnotations()["controllers.aiven.io/create-attempted"] == string(obj.GetUID())
}

func owns(obj testenv.Object) bool {
	recorded := obj.GetCommonStatus().Provenance
	return recorded != nil && recorded.UID == obj.GetUID() && recorded.Type != v1alpha1.ProvenanceObserved
}

// idOf is the id that Aiven has given to what an object has; empty for none.
func idOf(obj testenv.Object) string {
	id := reflect.ValueOf(obj).Elem().FieldByName("Status").FieldByName("ID")
	if !id.IsValid() || id.Kind() != reflect.String {
		return ""
	}
	return id.String()
}

// beside are the objects of all tenants that are like another's: of the same kind, and in the same service or project.
func (v *visit) beside(victim testenv.Object) []testenv.Object {
	return slices.DeleteFunc(slices.Clone(v.tenants), func(obj testenv.Object) bool {
		return kindOf(obj) != kindOf(victim) || v.Get(v.t.Context(), client.ObjectKeyFromObject(obj), obj) != nil || !v.isBeside(obj, victim)
	})
}

func (v *visit) isBeside(obj, victim testenv.Object) bool {
	if kindOf(obj) != kindOf(victim) {
		return false
	}
	_, project, service := v.place(victim)
	_, in, of := v.place(obj)
	return in == project && of == service
}

// describeOwned is describe for several, with what they own.
func describeOwned(objects []testenv.Object) (texts []string) {
	for _, obj := range objects {
		texts = append(texts, fmt.Sprintf("%s %v %v", describe(obj), obj.GetAnnotations(), obj.GetCommonStatus().Provenance))
	}
	return texts
}

// isLeft reports whether a tenant who may use the project can have left there what an object asks for.
func (v *visit) isLeft(obj testenv.Object) bool {
	return testenv.Find(obj, "Ready").Reason == "AlreadyExists" && obj.GetNamespace() == commons && len(v.allowed(commons)) > 0
}
