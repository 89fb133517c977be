package reference

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func TestReferrersHoldBackADeletion(t *testing.T) {
	target := referrer("apps", "target", to("/target", ""))
	target.UID = "t"
	going := referrer("apps", "going", to("/target", ""))
	going.DeletionTimestamp, going.Finalizers = ptr.To(metav1.Now()), []string{"example.org/wait"}
	going.UID = "g"
	far := referrer("far", "b", to("apps/target", ""), to("/else", ""))
	far.UID = "b"
	other := referrer("apps", "other", to("/else", ""))
	other.UID = "o"
	for name, tc := range map[string]struct {
		objects []client.Object
		want    []string
	}{
		"none refers to it":                     {objects: []client.Object{other}},
		"its reference to itself doesn't count": {objects: []client.Object{target, other}},
		"those of other namespaces count":       {objects: []client.Object{target, far, other}, want: []string{"ConfigMap far/b"}},
		"those that are being deleted count, by name": {
			objects: []client.Object{far, going, target}, want: []string{"ConfigMap apps/going", "ConfigMap far/b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			reader := fake.NewClientBuilder().
				WithIndex(&corev1.ConfigMap{}, secretSource.IndexKey(), secretSource.IndexFunc()).WithObjects(tc.objects...).Build()
			got, err := secretSource.Referrers(t.Context(), configMaps(reader), target)
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestAnObjectThatMustNotReferToATargetDoesNotHoldItBack(t *testing.T) {
	d := secretSource
	d.Ready = Typed(networkOf)
	target := &v1alpha1.ProjectVPC{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "target", UID: "t"}}
	target.Spec.Project = "demo"
	waits, strays := referrer("apps", "waits", to("/target", "")), referrer("apps", "strays", to("/target", ""))
	waits.UID, strays.UID = "w", "s"
	waits.Labels, strays.Labels = map[string]string{"project": "demo"}, map[string]string{"project": "other"}
	reader := fake.NewClientBuilder().WithIndex(&corev1.ConfigMap{}, d.IndexKey(), d.IndexFunc()).WithObjects(waits, strays).Build()
	got, err := d.Referrers(t.Context(), configMaps(reader), target)
	require.NoError(t, err)
	assert.Equal(t, []string{"ConfigMap apps/waits"}, got)
}

func TestReferrersThatCannotBeListedAreAnError(t *testing.T) {
	down := errors.New("the cache is stopped")
	reader := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return down },
	}).Build()
	guards := Guards{{Declaration: secretSource, Lister: configMaps(reader)}}
	_, err := guards.Referrers(t.Context(), referrer("apps", "x"))
	require.ErrorIs(t, err, down)
}

func TestTheReferrersOfAllDeclarationsHoldBackADeletion(t *testing.T) {
	one, two := referrer("apps", "a", to("/target", "")), referrer("apps", "b", to("/target", ""))
	one.UID, two.UID = "a", "b"
	guard := func(obj client.Object) Guard {
		reader := fake.NewClientBuilder().
			WithIndex(&corev1.ConfigMap{}, secretSource.IndexKey(), secretSource.IndexFunc()).WithObjects(obj).Build()
		return Guard{Declaration: secretSource, Lister: configMaps(reader)}
	}
	got, err := Guards{guard(one), guard(two)}.Referrers(t.Context(), referrer("apps", "target"))
	require.NoError(t, err)
	assert.Equal(t, []string{"ConfigMap apps/a", "ConfigMap apps/b"}, got)
	got, err = Guards{}.Referrers(t.Context(), referrer("apps", "target"))
	require.NoError(t, err)
	assert.Empty(t, got)
}

func TestTargetsThatAreNoLongerNamedAreEnqueued(t *testing.T) {
	both, one := referrer("apps", "x", to("/a", ""), to("far/b", "")), referrer("apps", "x", to("/a", "key"))
	for name, tc := range map[string]struct {
		send func(context.Context, queue)
		want []string
	}{
		"when the referrer is gone": {
			send: func(ctx context.Context, q queue) {
				secretSource.Released().Delete(ctx, event.DeleteEvent{Object: both}, q)
			},
			want: []string{"apps/a", "far/b"},
		},
		"when the referrer names others": {
			send: func(ctx context.Context, q queue) {
				secretSource.Released().Update(ctx, event.UpdateEvent{ObjectOld: both, ObjectNew: one}, q)
			},
			want: []string{"far/b"},
		},
		"but not when the referrer is new": {
			send: func(ctx context.Context, q queue) {
				secretSource.Released().Create(ctx, event.CreateEvent{Object: both}, q)
			},
		},
		"but not when it names more": {
			send: func(ctx context.Context, q queue) {
				secretSource.Released().Update(ctx, event.UpdateEvent{ObjectOld: one, ObjectNew: both}, q)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			defer q.ShutDown()
			tc.send(t.Context(), q)
			var got []string
			for q.Len() > 0 {
				request, _ := q.Get()
				got = append(got, request.String())
			}
			assert.ElementsMatch(t, tc.want, got)
		})
	}
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

func TestEachOfTenSchemasThatAreDeletedAtOnceResolvesItsReferences(t *testing.T) {
	chain := make([]client.Object, 0, 10)
	for _, name := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		schema := vpc(t, `status: {id: 7, observedGeneration: 1, conditions: [{type: Ready, status: "Unknown", reason: Deleting}]}`)
		schema.SetName("s" + name)
		schema.SetDeletionTimestamp(ptr.To(metav1.Now()))
		schema.SetFinalizers([]string{"example.org/wait"})
		chain = append(chain, schema)
	}
	reader := readerOf(chain...)
	for i := 1; i < len(chain); i++ {
		d := declare("Schema", vpcKind, to("/"+chain[i-1].GetName(), ""))
		resolved := Resolver{Reader: reader}.Resolve(t.Context(), chain[i], []Declaration{d})
		assert.Equal(t, Ready, only(t, resolved).State, chain[i].GetName())
		version, ok := Value[int64](resolved, "Schema", 0)
		assert.True(t, ok)
		assert.Equal(t, int64(7), version)
	}
}
