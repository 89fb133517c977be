package isolation_test

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/kinds"
	"github.com/aero-operator/aero/tests/harness/fakecluster"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// The others: the bank, whose project no tenant may use, and the commons, whose project some may. No object is left of what is in the
// project of the legacy, which some may use, too. The system is the operator's namespace. A project has the name of its namespace.
const (
	bank    = "bank"
	commons = "commons"
	legacy  = "legacy"
	system  = "system"
)

// world has an operator with a default token, and objects of others, all of which are ready.
type world struct {
	*fakecluster.Cluster
	t         *testing.T
	aiven     *localaiven.Server
	journal   []call           // since the last reconcile began: see calls
	disturbs  *rand.Rand       // what happens to calls of tenants
	disturbed map[int]bool     // statuses of what has happened to them
	mu        sync.Mutex       // guards these and the journal
	variants  []map[string]any // of what the others have: manifests
	theirs    []map[string]any // of what only tenants have
	victims   []testenv.Object
	tenants   []testenv.Object // objects of all tenants that have come
	orphaned  []string         // passwords of the legacy
	outcomes  map[string]bool  // reasons of what tenants came to
	close     func()
}

// newWorld is a world in which nothing has happened yet to the objects of others. It is closed by the caller: a test keeps its cleanups, and
// with them what they refer to, until all tests have ended, and hundreds of worlds take gigabytes.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, variants: manifests(t), theirs: read(t, "testdata/tenants/*.yaml"), outcomes: map[string]bool{}, disturbed: map[int]bool{}}
	var err error
	w.aiven, err = localaiven.New(localaiven.Options{})
	require.NoError(t, err)
	web := httptest.NewServer(http.HandlerFunc(w.serveAiven))
	w.close = func() {
		web.CloseClientConnections()
		web.Close()
		require.NoError(t, w.aiven.Close())
	}
	c := config.Default()
	c.AivenURL, c.DefaultToken, c.OperatorNamespace, c.QPS = web.URL, defaultToken, system, 0
	c.DefaultTokenFor.Labels, err = labels.Parse(openLabel + "=open")
	require.NoError(t, err)
	for _, short := range []*time.Duration{
		&c.WatchInterval, &c.WatchUnsettled, &c.ReadLag, &c.ListInterval, &c.FirstStatus, &c.Degradation, &c.AuthGrace, &c.RecheckExhausted,
	} {
		*short = time.Millisecond
	}
	w.Cluster, err = fakecluster.New(c, "../../../config/crd/bases", kinds.All()...)
	require.NoError(t, err)
	w.namespace(bank, nil, nil)
	w.namespace(commons, map[string]string{openLabel: "open"}, nil)
	w.namespace(legacy, map[string]string{openLabel: "open"}, nil)
	w.namespace(system, nil, nil)
	w.secret(bank, "aiven-token", bankToken)
	w.secret(system, "tenants", namespaceToken)
	w.makeVictims()
	return w
}

func (w *world) namespace(name string, labels, annotations map[string]string) {
	w.t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels, Annotations: annotations}}
	require.NoError(w.t, w.Create(w.t.Context(), ns))
}

func (w *world) secret(namespace, name, token string) {
	w.t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{"token": []byte(token)}}
	require.NoError(w.t, w.Create(w.t.Context(), secret))
}

// examples are the manifests of the documentation, one of each kind.
func examples(t *testing.T) []map[string]any {
	t.Helper()
	all := read(t, "../../../docs/examples/*.yaml")
	require.Len(t, all, len(testenv.KindNames()))
	return all
}

// manifests are the examples, and what else a kind can be.
func manifests(t *testing.T) []map[string]any {
	t.Helper()
	return append(examples(t), read(t, "testdata/*.yaml")...)
}

func read(t *testing.T, pattern string) []map[string]any {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all []map[string]any
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		manifest := map[string]any{}
		require.NoError(t, yaml.Unmarshal(content, &manifest))
		all = append(all, manifest)
	}
	return all
}

// makeVictims makes the objects of the others. Services are first: the rest lives in them.
func (w *world) makeVictims() {
	w.t.Helper()
	all := slices.Clone(w.variants)
	isService := func(manifest map[string]any) bool { return manifest["spec"].(map[string]any)["plan"] != nil }
	slices.SortStableFunc(all, func(a, b map[string]any) int {
		switch {
		case isService(a) == isService(b):
			return 0
		case isService(a):
			return -1
		default:
			return 1
		}
	})
	var orphans []testenv.Object
	for _, owner := range []string{bank, commons, legacy} {
		for _, manifest := range all {
			obj := w.victim(manifest, owner)
			if obj == nil {
				continue
			}
			if owner == legacy {
				obj.SetAnnotations(map[string]string{"controllers.aiven.io/deletion-policy": "Orphan"})
				orphans = append(orphans, obj)
			} else {
				w.victims = append(w.victims, obj)
			}
			require.NoError(w.t, w.Create(w.t.Context(), obj))
		}
	}
	require.Empty(w.t, w.settle(slices.Concat(w.victims, orphans)))
	w.orphaned = passwords(w.secretsIn(legacy))
	for _, obj := range orphans {
		require.NoError(w.t, w.Delete(w.t.Context(), obj))
		require.True(w.t, w.goes(obj))
	}
}

// victim is the example of a kind as others have it; nil for what there can be only one of.
func (w *world) victim(manifest map[string]any, owner string) testenv.Object {
	manifest = runtime.DeepCopyJSON(manifest)
	spec := manifest["spec"].(map[string]any)
	for _, field := range []string{"project", "sourceProjectName", "destinationProjectName"} {
		if _, set := spec[field]; set {
			spec[field] = owner
		}
	}
	_, inProject := spec["project"]
	if owner != bank {
		delete(spec, "authSecretRef")
		if !inProject {
			return nil
		}
	}
	if _, isStep := spec["destinationProjectName"]; isStep {
		spec["destinationProjectName"] = commons
	}
	obj, err := w.Scheme().New(v1alpha1.GroupVersion.WithKind((&unstructured.Unstructured{Object: manifest}).GetKind()))
	require.NoError(w.t, err)
	require.NoError(w.t, runtime.DefaultUnstructuredConverter.FromUnstructured(manifest, obj))
	obj.(testenv.Object).SetNamespace(owner)
	return obj.(testenv.Object)
}

// settle reconciles objects until all of them are ready, and returns those that aren't after a time.
func (w *world) settle(objects []testenv.Object) []string { return w.settleUntil(objects, isReady) }

func isReady(obj testenv.Object) bool {
	ready := testenv.Find(obj, "Ready")
	return ready != nil && ready.Status == metav1.ConditionTrue
}

// settleUntil is settle for another end.
func (w *world) settleUntil(objects []testenv.Object, settled func(testenv.Object) bool) []string {
	w.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; {
		var waits []string
		for _, obj := range objects {
			_, _ = w.reconcile(obj)
			require.NoError(w.t, w.Get(w.t.Context(), client.ObjectKeyFromObject(obj), obj))
			if !settled(obj) {
				waits = append(waits, describe(obj))
			}
		}
		if len(waits) == 0 || time.Now().After(deadline) {
			return waits
		}
	}
}

// reconcile reconciles an object. What the operator called for it is in calls.
func (w *world) reconcile(obj client.Object) ([]fakecluster.Request, error) {
	w.mu.Lock()
	w.journal = nil
	w.mu.Unlock()
	return w.Reconcile(w.t.Context(), obj)
}

// calls are those of the latest reconcile.
func (w *world) calls() []call {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.journal)
}

// goes reconciles an object that is being deleted until it is gone.
func (w *world) goes(obj testenv.Object) bool {
	for range 20 {
		_, _ = w.reconcile(obj)
		if err := w.Get(w.t.Context(), client.ObjectKeyFromObject(obj), obj); apierrors.IsNotFound(err) {
			require.NoError(w.t, w.CollectGarbage(w.t.Context(), obj))
			return true
		}
	}
	return false
}

func (w *world) secretsIn(namespace string) []corev1.Secret {
	var list corev1.SecretList
	require.NoError(w.t, w.List(w.t.Context(), &list, client.InNamespace(namespace)))
	return list.Items
}

// describe is an object with what its status says.
func describe(obj client.Object) string {
	text := kindOf(obj) + " " + client.ObjectKeyFromObject(obj).String()
	ours, isOurs := obj.(testenv.Object)
	if !isOurs {
		return text
	}
	if ready := testenv.Find(ours, "Ready"); ready != nil {
		text += " " + string(ready.Status) + " " + ready.Reason + ": " + ready.Message
	}
	return text
}

// ids are UIDs of the others' objects, and what Aiven calls their resources.
func (w *world) ids() []string {
	var ids []string
	for _, obj := range w.victims {
		ids = append(ids, string(obj.GetUID()))
	}
	for _, r := range w.aiven.Resources() {
		if _, id, found := strings.Cut(r.ID, "#"); found {
			ids = append(ids, id)
		}
	}
	return ids
}

func kindOf(obj client.Object) string { return reflect.TypeOf(obj).Elem().Name() }

// again is the manifest of an object.
func again(obj testenv.Object) testenv.Object {
	manifest := obj.DeepCopyObject().(testenv.Object)
	reflect.ValueOf(manifest).Elem().FieldByName("ObjectMeta").Set(reflect.ValueOf(metav1.ObjectMeta{Namespace: obj.GetNamespace(), Name: obj.GetName()}))
	return manifest
}
