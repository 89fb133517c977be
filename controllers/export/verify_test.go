package export

import (
	"context"
	"sync"
	"testing"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/kinds/postgres"
)

// A correct export has no difference: a comparison that never finds one would pass each other test.
func TestADraftThatIsNotAsAivenHasItIsADifferenceOfTheField(t *testing.T) {
	for name, tc := range map[string]struct {
		alter func(*v1alpha1.ConnectionPoolSpec)
		want  []Note
	}{
		"nothing": {alter: func(*v1alpha1.ConnectionPoolSpec) {}},
		"a size": {
			alter: func(spec *v1alpha1.ConnectionPoolSpec) { spec.PoolSize = 20 },
			want:  []Note{{"service my-pg: connection pool pool", `spec.poolSize is "20" in the manifest, and "10" at Aiven`}},
		},
		"another service": {
			alter: func(spec *v1alpha1.ConnectionPoolSpec) { spec.ServiceName = "without" },
			want:  []Note{{"service my-pg: connection pool pool", "the controller of the kind doesn't find it at Aiven"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			inProject(a, aiventest.Object{"databases": []any{"orders"}, "connection_pools": []any{
				aiventest.Object{"pool_name": "pool", "database": "orders", "pool_mode": "session", "pool_size": 10},
			}}, aiventest.Object{"service_name": "without", "databases": []any{"orders"}})
			o := Options{Project: aiventest.Project, Verify: true}
			e := &exporter{Options: o, client: a.Client(), result: &Result{}, memories: map[string]*sync.Map{}, drafted: map[string]bool{}}
			service, err := e.client.Service(t.Context(), o.Project, "my-pg")
			require.NoError(t, err)
			obj := exportPool(service.Pools["pool"])
			obj.Name, obj.Spec.ServiceDependant = "pool", in(service)
			tc.alter(&obj.Spec)
			add(e, postgres.Pool, obj, about(service, "connection pool", "pool"))
			e.finish(t.Context(), e.drafts[0])
			assert.Equal(t, tc.want, e.result.Differences)
			assert.Len(t, e.result.Manifests, 1, "it is there to be corrected")
		})
	}
}

func TestWhatAComparisonFindsIsADifferenceOrWhyThereIsNone(t *testing.T) {
	exists, size := status.Remote{Exists: true}, plan.Diff{{Path: "spec.poolSize", Wanted: "20", Found: "10"}}
	off := []status.Service{{Name: "my-pg", Exists: true, State: "POWEROFF"}}
	forbidden := avngen.Error{Status: 403, OperationID: "ServiceGet", Message: "Not allowed"}
	differs := []Note{{"pool", `spec.poolSize is "20" in the manifest, and "10" at Aiven`}}
	for name, tc := range map[string]struct {
		seen controllers.Observation
		err  error
		want Result
	}{
		"as Aiven has it":                {seen: controllers.Observation{Remote: exists}},
		"another value":                  {seen: controllers.Observation{Remote: exists, Diff: size}, want: Result{Differences: differs}},
		"a value that Aiven is ahead of": {seen: controllers.Observation{Remote: exists, Newer: size}, want: Result{Differences: differs}},
		"a value that can't be written yet": {
			seen: controllers.Observation{Remote: exists, Diff: size, WaitFor: "it moves"}, want: Result{Differences: differs},
		},
		"what has to be waited for": {
			seen: controllers.Observation{Remote: exists, WaitFor: "it moves"}, want: Result{Uncompared: []Note{{"pool", "it moves"}}},
		},
		"a service that is off": {
			seen: controllers.Observation{Services: off}, want: Result{Uncompared: []Note{{"pool", "service my-pg is POWEROFF"}}},
		},
		"a spec that the controller refuses": {
			err: fault.InvalidSpec("spec.poolSize", "must be positive"), want: Result{Differences: []Note{{"pool", "spec.poolSize: must be positive"}}},
		},
		"what the token may not read": {err: forbidden, want: Result{Unread: []Note{{"pool", withRemedy(forbidden)}}}},
	} {
		t.Run(name, func(t *testing.T) {
			e := &exporter{result: &Result{}}
			e.verify(t.Context(), &draft{what: "pool", observe: func(context.Context) (controllers.Observation, error) { return tc.seen, tc.err }})
			assert.Equal(t, tc.want, *e.result)
		})
	}
}
