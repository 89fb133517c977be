package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/view"
)

// server is an API server with the CRDs of the project. Its objects are in client-go's fake.
type server struct {
	*httptest.Server
	objects *fake.FakeDynamicClient
	kinds   []metav1.APIResource
	// forbidden are the resources that the caller may not read or write.
	forbidden map[string]bool
	// refuses returns what is wrong with an object that is created; nil for nothing.
	refuses func(*unstructured.Unstructured) error
	// watched is called with the field selector of each watch that has begun.
	watched func(of string)
	version atomic.Int64
	// warning is a header of each answer that has an object; empty for none.
	warning string
	// answers are what the caller types, or asked returns it.
	answers string
	asked   func() string
}

// Read reads what the caller types.
func (s *server) Read(text []byte) (int, error) {
	if s.asked != nil {
		s.answers, s.asked = s.asked(), nil
	}
	if s.answers == "" {
		return 0, io.EOF
	}
	n := copy(text, s.answers)
	s.answers = s.answers[n:]
	return n, nil
}

var secrets = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

func newServer(t *testing.T, objects ...string) *server {
	t.Helper()
	kinds, err := kindsOfCRDs()
	require.NoError(t, err)
	require.NotEmpty(t, kinds)
	s := &server{kinds: slices.Clone(kinds), forbidden: map[string]bool{}}
	lists := map[schema.GroupVersionResource]string{secrets: "SecretList"}
	for _, kind := range s.kinds {
		lists[resourceOf(kind)] = kind.Kind + "List"
	}
	s.objects = fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists)
	for _, text := range objects {
		s.create(t, text)
	}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /api", func(w http.ResponseWriter, _ *http.Request) { reply(w, metav1.APIVersions{Versions: []string{"v1"}}) })
	routes.HandleFunc("GET /apis", func(w http.ResponseWriter, _ *http.Request) { reply(w, s.groups()) })
	routes.HandleFunc("GET /api/v1", func(w http.ResponseWriter, _ *http.Request) {
		core := []metav1.APIResource{{Name: secrets.Resource, Kind: "Secret", Namespaced: true}}
		reply(w, metav1.APIResourceList{GroupVersion: "v1", APIResources: core})
	})
	for _, version := range view.Groups {
		group := "/apis/" + version.String()
		routes.HandleFunc("GET "+group, func(w http.ResponseWriter, r *http.Request) {
			kinds := slices.DeleteFunc(slices.Clone(s.kinds), func(kind metav1.APIResource) bool { return kind.Group != version.Group })
			if len(kinds) == 0 {
				http.NotFound(w, r)
				return
			}
			reply(w, metav1.APIResourceList{GroupVersion: version.String(), APIResources: kinds})
		})
		routes.HandleFunc("GET "+group+"/{resource}", s.read)
		routes.HandleFunc("GET "+group+"/namespaces/{namespace}/{resource}", s.read)
		routes.HandleFunc("GET "+group+"/namespaces/{namespace}/{resource}/{name}", s.read)
		routes.HandleFunc("POST "+group+"/namespaces/{namespace}/{resource}", s.try)
		routes.HandleFunc("PATCH "+group+"/namespaces/{namespace}/{resource}/{name}", s.patch)
	}
	routes.HandleFunc("GET /api/v1/namespaces/{namespace}/{resource}/{name}", s.read)
	s.Server = httptest.NewServer(routes)
	t.Cleanup(s.Close)
	return s
}

// kindsOfCRDs are the kinds as an API server shows them. The CRDs are megabytes: they are read once.
var kindsOfCRDs = sync.OnceValues(func() (kinds []metav1.APIResource, err error) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "config", "crd", "bases", "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var crd struct {
			Spec struct {
				Group string
				Names struct {
					Plural, Singular, Kind string
					ShortNames, Categories []string
				}
			}
		}
		if err := yaml.Unmarshal(text, &crd); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		names := crd.Spec.Names
		kinds = append(kinds, metav1.APIResource{
			Group: crd.Spec.Group, Version: v1alpha1.GroupVersion.Version, Name: names.Plural, SingularName: names.Singular, Kind: names.Kind, ShortNames: names.ShortNames, Categories: names.Categories,
			Namespaced: true, Verbs: metav1.Verbs{"get", "list", "watch", "patch"},
		})
	}
	return kinds, nil
})

func (s *server) groups() metav1.APIGroupList {
	if len(s.kinds) == 0 {
		return metav1.APIGroupList{}
	}
	var list metav1.APIGroupList
	for _, served := range view.Groups {
		version := metav1.GroupVersionForDiscovery{GroupVersion: served.String(), Version: served.Version}
		list.Groups = append(list.Groups, metav1.APIGroup{
			Name: served.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version,
		})
	}
	return list
}

// resourceOf is a kind with its group.
func resourceOf(kind metav1.APIResource) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: kind.Name}
}

// create adds an object in YAML.
func (s *server) create(t *testing.T, text string) {
	t.Helper()
	u := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
	u.SetNamespace("default")
	resource := secrets
	for _, kind := range s.kinds {
		if kind.Kind == u.GetKind() {
			resource = resourceOf(kind)
		}
	}
	require.NoError(t, s.objects.Tracker().Create(resource, u, u.GetNamespace()))
}

// of is the client of what a request is about.
func (s *server) of(r *http.Request) dynamic.ResourceInterface {
	resource := secrets
	for _, kind := range s.kinds {
		if kind.Name == r.PathValue("resource") {
			resource = resourceOf(kind)
		}
	}
	return s.objects.Resource(resource).Namespace(r.PathValue("namespace"))
}

func (s *server) read(w http.ResponseWriter, r *http.Request) {
	resource, name := r.PathValue("resource"), r.PathValue("name")
	switch {
	case s.forbidden[resource]:
		refuse(w, apierrors.NewForbidden(schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: resource}, name, nil))
	case r.URL.Query().Get("watch") != "":
		s.watch(w, r)
	case name != "":
		found, err := s.of(r).Get(r.Context(), name, metav1.GetOptions{})
		s.answer(w, found, err)
	default:
		list, err := s.of(r).List(r.Context(), metav1.ListOptions{LabelSelector: r.URL.Query().Get("labelSelector")})
		if err != nil {
			refuse(w, err)
			return
		}
		reply(w, list)
	}
}

// try answers a request to create or patch an object, which has to be a dry run, as the API server validates it for kubectl apply.
func (s *server) try(w http.ResponseWriter, r *http.Request) {
	tried := &unstructured.Unstructured{}
	err := json.NewDecoder(r.Body).Decode(&tried.Object)
	switch query := r.URL.Query(); {
	case err != nil, query.Get("dryRun") != metav1.DryRunAll, query.Get("fieldValidation") != metav1.FieldValidationStrict:
		refuse(w, apierrors.NewInternalError(fmt.Errorf("%q: %w", query, err)))
	default:
		s.answer(w, tried, s.refuses(tried))
	}
}

func (s *server) patch(w http.ResponseWriter, r *http.Request) {
	resource, name := r.PathValue("resource"), r.PathValue("name")
	if s.forbidden[resource] {
		refuse(w, apierrors.NewForbidden(schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: resource}, name, nil))
		return
	}
	if r.URL.Query().Has("dryRun") {
		s.try(w, r)
		return
	}
	var patch json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&patch); err != nil {
		refuse(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	changed, err := s.of(r).Patch(r.Context(), name, types.PatchType(r.Header.Get("Content-Type")), patch, metav1.PatchOptions{})
	s.answer(w, changed, err)
}

func (s *server) watch(w http.ResponseWriter, r *http.Request) {
	changes, err := s.of(r).Watch(r.Context(), metav1.ListOptions{})
	if err != nil {
		refuse(w, err)
		return
	}
	defer changes.Stop()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	if s.watched != nil {
		go s.watched(r.URL.Query().Get("fieldSelector"))
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case change := <-changes.ResultChan():
			object := s.stamped(change.Object.(*unstructured.Unstructured))
			_ = json.NewEncoder(w).Encode(map[string]any{"type": change.Type, "object": object.Object})
			w.(http.Flusher).Flush()
		}
	}
}

// stamped is a copy of an object with the next version, which the fake doesn't give it.
func (s *server) stamped(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	u.SetResourceVersion(strconv.FormatInt(s.version.Add(1), 10))
	return u
}

func (s *server) answer(w http.ResponseWriter, u *unstructured.Unstructured, err error) {
	if err != nil {
		refuse(w, err)
		return
	}
	if s.warning != "" {
		w.Header().Set("Warning", s.warning)
	}
	reply(w, s.stamped(u))
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

func refuse(w http.ResponseWriter, err error) {
	status := err.(apierrors.APIStatus).Status()
	status.Kind, status.APIVersion = "Status", "v1"
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(status.Code))
	_ = json.NewEncoder(w).Encode(status)
}
