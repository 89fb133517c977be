package reference

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// peers are references of ConfigMaps to ConfigMaps.
var peers = Declaration{
	Name: "Peer", Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Field: "spec.peers", Targets: held, BlocksDeletion: true,
}

// peer is an object that refers to others of its kind.
func peer(name string, targets ...string) *corev1.ConfigMap {
	var all []Target
	for _, target := range targets {
		all = append(all, to("/"+target, ""))
	}
	cm := referrer("apps", name, all...)
	cm.UID = types.UID(name)
	return cm
}

func going(cm *corev1.ConfigMap) *corev1.ConfigMap {
	cm.DeletionTimestamp, cm.Finalizers = ptr.To(metav1.Now()), []string{"example.org/wait"}
	return cm
}

func world(objects ...client.Object) client.Client {
	return fake.NewClientBuilder().WithIndex(&corev1.ConfigMap{}, peers.IndexKey(), peers.IndexFunc()).WithObjects(objects...).Build()
}

func TestReferencesThatGoInACircleAreInvalid(t *testing.T) {
	for name, tc := range map[string]struct {
		objects []client.Object // the first one is resolved
		want    State
		says    string
	}{
		"none":             {[]client.Object{peer("a", "b"), peer("b", "c"), peer("c")}, NotReady, ""},
		"of two":           {[]client.Object{peer("a", "b"), peer("b", "a")}, Invalid, "apps/a -> apps/b -> apps/a. Remove one"},
		"of three":         {[]client.Object{peer("a", "b"), peer("b", "c"), peer("c", "a")}, Invalid, "apps/a -> apps/b -> apps/c -> apps/a. Remove one"},
		"of itself":        {[]client.Object{peer("a", "a")}, Invalid, "apps/a -> apps/a. Remove one"},
		"that it leads to": {[]client.Object{peer("a", "b"), peer("b", "c"), peer("c", "b")}, NotReady, ""},
		"by one of two ways": {
			[]client.Object{peer("a", "b", "c"), peer("b"), peer("c", "d"), peer("d", "a", "b")}, Invalid, "apps/a -> apps/c -> apps/d -> apps/a. Remove one",
		},
		"of an object that is being deleted": {[]client.Object{going(peer("a", "b")), peer("b", "a")}, Ready, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := world(tc.objects...)
			r := Resolver{Reader: cluster, Guards: Guards{{Declaration: peers, Lister: configMaps(cluster)}}}
			o := r.Resolve(t.Context(), tc.objects[0], []Declaration{peers}).Summaries()[0]
			assert.Equal(t, tc.want, o.State, o.Message)
			assert.Equal(t, tc.want == Invalid, fault.Is(o.Err, fault.Invalid))
			if tc.want == Invalid {
				assert.Contains(t, o.Message, "spec.peers: the references go in a circle: "+tc.says)
			}
		})
	}
}

func TestACircleThatCannotBeRuledOutIsAnError(t *testing.T) {
	down := errors.New("the cache is stopped")
	cluster := world(peer("a", "b"), peer("b"))
	lister := configMaps(interceptor.NewClient(cluster.(client.WithWatch), interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return down },
	}))
	resolved := Resolver{Reader: cluster, Guards: Guards{{Declaration: peers, Lister: lister}}}.Resolve(t.Context(), peer("a", "b"), []Declaration{peers})
	require.ErrorIs(t, resolved.Err(), down)
}

// Each would wait for the other to go first.
func TestObjectsInACircleDoNotHoldBackEachOthersDeletion(t *testing.T) {
	for name, tc := range map[string]struct {
		objects []client.Object // the first one is deleted
		want    []string
	}{
		"of two":                              {[]client.Object{going(peer("a", "b")), going(peer("b", "a"))}, nil},
		"of three":                            {[]client.Object{going(peer("a", "b")), going(peer("b", "c")), going(peer("c", "a"))}, nil},
		"of which one stays":                  {[]client.Object{going(peer("a", "b")), peer("b", "a")}, []string{"ConfigMap apps/b"}},
		"besides a referrer that isn't in it": {[]client.Object{going(peer("a", "b")), going(peer("b", "a")), going(peer("c", "a"))}, []string{"ConfigMap apps/c"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Guards{{Declaration: peers, Lister: configMaps(world(tc.objects...))}}.Referrers(t.Context(), tc.objects[0])
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
}

// counted is a cluster in which listing what names an object costs one step, and each object that is found another one.
type counted struct {
	client.Reader
	referrers map[string][]corev1.ConfigMap
	steps     int
}

// countedWorld holds objects, each with the names of its targets.
func countedWorld(objects ...*corev1.ConfigMap) *counted {
	c := &counted{referrers: map[string][]corev1.ConfigMap{}}
	for _, obj := range objects {
		for _, target := range peers.names(obj) {
			c.referrers[target.String()] = append(c.referrers[target.String()], *obj)
		}
	}
	return c
}

func (c *counted) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	obj.SetNamespace(key.Namespace)
	obj.SetName(key.Name)
	return nil
}

func (c *counted) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	options := (&client.ListOptions{}).ApplyOptions(opts)
	found := c.referrers[options.FieldSelector.Requirements()[0].Value]
	c.steps += 1 + len(found)
	list.(*corev1.ConfigMapList).Items = found
	return nil
}

func (c *counted) lister() enqueue.Lister {
	scheme := runtime.NewScheme()
	_ = corev1.AddToScheme(scheme)
	return enqueue.Lister{Reader: c, Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Scheme: scheme}
}

func nameOf(i int) string { return fmt.Sprintf("x%04d", i) }

// Hundreds of schemas that refer to each other must not keep all workers busy.
func TestCirclesAreFoundInStepsLinearInTheReferences(t *testing.T) {
	const count, most = 2000, 3 * 2000 // steps for an object and a reference: it is listed, and found once or twice
	t.Run("by an object that names many, and that many lead to", func(t *testing.T) {
		var names []string
		var objects []*corev1.ConfigMap
		for i := range count {
			names = append(names, "target"+nameOf(i))
			objects = append(objects, peer(nameOf(i+1), nameOf(i))) // the first one names x0000
		}
		first := peer(nameOf(0), names...)
		cluster := countedWorld(append(objects, first)...)
		r := Resolver{Reader: cluster, Guards: Guards{{Declaration: peers, Lister: cluster.lister()}}}
		require.Len(t, r.Resolve(t.Context(), first, []Declaration{peers}).Outcomes(), count)
		assert.Less(t, cluster.steps, most)
	})
	t.Run("by the deletion of an object in a large one", func(t *testing.T) {
		var objects []*corev1.ConfigMap
		var names []string
		for i := range count {
			names = append(names, nameOf(i))
			objects = append(objects, going(peer(nameOf(i), "last", nameOf((i+1)%count))))
		}
		last := going(peer("last", names[0]))
		outside := going(peer("outside", "last"))
		cluster := countedWorld(append(objects, last, outside)...)
		held, err := Guards{{Declaration: peers, Lister: cluster.lister()}}.Referrers(t.Context(), last)
		require.NoError(t, err)
		assert.Equal(t, []string{"ConfigMap apps/outside"}, held)
		assert.Less(t, cluster.steps, 2*most)
	})
}
