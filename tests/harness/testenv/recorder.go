package testenv

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// sighting is an object as a watch has shown it. Revisions grow over all objects of a cluster.
type sighting[T client.Object] struct {
	revision uint64
	gone     bool
	object   T
}

// written is an object that a watch has shown, by its Go type: what a client reads has no kind.
type written struct {
	kind reflect.Type
	key  client.ObjectKey
}

func writtenOf(obj client.Object) written {
	return written{reflect.TypeOf(obj), client.ObjectKeyFromObject(obj)}
}

// recorder keeps every state of every object and Secret of a namespace.
type recorder struct {
	mu      sync.Mutex
	objects map[types.UID][]sighting[Object]
	secrets []sighting[*corev1.Secret]
	latest  map[written]uint64 // revisions
	broken  []string
	feeds   []*feed

	stop    context.CancelFunc
	running sync.WaitGroup
}

func newRecorder() *recorder {
	return &recorder{objects: map[types.UID][]sighting[Object]{}, latest: map[written]uint64{}}
}

// record starts to watch the namespace of a test, in which there is nothing yet.
func record(t *testing.T, e *Env) *recorder {
	t.Helper()
	c, namespace := e.Client, e.Namespace
	ctx, cancel := context.WithCancel(context.Background())
	r := newRecorder()
	r.stop = cancel
	lists := []client.ObjectList{&corev1.SecretList{}}
	for _, kind := range e.kinds {
		gvk, err := apiutil.GVKForObject(kind.GetObject(), c.Scheme())
		require.NoError(t, err)
		list, err := c.Scheme().New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		require.NoError(t, err)
		lists = append(lists, list.(client.ObjectList))
	}
	for _, list := range lists {
		at := &feed{client: c, list: list, namespace: namespace}
		stream, _, err := at.open(ctx)
		require.NoError(t, err)
		at.stream = stream
		r.feeds = append(r.feeds, at)
		r.running.Go(func() {
			for r.follow(ctx, at, stream) {
				if stream = r.resume(ctx, at); stream == nil {
					return
				}
			}
		})
	}
	cleanup(t, func() {
		cancel()
		r.running.Wait()
	})
	return r
}

// follow notes what a watch shows. It returns true when the watch has ended, and false when the recorder has to.
func (r *recorder) follow(ctx context.Context, at *feed, stream watch.Interface) bool {
	defer stream.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case event, open := <-stream.ResultChan():
			if !open {
				return true
			}
			at.saw(event)
			if event.Type == watch.Error {
				return true
			}
			r.note(event)
		}
	}
}

func (r *recorder) note(event watch.Event) {
	gone := event.Type == watch.Deleted
	r.mu.Lock()
	defer r.mu.Unlock()
	if obj, isObject := event.Object.(client.Object); isObject {
		r.latest[writtenOf(obj)] = Revision(obj)
	}
	switch obj := event.Object.(type) {
	case *corev1.Secret:
		r.secrets = append(r.secrets, sighting[*corev1.Secret]{Revision(obj), gone, obj})
	case Object:
		r.objects[obj.GetUID()] = append(r.objects[obj.GetUID()], sighting[Object]{Revision(obj), gone, obj})
	}
}

// revisionOf is that of the latest write of an object that a watch has shown, its deletion among them. It is 0 where none has.
func (r *recorder) revisionOf(obj client.Object) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.latest[writtenOf(obj)]
}

// caughtUp reports whether the recorder has seen the objects and the Secrets as they are.
func (r *recorder) caughtUp(now []Object, secrets []corev1.Secret) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, obj := range now {
		seen := r.objects[obj.GetUID()]
		if len(seen) == 0 || seen[len(seen)-1].revision < Revision(obj) {
			return false
		}
	}
	for i := range secrets {
		if !slices.ContainsFunc(r.secrets, func(seen sighting[*corev1.Secret]) bool {
			return seen.object.UID == secrets[i].UID && seen.revision >= Revision(&secrets[i])
		}) {
			return false
		}
	}
	return len(r.broken) == 0
}

// histories are what was seen, a history an object.
func (r *recorder) histories() []history {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []history
	for _, seen := range r.objects {
		all = append(all, history{states: slices.Clone(seen), secrets: slices.Clone(r.secrets)})
	}
	return all
}

// CatchUp waits until histories go up to now.
func (e *Env) CatchUp() {
	e.T.Helper()
	e.Until(func() bool { return e.recorder.caughtUp(e.current(e.Namespace), e.currentSecrets()) }, func() string {
		return "the recorder didn't see everything: " + strings.Join(e.recorder.broken, ", ")
	})
}

// History is every state of an object, oldest first, up to the one that the caller has at least: the watch may be behind a read.
func (e *Env) History(obj Object) []Object {
	e.T.Helper()
	e.Until(func() bool { return e.recorder.caughtUp([]Object{obj}, nil) }, func() string {
		return "the recorder didn't see " + name(obj) + " as it was read: " + strings.Join(e.recorder.broken, ", ")
	})
	e.recorder.mu.Lock()
	defer e.recorder.mu.Unlock()
	var states []Object
	for _, seen := range e.recorder.objects[obj.GetUID()] {
		states = append(states, seen.object)
	}
	return states
}

// published are the secret values in all connection Secrets that there ever were.
func (r *recorder) published() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var values []string
	for _, seen := range r.secrets {
		if len(seen.object.OwnerReferences) == 0 {
			continue
		}
		for key, value := range seen.object.Data {
			if strings.Contains(key, "PASSWORD") || strings.Contains(key, "ACCESS_KEY") {
				values = append(values, string(value))
			}
		}
	}
	return values
}

// Revision is a number that grows with each write to any object of a cluster.
func Revision(obj client.Object) uint64 {
	revision, err := strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return revision
}

// current lists all objects of a namespace as they are now.
func (e *Env) current(namespace string) []Object {
	var all []Object
	for _, kind := range e.kinds {
		gvk, err := apiutil.GVKForObject(kind.GetObject(), e.Client.Scheme())
		require.NoError(e.T, err)
		list, err := e.Client.Scheme().New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		require.NoError(e.T, err)
		require.NoError(e.T, e.Client.List(context.Background(), list.(client.ObjectList), client.InNamespace(namespace)))
		require.NoError(e.T, meta.EachListItem(list, func(item runtime.Object) error {
			all = append(all, item.(Object))
			return nil
		}))
	}
	return all
}

// currentSecrets lists all Secrets of the namespace as they are now.
func (e *Env) currentSecrets() []corev1.Secret {
	var list corev1.SecretList
	require.NoError(e.T, e.Client.List(context.Background(), &list, client.InNamespace(e.Namespace)))
	return list.Items
}

// SecretHistory is every state of a Secret, by its name, that the watch has shown so far, oldest first.
func (e *Env) SecretHistory(name string) []*corev1.Secret {
	e.recorder.mu.Lock()
	defer e.recorder.mu.Unlock()
	var states []*corev1.Secret
	for _, seen := range e.recorder.secrets {
		if seen.object.Name == name {
			states = append(states, seen.object)
		}
	}
	return states
}
