package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

func TestIdentities(t *testing.T) {
	keys := func(names ...string) (services []aiven.ServiceKey) {
		for _, name := range names {
			services = append(services, aiven.ServiceKey{Project: "prj", Service: name})
		}
		return services
	}
	for name, tc := range map[string]struct {
		identity Identity
		services []aiven.ServiceKey
		want     string
	}{
		"a service is its own identity":            {Identity{Group: "service"}, keys("pg"), "prj/pg/"},
		"an entry is one in its service":           {Identity{Entry: aiven.UserEntry("joe")}, keys("pg"), "prj/pg/user/joe"},
		"an entry of two services is one for both": {Identity{Entry: "link"}, keys("a", "b"), "prj/a/prj/b/link"},
		"a name is one without a service":          {Identity{Name: "prj/cloud/10.0.0.0"}, nil, "prj/cloud/10.0.0.0"},
		"one that was left out owns nothing":       {Identity{}, keys("pg"), ""},
		"what may overlap has none":                {Identity{None: true}, keys("pg"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, tc.identity.Value(tc.services))
		})
	}
}

func TestTheOwnerIsTheOldestOfThoseThatOwn(t *testing.T) {
	me, mine := object("me"), object("me", finalized, created)
	waits, pausedOne := object("waits", older), object("paused", older, finalized, paused)
	owner, oldest := object("owner", created), object("oldest", older, created)
	refused, proven := status(object("refused", older, created), condition.AuthValid, condition.ReasonAuthFailed), with(object("proven"), recorded(v1alpha1.ProvenanceAdopted, "proven"))
	leaving, going := object("leaving", created), object("going", created)
	leaving.DeletionTimestamp, going.DeletionTimestamp = &metav1.Time{Time: noon}, &metav1.Time{Time: noon}
	leaving.Finalizers = nil
	leaving.Status.Provenance = Adopted(leaving, noon)
	for name, tc := range map[string]struct {
		obj    *v1alpha1.Database
		others []*v1alpha1.Database
		want   string
	}{
		"none without duplicates":                 {me, nil, ""},
		"not one that waits":                      {me, []*v1alpha1.Database{waits}, ""},
		"not one with a finalizer of its own":     {me, []*v1alpha1.Database{pausedOne}, ""},
		"another one that owns it":                {me, []*v1alpha1.Database{waits, owner}, "owner"},
		"the object itself before a younger one":  {object("me", older, created), []*v1alpha1.Database{owner}, ""},
		"an older one before the object":          {mine, []*v1alpha1.Database{oldest}, "oldest"},
		"the oldest of three":                     {mine, []*v1alpha1.Database{oldest, object("zz", created)}, "oldest"},
		"one that is being deleted":               {me, []*v1alpha1.Database{going}, "going"},
		"not one that is paused in its attempt":   {me, []*v1alpha1.Database{object("squats", older, created, annotatedToo(paused))}, ""},
		"not one whose token was refused":         {me, []*v1alpha1.Database{refused}, ""},
		"one that owns it for sure":               {object("me", older, created), []*v1alpha1.Database{proven}, "proven"},
		"one that owns it for sure of two":        {me, []*v1alpha1.Database{oldest, proven}, "proven"},
		"one that has reserved it":                {object("me", older, created), []*v1alpha1.Database{object("holder", created), oldest}, "holder"},
		"one that has reserved it, not shown yet": {me, []*v1alpha1.Database{object("holder")}, "holder"},
		"not one that was let go":                 {me, []*v1alpha1.Database{leaving}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var duplicates []Duplicate
			for _, other := range tc.others {
				duplicates = append(duplicates, Duplicate{Object: other, Kind: "Database"})
			}
			reservations := &Reservations{}
			reservations.Of(joe, object("holder")).Take(nil)
			reservations.Of(joe, object("holder")).Rest()
			found, owned := reservations.Of(joe, tc.obj).OwnerOf(duplicates)
			assert.Equal(t, tc.want != "", owned)
			if owned {
				assert.Equal(t, tc.want, found.GetName())
			}
		})
	}
}

func TestWhatIsWithdrawnIsWhatWasAddedForTheCreation(t *testing.T) {
	processed := func(value string) func(*metav1.ObjectMeta) {
		return func(meta *metav1.ObjectMeta) {
			if meta.Annotations == nil {
				meta.Annotations = map[string]string{}
			}
			meta.Annotations[annotation.Processed] = value
		}
	}
	for name, tc := range map[string]struct {
		before, now *v1alpha1.Database
		withdrawn   bool
	}{
		"an attempt":                               {object("x"), object("x", finalized, created), true},
		"Aiven has accepted it meanwhile":          {object("x"), object("x", finalized, created, processed("1")), false},
		"a mark that was there before":             {object("x", processed("9")), object("x", finalized, created, processed("9")), true},
		"a user has removed the mark meanwhile":    {object("x", processed("9")), object("x", finalized, created), true},
		"Aiven has accepted another one meanwhile": {object("x", processed("9")), object("x", finalized, created, processed("1")), false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.withdrawn, Withdraw(tc.before)(tc.now))
			assert.Equal(t, !tc.withdrawn, HasFinalizer(tc.now))
		})
	}
}

func TestAnHeirIsNamedOrProvesItsAccessInTheNamespace(t *testing.T) {
	proven := func(obj *v1alpha1.Database, status metav1.ConditionStatus, generation int64) *v1alpha1.Database {
		obj.Status.Conditions = []metav1.Condition{{Type: condition.AuthValid, Status: status, ObservedGeneration: generation}}
		return obj
	}
	elsewhere := func(meta *metav1.ObjectMeta) { meta.Namespace = "other" }
	going := object("twin", created)
	going.DeletionTimestamp = &metav1.Time{Time: noon}
	goingElsewhere := object("twin", elsewhere, created)
	goingElsewhere.DeletionTimestamp = &metav1.Time{Time: noon}
	forbidden := object("twin", elsewhere)
	forbidden.Status.Conditions = []metav1.Condition{{Type: condition.Ready, Status: metav1.ConditionFalse, Reason: condition.ReasonProjectNotAllowed}}
	me, names := object("me", created), object("me", created, func(meta *metav1.ObjectMeta) {
		meta.Annotations[annotation.TransferTo] = "other/twin"
	})
	for name, tc := range map[string]struct {
		obj   *v1alpha1.Database
		other Duplicate
		want  bool
	}{
		"no token was accepted":               {me, Duplicate{Object: object("twin", finalized)}, false},
		"its token was accepted":              {me, Duplicate{Object: proven(object("twin"), metav1.ConditionTrue, 0)}, true},
		"its token was refused":               {me, Duplicate{Object: proven(object("twin"), metav1.ConditionFalse, 0)}, false},
		"the token of an earlier spec was":    {me, Duplicate{Object: proven(object("twin"), metav1.ConditionTrue, 7)}, false},
		"it has begun, and its token is gone": {me, Duplicate{Object: proven(object("twin", created), metav1.ConditionFalse, 0)}, false},
		"it is paused":                        {me, Duplicate{Object: proven(object("twin", paused), metav1.ConditionTrue, 0)}, false},
		"it owns the resource, too":           {me, Duplicate{Object: object("twin", created)}, true},
		"it is being deleted":                 {me, Duplicate{Object: going}, false},
		"it is of another kind":               {me, Duplicate{Object: object("twin", created), OtherKind: true}, false},
		"it is in another namespace":          {me, Duplicate{Object: proven(object("twin", elsewhere, created), metav1.ConditionTrue, 0)}, false},
		"it is named, from another namespace": {names, Duplicate{Object: object("twin", elsewhere)}, true},
		"its Namespace forbids the project":   {names, Duplicate{Object: forbidden}, false},
		"another one is named":                {names, Duplicate{Object: object("third", elsewhere)}, false},
		"another one is named, whatever":      {names, Duplicate{Object: object("twin", created)}, false},
		"the named one is being deleted":      {names, Duplicate{Object: goingElsewhere}, false},
	} {
		t.Run(name, func(t *testing.T) {
			heir, inherits := HeirOf(tc.obj, []Duplicate{tc.other})
			assert.Equal(t, tc.want, inherits)
			if inherits {
				assert.Equal(t, tc.other, heir)
			}
		})
	}
}
