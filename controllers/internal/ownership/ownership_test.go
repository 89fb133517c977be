package ownership

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
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
		"one that was left out claims nothing":     {Identity{}, keys("pg"), ""},
		"what may overlap has none":                {Identity{None: true}, keys("pg"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, tc.identity.Value(tc.services))
		})
	}
}

func TestTheOwnerIsTheOneOfAllThatManagesTheResource(t *testing.T) {
	waits, has := Duplicate{Object: object("waits", older), Kind: "Flink"}, Duplicate{Object: object("has", finalized), Kind: "OpenSearch"}
	for _, duplicates := range [][]Duplicate{{waits, has}, {has, waits}} {
		owner, managed := OwnerOf(object("me"), duplicates)
		assert.True(t, managed)
		assert.Equal(t, "OpenSearch apps/has", owner.String(), "the other one has a conflict, too")
	}
}

func TestAnObjectOfAnotherKindHasTheNameAndKeepsNothing(t *testing.T) {
	other := Duplicate{Object: object("other", older), OtherKind: true}
	owner, managed := OwnerOf(object("me"), []Duplicate{other})
	assert.True(t, managed)
	assert.Equal(t, other, owner)
	_, shared := HeirOf([]Duplicate{other})
	assert.False(t, shared)
	heir, shared := HeirOf([]Duplicate{other, {Object: object("twin"), Kind: "Database"}})
	assert.True(t, shared)
	assert.Equal(t, "twin", heir.GetName())
}

func TestOneOfTheObjectsWithAnIdentityManagesTheResource(t *testing.T) {
	at := func(second int64, change func(*v1alpha1.Database)) Duplicate {
		obj := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(time.Unix(second, 0))}}
		change(obj)
		return Duplicate{Object: obj, Kind: "Database"}
	}
	plain := func(*v1alpha1.Database) {}
	finalized := func(d *v1alpha1.Database) { d.Finalizers = []string{FinalizerName} }
	going := func(d *v1alpha1.Database) { d.DeletionTimestamp = &metav1.Time{Time: time.Unix(9, 0)} }
	both := func(d *v1alpha1.Database) { finalized(d); going(d) }
	for name, tc := range map[string]struct {
		obj, other  Duplicate
		owner, heir bool
	}{
		"the older one":                               {at(2, plain), at(1, plain), true, true},
		"not the younger one":                         {at(1, plain), at(2, plain), false, true},
		"the one that has begun":                      {at(1, plain), at(2, finalized), true, true},
		"one that has begun and is being deleted":     {at(1, plain), at(2, both), true, false},
		"not one that is deleted before it has begun": {at(2, plain), at(1, going), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, managed := OwnerOf(tc.obj, []Duplicate{tc.other})
			assert.Equal(t, tc.owner, managed)
			_, shared := HeirOf([]Duplicate{tc.other})
			assert.Equal(t, tc.heir, shared)
		})
	}
}
