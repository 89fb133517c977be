package metrics

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
)

func anObject(name string, phase v1alpha1.Phase, conditions ...metav1.Condition) *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{
		Namespace: "apps", Name: name, CreationTimestamp: metav1.NewTime(time.Unix(100, 0)),
	}}
	d.Status.Phase, d.Status.Conditions = phase, conditions
	return d
}

func is(kind string, status metav1.ConditionStatus, reason string, since int64) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason, LastTransitionTime: metav1.NewTime(time.Unix(since, 0))}
}

// collectorOf collects two kinds from a cache with some objects. Listing one of the kinds fails if broken.
func collectorOf(t *testing.T, broken bool, objects ...client.Object) *ObjectCollector {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	cache := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			assert.Contains(t, options, client.UnsafeDisableDeepCopy, "a scrape must not copy every object")
			if _, isUser := list.(*v1alpha1.ServiceUserList); isUser && broken {
				return errors.New("no such cache")
			}
			return c.List(ctx, list, options...)
		},
	}).Build()
	lister := func(kind string) enqueue.Lister {
		return enqueue.Lister{Reader: cache, Scheme: scheme, Kind: schema.GroupVersionKind{Group: "aiven.io", Version: "v1alpha1", Kind: kind}}
	}
	return &ObjectCollector{Kinds: []enqueue.Lister{lister("ServiceUser"), lister("Database")}, TokenOf: func(context.Context, string) (bool, bool) { return false, false }}
}

// scrape compares the result of a scrape while some collectors run.
func scrape(t *testing.T, want string, collectors ...*ObjectCollector) {
	t.Helper()
	c := &registry{collectors: map[*ObjectCollector]struct{}{}}
	for _, collector := range collectors {
		c.add(collector)
	}
	assert.NoError(t, testutil.CollectAndCompare(c, strings.NewReader(want)))
	problems, err := testutil.CollectAndLint(c)
	require.NoError(t, err)
	assert.Empty(t, problems)
}

const (
	objectsHead = `
# HELP aero_objects Number of objects by kind, phase, status and reason of their condition Ready, by the token that they use, whether they are paused, and by namespace if that is enabled.
# TYPE aero_objects gauge
`
	unreadyHead = `
# HELP aero_unready_since_timestamp_seconds Unix time since which the longest-unready object of a kind is not ready, by reason, and by namespace if that is enabled. Paused objects are not counted.
# TYPE aero_unready_since_timestamp_seconds gauge
`
	driftHead = `
# HELP aero_drifted_fields Number of fields in which Aiven differs from the spec and that are not corrected, by object. Only objects with drift that aren't paused have a series.
# TYPE aero_drifted_fields gauge
`
)

func TestObjectsAreCountedByTheirStatus(t *testing.T) {
	user := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "app"}}
	user.Status.Phase, user.Status.Conditions = "Failed", []metav1.Condition{is("Ready", "False", "InvalidSpec", 300)}
	c := collectorOf(t, false, user,
		anObject("a", "Ready", is("Ready", "True", "ReconciliationSucceeded", 200)),
		anObject("b", "Ready", is("Ready", "True", "ReconciliationSucceeded", 201)),
		anObject("c", ""),
		anObject("d", "Pending", is("Ready", "Unknown", "Progressing", 250)),
		anObject("e", "Pending", is("Ready", "Unknown", "Progressing", 240)),
		anObject("f", "Pending", is("Ready", "Unknown", "Progressing", 1), is("Paused", "True", "PausedByAnnotation", 2)),
	)
	scrape(t, objectsHead+`
aero_objects{kind="Database",object_namespace="",paused="false",phase="None",ready="Unknown",reason="None",token="none"} 1
aero_objects{kind="Database",object_namespace="",paused="false",phase="Pending",ready="Unknown",reason="Progressing",token="none"} 2
aero_objects{kind="Database",object_namespace="",paused="true",phase="Pending",ready="Unknown",reason="Progressing",token="none"} 1
aero_objects{kind="Database",object_namespace="",paused="false",phase="Ready",ready="True",reason="ReconciliationSucceeded",token="none"} 2
aero_objects{kind="ServiceUser",object_namespace="",paused="false",phase="Failed",ready="False",reason="InvalidSpec",token="none"} 1
`+unreadyHead+`
aero_unready_since_timestamp_seconds{kind="Database",object_namespace="",reason="None"} 100
aero_unready_since_timestamp_seconds{kind="Database",object_namespace="",reason="Progressing"} 240
aero_unready_since_timestamp_seconds{kind="ServiceUser",object_namespace="",reason="InvalidSpec"} 300
`, c)
}

func TestObjectsAreCountedByTheirToken(t *testing.T) {
	own := anObject("own", "Failed", is("Ready", "False", "AuthFailed", 200))
	own.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: "token"}
	objects := []client.Object{own, anObject("a", "Failed", is("Ready", "False", "AuthFailed", 200))}
	for name, tc := range map[string]struct {
		named, hasDefault bool
		others            string
	}{
		"the operator has a default token": {false, true, "default"},
		"the operator has none":            {false, false, "none"},
		"the Namespace names one":          {true, false, "secret"},
	} {
		t.Run(name, func(t *testing.T) {
			c := collectorOf(t, false, objects...)
			c.TokenOf = func(_ context.Context, namespace string) (bool, bool) {
				return namespace == "apps" && tc.named, tc.hasDefault
			}
			want := `aero_objects{kind="Database",object_namespace="",paused="false",phase="Failed",ready="False",reason="AuthFailed",token="secret"} 1
aero_objects{kind="Database",object_namespace="",paused="false",phase="Failed",ready="False",reason="AuthFailed",token="` + tc.others + `"} 1
`
			if tc.others == "secret" {
				want = `aero_objects{kind="Database",object_namespace="",paused="false",phase="Failed",ready="False",reason="AuthFailed",token="secret"} 2
`
			}
			scrape(t, objectsHead+want+unreadyHead+`aero_unready_since_timestamp_seconds{kind="Database",object_namespace="",reason="AuthFailed"} 200
`, c)
		})
	}
}

func TestObjectsAreCountedByTheirNamespaceIfThatIsEnabled(t *testing.T) {
	elsewhere := anObject("a", "Failed", is("Ready", "False", "Conflict", 200))
	elsewhere.Namespace = "other"
	c := collectorOf(t, false, anObject("a", "Failed", is("Ready", "False", "Conflict", 300)), elsewhere)
	c.ByNamespace = true
	scrape(t, objectsHead+`aero_objects{kind="Database",object_namespace="apps",paused="false",phase="Failed",ready="False",reason="Conflict",token="none"} 1
aero_objects{kind="Database",object_namespace="other",paused="false",phase="Failed",ready="False",reason="Conflict",token="none"} 1
`+unreadyHead+`aero_unready_since_timestamp_seconds{kind="Database",object_namespace="apps",reason="Conflict"} 300
aero_unready_since_timestamp_seconds{kind="Database",object_namespace="other",reason="Conflict"} 200
`, c)
}

func TestDriftIsCountedByObject(t *testing.T) {
	drifted := anObject("a", "Ready", is("Ready", "True", "Yes", 200))
	drifted.Status.Drift = []v1alpha1.DriftEntry{{}, {}}
	paused := anObject("c", "Ready", is("Ready", "True", "Yes", 200), is("Paused", "True", "PausedByAnnotation", 300))
	paused.Status.Drift = []v1alpha1.DriftEntry{{}}
	scrape(t, objectsHead+`aero_objects{kind="Database",object_namespace="",paused="false",phase="Ready",ready="True",reason="Yes",token="none"} 2
aero_objects{kind="Database",object_namespace="",paused="true",phase="Ready",ready="True",reason="Yes",token="none"} 1
`+driftHead+`aero_drifted_fields{kind="Database",name="a",namespace="apps"} 2
`, collectorOf(t, false, drifted, paused, anObject("b", "Ready", is("Ready", "True", "Yes", 200))))
}

func TestAKindThatCannotBeListedDoesNotHideTheOthers(t *testing.T) {
	scrape(t, objectsHead+`aero_objects{kind="Database",object_namespace="",paused="false",phase="Ready",ready="True",reason="Yes",token="none"} 1
`, collectorOf(t, true, anObject("a", "Ready", is("Ready", "True", "Yes", 200))))
}

func TestSeveralCollectorsAddUp(t *testing.T) {
	ready := func() client.Object { return anObject("a", "Ready", is("Ready", "True", "Yes", 200)) }
	scrape(t, objectsHead+`aero_objects{kind="Database",object_namespace="",paused="false",phase="Ready",ready="True",reason="Yes",token="none"} 2
`, collectorOf(t, false, ready()), collectorOf(t, false, ready()))
}

func TestACollectorTakesPartWhileItRuns(t *testing.T) {
	c := collectorOf(t, false, anObject("a", "Ready", is("Ready", "True", "Yes", 200)))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- c.Start(ctx) }()
	require.Eventually(t, func() bool { return testutil.CollectAndCount(running) == 1 }, time.Minute, time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
	assert.Zero(t, testutil.CollectAndCount(running))
	assert.Equal(t, 2, testutil.CollectAndCount(recreatedTotal), "what hasn't happened yet is 0")
}

// uncopied lists as the cache does without copies.
type uncopied struct {
	client.Reader
	objects []runtime.Object
}

func (p uncopied) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	return apimeta.SetList(list, p.objects)
}

func BenchmarkAScrapeWith10000Objects(b *testing.B) {
	scheme := runtime.NewScheme()
	require.NoError(b, v1alpha1.AddToScheme(scheme))
	var objects []runtime.Object
	for range 10_000 {
		objects = append(objects, anObject("a", "Ready", is("Ready", "True", "Yes", 200)))
	}
	kind := schema.GroupVersionKind{Group: "aiven.io", Version: "v1alpha1", Kind: "Database"}
	c := &registry{collectors: map[*ObjectCollector]struct{}{}}
	c.add(&ObjectCollector{Kinds: []enqueue.Lister{{Reader: uncopied{objects: objects}, Scheme: scheme, Kind: kind}}})
	b.ReportAllocs()
	for b.Loop() {
		testutil.CollectAndCount(c)
	}
}
