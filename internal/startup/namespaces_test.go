package startup_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/aero-operator/aero/internal/startup"
)

// answers are those of an API server about each namespace but "there".
type answers struct{ list, create error }

// namespacesOf are namespaces at an API server whose answers may change.
func namespacesOf(latest *atomic.Pointer[answers], names ...string) (n *startup.Namespaces, lists, creates *clienttesting.Fake) {
	cluster, objects := fake.NewClientset(), metadatafake.NewSimpleMetadataClient(metadatafake.NewTestScheme())
	answer := func(pick func(*answers) error) clienttesting.ReactionFunc {
		return func(a clienttesting.Action) (bool, runtime.Object, error) {
			err := pick(latest.Load())
			return err != nil && a.GetNamespace() != "there", nil, err
		}
	}
	objects.PrependReactor("list", "*", answer(func(a *answers) error { return a.list }))
	cluster.PrependReactor("create", "*", answer(func(a *answers) error { return a.create }))
	return &startup.Namespaces{Metadata: objects, Events: cluster.EventsV1(), Names: names, Log: logr.Discard()}, &objects.Fake, &cluster.Fake
}

func watchedOf(n *startup.Namespaces) (names []string) {
	for name := range n.Watched() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// missingByMetric is the value of the metric of missing namespaces.
func missingByMetric(t *testing.T) float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == "aero_watched_namespaces_missing" {
			return family.GetMetric()[0].GetGauge().GetValue()
		}
	}
	require.Fail(t, "There is no such metric")
	return 0
}

func TestReviewM10_NamespacesThatAreMissingDoNotKeepTheManagerFromTheOthers(t *testing.T) {
	both, one := []string{"gone", "there"}, []string{"there"}
	for name, tc := range map[string]struct {
		answers
		watched []string // nil if it isn't known yet
		alone   string   // the error if there is no other namespace
		missing float64
	}{
		"a namespace that exists":              {watched: both},
		"a namespace without permission":       {answers{list: errForbidden}, one, "namespace gone of WATCHED_NAMESPACES can't be read", 1},
		"a namespace that can't be listed now": {answers{list: assert.AnError}, nil, "reading namespace gone: ", 1},
		"a namespace that doesn't exist":       {answers{create: errNoNamespace}, both, "namespace gone of WATCHED_NAMESPACES doesn't exist", 1},
		"a quota that refuses the event":       {answers{create: apierrors.NewForbidden(eventsv1.Resource("events"), "", nil)}, both, "", 0},
		"a policy that refuses the event": {
			answers{create: apierrors.NewInvalid(eventsv1.SchemeGroupVersion.WithKind("Event").GroupKind(), "", nil)}, both, "", 0,
		},
		"another object that doesn't exist": {answers{create: apierrors.NewNotFound(eventsv1.Resource("events"), "")}, both, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var latest atomic.Pointer[answers]
			latest.Store(&tc.answers)
			check, lists, creates := namespacesOf(&latest, "gone", "there")
			err := check.Readable(t.Context())
			assert.InDelta(t, tc.missing, missingByMetric(t), 0)
			if tc.watched == nil {
				require.ErrorContains(t, err, tc.alone)
			} else {
				require.NoError(t, err)
				assert.Equal(t, tc.watched, watchedOf(check))
			}
			require.Len(t, lists.Actions(), 2)
			for _, action := range creates.Actions() {
				assert.Equal(t, []string{metav1.DryRunAll}, action.(clienttesting.CreateActionImpl).GetCreateOptions().DryRun)
			}

			alone, _, _ := namespacesOf(&latest, "gone")
			if err := alone.Readable(t.Context()); tc.alone == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.alone)
			}
		})
	}
}

func TestWhatIsKnownOfANamespaceIsNotAskedAgain(t *testing.T) {
	var latest atomic.Pointer[answers]
	latest.Store(&answers{list: assert.AnError})
	check, lists, _ := namespacesOf(&latest, "slow", "there")
	require.Error(t, check.Readable(t.Context()))
	latest.Store(&answers{})
	require.NoError(t, check.Readable(t.Context()))
	var asked []string
	for _, action := range lists.Actions() {
		asked = append(asked, action.GetNamespace())
	}
	slices.Sort(asked)
	assert.Equal(t, []string{"slow", "slow", "there"}, asked)
}

func TestANamespaceThatAppears(t *testing.T) {
	for name, tc := range map[string]struct {
		before  answers
		stops   string // the error that ends the manager
		message string // of the log, meanwhile
	}{
		"and was left out needs a restart": {
			answers{list: errForbidden}, "stopping because namespace gone of WATCHED_NAMESPACES can be read now", "gone of WATCHED_NAMESPACES can't be read",
		},
		"and was watched needs none": {answers{create: errNoNamespace}, "", "gone of WATCHED_NAMESPACES doesn't exist"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var latest atomic.Pointer[answers]
				latest.Store(&tc.before)
				check, _, _ := namespacesOf(&latest, "gone", "there", "gone-too")
				var log logBook
				check.Log = log.logger()
				require.NoError(t, check.Readable(t.Context()))
				ctx, stop := context.WithTimeout(t.Context(), time.Hour)
				defer stop()
				ended := make(chan error, 1)
				go func() { ended <- check.Appeared(ctx) }()
				<-time.After(150 * time.Second)
				assert.InDelta(t, 2, missingByMetric(t), 0)
				lines := log.take()
				require.Len(t, lines, 3, "once a minute")
				assert.Contains(t, lines[0], "Working without a namespace: namespace "+tc.message)
				assert.Contains(t, lines[0], "; missing, too: gone-too")
				latest.Store(&answers{list: assert.AnError})
				<-time.After(59 * time.Second) // the next answers don't come while it asks, every ten seconds
				assert.InDelta(t, 2, missingByMetric(t), 0, "nothing is known of them")
				log.take()
				latest.Store(&answers{})
				<-time.After(11 * time.Second)
				synctest.Wait()
				assert.InDelta(t, 0, missingByMetric(t), 0)
				if tc.stops != "" {
					require.ErrorContains(t, <-ended, tc.stops)
					require.NoError(t, ctx.Err())
					return
				}
				require.Empty(t, ended)
				assert.Equal(t, []string{`"level"=0 "msg"="All namespaces of WATCHED_NAMESPACES are there"`}, log.take())
			})
		})
	}
}

func TestANamespaceThatIsDeletedAndComesBackNeedsNoRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var latest atomic.Pointer[answers]
		latest.Store(&answers{})
		check, lists, _ := namespacesOf(&latest, "gone", "there")
		var log logBook
		check.Log = log.logger()
		require.NoError(t, check.Readable(t.Context()))
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		ended := make(chan error, 1)
		go func() { ended <- check.Appeared(ctx) }()
		<-time.After(10 * time.Minute)
		assert.Less(t, len(lists.Actions()), 10, "there may be a thousand namespaces")
		require.Empty(t, log.take())
		latest.Store(&answers{list: errForbidden}) // its Role is gone with it
		<-time.After(6 * time.Minute)
		assert.InDelta(t, 1, missingByMetric(t), 0)
		require.NotEmpty(t, log.take())
		latest.Store(&answers{})
		require.NoError(t, <-ended, "the cache has it")
		assert.InDelta(t, 0, missingByMetric(t), 0)
	})
}

func TestMissingNamespacesAreAskedAboutUntilTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var latest atomic.Pointer[answers]
		latest.Store(&answers{list: errForbidden})
		check, _, _ := namespacesOf(&latest, "gone", "there")
		require.NoError(t, check.Readable(t.Context()))
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		require.NoError(t, check.Appeared(ctx))
	})
}
