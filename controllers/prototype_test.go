package controllers_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// prototype is an object of a kind that exists in tests only, with a spec of its own.
type prototype[S any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              S               `json:"spec"`
	Status            prototypeStatus `json:"status,omitempty"`
}

type prototypeStatus struct {
	v1alpha1.CommonStatus `json:",inline"`
	ID                    string `json:"id,omitempty"`
	Version               int    `json:"version,omitempty"`
}

func (p *prototype[S]) GetAuthSecretRef() *v1alpha1.AuthSecretReference { return nil }
func (p *prototype[S]) GetCommonStatus() *v1alpha1.CommonStatus         { return &p.Status.CommonStatus }
func (p *prototype[S]) DeepCopyObject() runtime.Object                  { return copied(p) }

type prototypeList[S any] struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []prototype[S] `json:"items"`
}

func (l *prototypeList[S]) DeepCopyObject() runtime.Object { return copied(l) }

// copied makes a deep copy by way of JSON, which is how the cluster stores objects.
func copied[T any](in *T) *T {
	out := new(T)
	raw, err := json.Marshal(in)
	if err == nil {
		err = json.Unmarshal(raw, out)
	}
	if err != nil {
		panic(err)
	}
	return out
}

// schemeOf has a prototype under the name of a kind.
func schemeOf[S any](kind string) *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(v1alpha1.GroupVersion.WithKind(kind), &prototype[S]{})
	scheme.AddKnownTypeWithName(v1alpha1.GroupVersion.WithKind(kind+"List"), &prototypeList[S]{})
	return scheme
}

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name), Generation: 1}
}

// api is a part of the API of Aiven with some behavior. It counts what it was asked for.
type api struct {
	*http.ServeMux
	t     *testing.T
	mu    sync.Mutex
	calls map[string]int // by method and route
	fail  map[string]int // status of the next answer to a route; the call is carried out all the same
}

func newAPI(t *testing.T) *api {
	return &api{ServeMux: http.NewServeMux(), t: t, calls: map[string]int{}, fail: map[string]int{}}
}

// on answers a route with what do returns: the body and the status.
func (a *api) on(route string, do func(r *http.Request) (any, int)) {
	a.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.calls[route]++
		body, status := do(r)
		if lost := a.fail[route]; lost != 0 {
			delete(a.fail, route)
			body, status = refusal("the answer is lost"), lost
		}
		w.WriteHeader(status)
		require.NoError(a.t, json.NewEncoder(w).Encode(body))
	})
}

// RoundTrip implements http.RoundTripper.
func (a *api) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	if w.Code == http.StatusNotFound && !strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") && w.Body.String() == "404 page not found\n" {
		a.t.Errorf("no answer to %s %s", r.Method, r.URL.Path)
	}
	return w.Result(), nil
}

type fields = map[string]any

func refusal(message string) fields {
	return fields{"message": message, "errors": []any{fields{"message": message, "status": 0}}}
}

// service is the answer to a GET of a service, with some fields changed.
func service(name, kind, state string, changes fields) fields {
	s := fields{
		"service_name": name, "service_type": kind, "plan": "startup-4", "cloud_name": "google-europe-west1", "state": state,
		"users": []any{}, "service_integrations": []any{}, "user_config": fields{},
		"service_uri_params": fields{"host": name + ".test", "port": "9440"},
	}
	for key, value := range changes {
		s[key] = value
	}
	return fields{"service": s}
}

func decode[T any](t *testing.T, r *http.Request) T {
	var in T
	require.NoError(t, json.NewDecoder(r.Body).Decode(&in))
	return in
}
