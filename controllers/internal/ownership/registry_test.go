package ownership

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func object(name string, changes ...func(*metav1.ObjectMeta)) *v1alpha1.Database {
	meta := metav1.ObjectMeta{
		Namespace: "apps", Name: name, UID: types.UID("uid-" + name), CreationTimestamp: metav1.NewTime(noon),
	}
	for _, change := range changes {
		change(&meta)
	}
	return &v1alpha1.Database{ObjectMeta: meta}
}

func finalized(meta *metav1.ObjectMeta) { meta.Finalizers = []string{FinalizerName} }

// created has what is written before the first creation.
func created(meta *metav1.ObjectMeta) {
	finalized(meta)
	meta.Annotations = map[string]string{annotation.Attempted: string(meta.UID)}
}

func paused(meta *metav1.ObjectMeta) { meta.Annotations = map[string]string{annotation.Paused: "true"} }

// annotatedToo keeps the annotations that there are.
func annotatedToo(change func(*metav1.ObjectMeta)) func(*metav1.ObjectMeta) {
	return func(meta *metav1.ObjectMeta) {
		before := meta.Annotations
		change(meta)
		maps.Copy(meta.Annotations, before)
	}
}

func older(meta *metav1.ObjectMeta) { meta.CreationTimestamp = metav1.NewTime(noon.Add(-time.Hour)) }

func annotated(name string) func(*metav1.ObjectMeta) {
	return func(meta *metav1.ObjectMeta) { meta.Annotations = map[string]string{name: "1"} }
}

func TestBeginMarksWhatMayExistFromNowOn(t *testing.T) {
	for name, tc := range map[string]struct {
		obj                *v1alpha1.Database
		creates            bool
		changed, attempted bool
	}{
		"before a create":                          {object("x"), true, true, true},
		"without a create":                         {object("x"), false, true, false},
		"before the create of what was adopted":    {object("x", finalized), true, true, true},
		"again, before a create":                   {object("x", created), true, false, true},
		"before a create, by a copy of another":    {object("x", finalized, annotated(annotation.Attempted)), true, true, true},
		"again, without a create":                  {object("x", finalized), false, false, false},
		"before a create by an earlier generation": {object("x", finalized, annotated(annotation.Processed)), true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.changed, Begin(tc.obj, tc.creates))
			assert.True(t, HasFinalizer(tc.obj))
			assert.Equal(t, tc.attempted, Attempted(tc.obj))
			assert.True(t, End(tc.obj))
			assert.False(t, HasFinalizer(tc.obj))
			assert.False(t, End(tc.obj), "it was gone")
		})
	}
}

func TestACreateWasAttemptedIfAnyAnnotationOfItIsLeft(t *testing.T) {
	for name, want := range map[string]bool{
		annotation.Attempted: true, annotation.Processed: true, annotation.Running: true, annotation.TakenOver: false,
	} {
		assert.Equal(t, want, Attempted(object("x", annotated(name))), name)
	}
	assert.False(t, Attempted(object("x")))
}

func TestTheValueOfAnIdentity(t *testing.T) {
	services := []aiven.ServiceKey{{Project: "demo", Service: "kafka"}, {Project: "other", Service: "pg"}}
	for name, tc := range map[string]struct {
		identity Identity
		services []aiven.ServiceKey
		want     string
	}{
		"none":                          {Identity{None: true, Entry: "user/a"}, services, ""},
		"an entry of a service":         {Identity{Entry: "user/a"}, services[:1], "demo/kafka/user/a"},
		"an entry of two services":      {Identity{Entry: "integration/x"}, services, "demo/kafka/other/pg/integration/x"},
		"a name, whatever the services": {Identity{Name: "org/step"}, services, "org/step"},
		"the service itself":            {Identity{Group: "service"}, services[:1], "demo/kafka/"},
		"nothing":                       {Identity{}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, tc.identity.Value(tc.services)) })
	}
}

func TestDuplicatesAreTheOtherObjectsOfAGroupWithTheIdentity(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	byLabel := func(obj client.Object) []string { return []string{obj.GetLabels()["identity"]} }
	labelled := func(meta *metav1.ObjectMeta) { meta.Labels = map[string]string{"identity": "demo/pg"} }
	user := &v1alpha1.ServiceUser{ObjectMeta: object("user", labelled).ObjectMeta}
	cluster := fake.NewClientBuilder().WithScheme(scheme).
		WithIndex(&v1alpha1.Database{}, Index, byLabel).WithIndex(&v1alpha1.ServiceUser{}, Index, byLabel).
		WithObjects(object("me", labelled), object("twin", labelled), object("stranger"), user).Build()
	lister := func(kind string, reader client.Reader) enqueue.Lister {
		return enqueue.Lister{Reader: reader, Kind: v1alpha1.GroupVersion.WithKind(kind), Scheme: scheme}
	}
	failing := interceptor.NewClient(cluster, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return errors.New("boom")
		},
	})
	registry := &Registry{}
	registry.Add("alone", lister("Database", cluster))
	registry.Add("together", lister("Database", cluster))
	registry.Add("together", lister("ServiceUser", cluster))
	registry.Add(ProjectGroup, lister("Database", cluster))
	registry.Add(ProjectGroup, lister("ServiceUser", cluster))
	registry.Add("broken", lister("Database", failing))
	for name, tc := range map[string]struct {
		group, identity string
		want            []string
		fails           bool
	}{
		"of its kind":                 {"alone", "demo/pg", []string{"Database apps/twin"}, false},
		"of all kinds of a group":     {"together", "demo/pg", []string{"Database apps/twin", "ServiceUser apps/user"}, false},
		"of a group that shares more": {ProjectGroup, "demo/pg", []string{"Database apps/twin", "ServiceUser apps/user"}, false},
		"of another identity":         {"alone", "demo/other", nil, false},
		"of an empty identity":        {"broken", "", nil, false},
		"of a group without kinds":    {"unknown", "demo/pg", nil, false},
		"of what can't be listed":     {"broken", "demo/pg", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := registry.Duplicates(t.Context(), tc.group, tc.identity, object("me", labelled))
			assert.Equal(t, tc.fails, err != nil)
			var names []string
			for _, duplicate := range found {
				names = append(names, duplicate.String())
				assert.Equal(t, tc.group == "together" && duplicate.Kind == "ServiceUser", duplicate.OtherKind, "projects are managed by two kinds")
			}
			assert.Equal(t, tc.want, names)
		})
	}
}
