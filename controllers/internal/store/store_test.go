package store

import (
	"cmp"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/api/v1alpha1"
)

var key = client.ObjectKey{Namespace: "apps", Name: "orders"}

// cluster has one object. The cache shows it as it was when the cluster was made, until caughtUp is called.
type cluster struct {
	client.WithWatch
	*Store[*v1alpha1.Database]
	cached  *v1alpha1.Database
	patches []string
	refuse  error
	answers string // the version in the answers to patches of metadata, if it isn't that of the object
}

func newCluster(t *testing.T) *cluster {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	obj := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, UID: "one"}}
	c := &cluster{WithWatch: fake.NewClientBuilder().WithScheme(scheme).WithObjects(obj).WithStatusSubresource(obj).Build()}
	c.cached = c.live(t)
	record := func(obj client.Object, patch client.Patch) error {
		data, err := patch.Data(obj)
		require.NoError(t, err)
		c.patches = append(c.patches, string(data))
		return c.refuse
	}
	spied := interceptor.NewClient(c.WithWatch, interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
			c.cached.DeepCopyInto(obj.(*v1alpha1.Database))
			return nil
		},
		Patch: func(ctx context.Context, w client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if err := record(obj, patch); err != nil {
				return err
			}
			err := w.Patch(ctx, obj, patch, opts...)
			obj.SetResourceVersion(cmp.Or(c.answers, obj.GetResourceVersion()))
			return err
		},
		SubResourcePatch: func(ctx context.Context, w client.Client, sub string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			if err := record(obj, patch); err != nil {
				return err
			}
			err := w.SubResource(sub).Patch(ctx, obj, patch, opts...)
			if err != nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown { // a test in the patch: as the API server answers
				err = apierrors.NewInvalid(schema.GroupKind{Kind: "Database"}, obj.GetName(), nil)
			}
			return err
		},
	})
	c.Store = &Store[*v1alpha1.Database]{Client: spied, Live: c.WithWatch}
	return c
}

func (c *cluster) live(t *testing.T) *v1alpha1.Database {
	obj := &v1alpha1.Database{}
	require.NoError(t, c.WithWatch.Get(t.Context(), key, obj))
	return obj
}

// changedBy is a write by another process, which the cache doesn't have.
func (c *cluster) changedBy(t *testing.T, who string) {
	obj := c.live(t)
	obj.Annotations = map[string]string{"by": who}
	require.NoError(t, c.Update(t.Context(), obj))
}

func ready(from *v1alpha1.Database) *v1alpha1.Database {
	to := from.DeepCopy()
	to.Status.Phase = v1alpha1.PhaseReady
	return to
}

func TestTheFirstWriteOfANewLeaderIsRefusedIfThePreviousOneWroteLater(t *testing.T) {
	c := newCluster(t)
	c.cached.CreationTimestamp = metav1.NewTime(time.Now().Add(time.Hour)) // the clock of the API server is ahead of ours
	c.changedBy(t, "the previous leader")
	assert.ErrorIs(t, c.PatchStatus(t.Context(), c.cached, ready(c.cached)), ErrStale)
	assert.Empty(t, c.live(t).Status.Phase, "nothing was written")

	fresh := &v1alpha1.Database{}
	require.NoError(t, c.Store.Get(t.Context(), key, fresh))
	assert.Equal(t, map[string]string{"by": "the previous leader"}, fresh.Annotations, "read live while the cache is behind")
	require.NoError(t, c.PatchStatus(t.Context(), fresh, ready(fresh)))
	assert.Equal(t, v1alpha1.PhaseReady, c.live(t).Status.Phase)
}

func TestAWriteAfterTheFirstHasNoLock(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, c.PatchStatus(t.Context(), c.cached, ready(c.cached)))
	c.changedBy(t, "a user")
	failed := ready(c.cached)
	failed.Status.Phase = v1alpha1.PhaseFailed
	require.NoError(t, c.PatchStatus(t.Context(), ready(c.cached), failed))
	assert.Equal(t, v1alpha1.PhaseFailed, c.live(t).Status.Phase)
	require.Len(t, c.patches, 2)
	assert.Contains(t, c.patches[0], "resourceVersion")
	assert.JSONEq(t, `[{"op": "test", "path": "/metadata/uid", "value": "one"}, {"op": "test", "path": "/status/provenance", "value": null},
		{"op": "add", "path": "/status", "value": {"phase": "Failed"}}]`, c.patches[1])
}

// Another object may hand over its resource between a read and a write of the status.
func TestAStatusDoesNotReplaceTheProvenanceThatWasHandedOver(t *testing.T) {
	provenance := func(kind v1alpha1.ProvenanceType, uid string) *v1alpha1.Provenance {
		return &v1alpha1.Provenance{Type: kind, UID: types.UID(uid), Time: metav1.Unix(1000, 0)}
	}
	for name, known := range map[string]*v1alpha1.Provenance{
		"nothing was known":          nil,
		"it only observed":           provenance(v1alpha1.ProvenanceObserved, "one"),
		"it is a copy of an owner's": provenance(v1alpha1.ProvenanceAdopted, "zero"),
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			own := ready(c.cached)
			own.Status.Provenance = known
			require.NoError(t, c.PatchStatus(t.Context(), c.cached, own))
			c.cached = c.live(t)

			heir := c.live(t)
			heir.Status.Provenance = provenance(v1alpha1.ProvenanceAdopted, "one")
			require.NoError(t, c.Status().Update(t.Context(), heir))
			failed := c.cached.DeepCopy()
			failed.Status.Phase = v1alpha1.PhaseFailed
			require.ErrorIs(t, c.PatchStatus(t.Context(), c.cached, failed), ErrStale)
			assert.Equal(t, heir.Status, c.live(t).Status)

			fresh := &v1alpha1.Database{}
			require.NoError(t, c.Store.Get(t.Context(), key, fresh), "live, while the cache is behind")
			failed = fresh.DeepCopy()
			failed.Status.Phase = v1alpha1.PhaseFailed
			require.NoError(t, c.PatchStatus(t.Context(), fresh, failed))
			assert.Equal(t, failed.Status, c.live(t).Status)
			assert.NotContains(t, c.patches[len(c.patches)-1], "/status/provenance", "an owner is handed nothing")
		})
	}
}

func TestOwnWritesAreReadBackBeforeTheCacheHasThem(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, c.PatchStatus(t.Context(), c.cached, ready(c.cached)))
	read := &v1alpha1.Database{}
	for range 2 {
		require.NoError(t, c.Store.Get(t.Context(), key, read))
		assert.Equal(t, v1alpha1.PhaseReady, read.Status.Phase)
	}
}

func TestAnObjectThatIsGoneStaysSoWhileTheCacheShowsIt(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, c.PatchStatus(t.Context(), c.cached, ready(c.cached)))
	require.NoError(t, c.Delete(t.Context(), c.live(t)))
	for range 2 {
		assert.True(t, apierrors.IsNotFound(c.Store.Get(t.Context(), key, &v1alpha1.Database{})))
	}
}

// The API server answers the end of the last finalizer with the object and its version from before, which the cache has, too.
func TestAnObjectThatEndsWithItsLastFinalizerIsGone(t *testing.T) {
	for name, refused := range map[string]bool{"by our write": false, "by an earlier one, whose answer was lost": true} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			require.NoError(t, c.PatchMetadata(t.Context(), c.cached, "adding", func(obj client.Object) bool {
				obj.SetFinalizers([]string{"a/b"})
				return true
			}))
			require.NoError(t, c.Delete(t.Context(), c.live(t)))
			c.cached = c.live(t)
			if refused {
				ended := c.live(t)
				ended.Finalizers = nil
				require.NoError(t, c.Update(t.Context(), ended))
			} else {
				c.answers = c.cached.ResourceVersion
			}
			err := c.PatchMetadata(t.Context(), c.cached, "ending", func(obj client.Object) bool { obj.SetFinalizers(nil); return true })
			assert.Equal(t, refused, apierrors.IsNotFound(err))
			for range 2 {
				assert.True(t, apierrors.IsNotFound(c.Store.Get(t.Context(), key, &v1alpha1.Database{})), "the cache still has it")
			}
			again := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, UID: "two"}}
			require.NoError(t, c.Create(t.Context(), again))
			read := &v1alpha1.Database{}
			require.NoError(t, c.Store.Get(t.Context(), key, read))
			assert.Equal(t, again.UID, read.UID, "another object of the name")
			c.cached = c.live(t)
			require.NoError(t, c.Store.Get(t.Context(), key, read))
		})
	}
}

func TestWhatDoesNotDifferIsNotWritten(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, c.PatchStatus(t.Context(), c.cached, c.cached.DeepCopy()))
	assert.Empty(t, c.patches)
}

func TestAnObjectThatIsGoneOrWasCreatedAgainIsNotPatched(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, c.PatchStatus(t.Context(), c.cached, ready(c.cached)))
	resource := schema.GroupResource{Resource: "databases"}
	for _, refusal := range []error{apierrors.NewNotFound(resource, key.Name), apierrors.NewConflict(resource, key.Name, nil)} {
		c.refuse = refusal
		assert.NoError(t, c.PatchAnnotations(t.Context(), c.cached, map[string]*string{"a": nil}))
	}
	again := c.cached.DeepCopy()
	again.UID = "two"
	c.refuse = apierrors.NewConflict(resource, key.Name, nil)
	assert.True(t, apierrors.IsNotFound(c.PatchMetadata(t.Context(), again, "editing", func(obj client.Object) bool {
		obj.SetFinalizers([]string{"a/b"})
		return true
	})))
}

func TestW04_AStatusIsNotWrittenToAnotherObjectOfTheName(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, c.PatchStatus(t.Context(), c.cached, ready(c.cached)))
	c.refuse = apierrors.NewInvalid(schema.GroupKind{Kind: "Database"}, key.Name, nil) // how the API server answers a test that fails
	assert.ErrorContains(t, c.PatchStatus(t.Context(), c.cached, ready(c.cached)), "writing the status", "still that object")

	former := c.cached.DeepCopy()
	former.UID = "zero"
	assert.ErrorIs(t, c.PatchStatus(t.Context(), former, ready(former)), ErrStale)
	assert.NoError(t, c.Store.Get(t.Context(), key, former))
	assert.EqualValues(t, "one", former.UID)

	require.NoError(t, c.Delete(t.Context(), c.live(t)))
	require.NoError(t, c.PatchStatus(t.Context(), c.cached, ready(c.cached)))
}

func TestW04_AConflictOverFinalizersIsTriedAgainOnAFreshCopy(t *testing.T) {
	c := newCluster(t)
	c.changedBy(t, "a user")
	require.NoError(t, c.PatchMetadata(t.Context(), c.cached, "editing", func(obj client.Object) bool {
		obj.SetFinalizers(append(obj.GetFinalizers(), "a/b"))
		return true
	}))
	assert.Equal(t, []string{"a/b"}, c.live(t).Finalizers)
	assert.Equal(t, map[string]string{"by": "a user"}, c.live(t).Annotations)
}

func TestAnErrorOfTheAPIServerNamesTheWrite(t *testing.T) {
	c := newCluster(t)
	c.refuse = apierrors.NewInternalError(assert.AnError)
	assert.ErrorContains(t, c.PatchStatus(t.Context(), c.cached, ready(c.cached)), "writing the status")
}

// decoding answers as an API server does: what the object has and the answer lacks stays.
type decoding struct {
	client.Reader
	answer string
}

func (d decoding) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	return json.Unmarshal([]byte(d.answer), obj)
}

func TestALiveReadKeepsNothingOfAFormerObjectOfTheName(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, c.PatchStatus(t.Context(), c.cached, ready(c.cached)))
	c.cached.Status.Phase = v1alpha1.PhaseReady // the cache shows a former object
	c.Store.Live = decoding{answer: `{"metadata": {"name": "orders", "namespace": "apps", "uid": "two", "resourceVersion": "99"}}`}
	read := &v1alpha1.Database{}
	require.NoError(t, c.Store.Get(t.Context(), key, read))
	assert.EqualValues(t, "two", read.UID)
	assert.Empty(t, read.Status.Phase, "of the former one")
}

func TestAnotherObjectIsPatchedOnlyAsItWasRead(t *testing.T) {
	c := newCluster(t)
	edited := func(from *v1alpha1.Database) *v1alpha1.Database {
		to := from.DeepCopy()
		to.Labels = map[string]string{"edited": "yes"}
		return to
	}
	require.NoError(t, c.PatchOther(t.Context(), c.cached, edited(c.cached)))
	assert.Equal(t, "yes", c.live(t).Labels["edited"])
	require.ErrorIs(t, c.PatchOther(t.Context(), c.cached, edited(c.cached)), ErrStale)
	live := c.live(t)
	require.NoError(t, c.Delete(t.Context(), c.live(t)))
	require.NoError(t, c.PatchOther(t.Context(), live, edited(live)))
	c.refuse = assert.AnError
	assert.ErrorIs(t, c.PatchOther(t.Context(), live, edited(live)), assert.AnError)
}
