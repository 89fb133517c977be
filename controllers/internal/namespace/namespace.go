// Package namespace has what a Namespace sets for the objects in it. Users who may create objects in a namespace can't edit the
// Namespace itself: it is where a platform team draws their boundaries.
package namespace

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// Settings are the metadata of a Namespace. The zero value sets nothing.
type Settings struct {
	Name        string
	Annotations map[string]string
	Labels      labels.Set
}

// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch

// Reader reads Settings.
type Reader struct {
	// Metadata of Namespaces, from a cache; nil for an operator that may not read them, which set nothing then.
	Metadata client.Reader
	Live     client.Reader // of the API server, for what the cache doesn't have yet
}

// NewReader reads through the cache of a manager; not at all, if the operator may not.
func NewReader(mgr manager.Manager, allowed bool) Reader {
	if !allowed {
		return Reader{}
	}
	return Reader{Metadata: mgr.GetClient(), Live: mgr.GetAPIReader()}
}

// Of returns what a Namespace sets. Errors are those of the API server: what it sets isn't known then.
func (r Reader) Of(ctx context.Context, name string) (Settings, error) {
	s := Settings{Name: name}
	if r.Metadata == nil {
		return s, nil
	}
	meta := &metav1.PartialObjectMetadata{}
	meta.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	err := r.Metadata.Get(ctx, client.ObjectKey{Name: name}, meta)
	if apierrors.IsNotFound(err) {
		err = r.Live.Get(ctx, client.ObjectKey{Name: name}, meta)
	}
	if err != nil {
		return s, fmt.Errorf("reading Namespace %s: %w", name, err)
	}
	return settingsOf(meta), nil
}

func settingsOf(meta client.Object) Settings {
	return Settings{Name: meta.GetName(), Annotations: meta.GetAnnotations(), Labels: meta.GetLabels()}
}

// TokenSecretOf is the name of the Secret that a Namespace has its token in; empty for none.
func TokenSecretOf(meta client.Object) string {
	name, _, _ := settingsOf(meta).TokenSecret()
	return name
}

// WithToken returns the names of the Namespaces whose token is in a Secret of the operator's namespace.
func (r Reader) WithToken(ctx context.Context, secret string) ([]string, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NamespaceList"))
	if err := r.Metadata.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing Namespaces: %w", err)
	}
	var names []string
	for i := range list.Items {
		if TokenSecretOf(&list.Items[i]) == secret {
			names = append(names, list.Items[i].Name)
		}
	}
	return names, nil
}

// Changes lets through what changes the Settings of a Namespace. A new one has no objects yet.
func Changes() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		DeleteFunc: func(event.DeleteEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, now := e.ObjectOld.GetAnnotations(), e.ObjectNew.GetAnnotations()
			return !maps.Equal(e.ObjectOld.GetLabels(), e.ObjectNew.GetLabels()) || slices.ContainsFunc(settings, func(name string) bool {
				was, had := before[name]
				is, has := now[name]
				return was != is || had != has
			})
		},
	}
}

// settings are the annotations that count.
var settings = []string{annotation.Adoption, annotation.Recreate, annotation.ChangePolicy, annotation.Route, annotation.TokenSecret, annotation.AllowedProjects}

// Selector selects Namespaces by their names or labels. The zero value selects all.
type Selector struct {
	Names  []string        // nil for no list: an empty one has none
	Labels labels.Selector // nil for none
}

// Matches reports whether a Namespace is selected, by one of the two.
func (s Selector) Matches(in Settings) bool {
	if s.Names == nil && s.Labels == nil {
		return true
	}
	return slices.Contains(s.Names, in.Name) || s.Labels != nil && s.Labels.Matches(in.Labels)
}

// TokenSecret is the Secret in the operator's namespace that has the token of objects that name none, and the key in it. set is false
// if the Namespace names none: a value without a name is a mistake, which opens nothing.
func (s Settings) TokenSecret() (name, key string, set bool) {
	value, set := s.Annotations[annotation.TokenSecret]
	name, key, found := strings.Cut(value, "/")
	if name = strings.TrimSpace(name); name != "" && !found {
		key = "token"
	}
	return name, strings.TrimSpace(key), set
}

// Forbidden returns why objects of the Namespace may not use some projects; "" if they may. projects is called only if the Namespace
// limits them. An annotation without a project allows none.
func (s Settings) Forbidden(projects func() []string) string {
	list, limited := s.Annotations[annotation.AllowedProjects]
	if !limited {
		return ""
	}
	allowed := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	for _, project := range projects() {
		if !slices.Contains(allowed, project) {
			return fmt.Sprintf("Namespace %s may not use project %s: its annotation %s doesn't list it. Recreate the object with a listed project, or ask "+
				"who administers the Namespace to add it", s.Name, project, annotation.AllowedProjects)
		}
	}
	return ""
}
