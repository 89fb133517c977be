package startup

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/openapi"
)

const (
	// maxNamed bounds the kinds and fields in a reason, which is one line.
	maxNamed = 5

	kindsRemedy = "Remedy: upgrade the chart aero-crds (helm upgrade aero-crds, or kubectl apply --server-side -k config/crd) " +
		"to the version of the operator; no restart is needed"
)

// Kinds checks that the API server serves all kinds, with all fields that the operator knows, and refuses to remove a spec: it would
// silently prune other fields from what is written, and immutable ones could be changed. Every account can read the published schemas, so
// no permission to read CRDs is needed.
type Kinds struct {
	Schemas openapi.ClientWithContext
	Version schema.GroupVersion
	Types   map[string]reflect.Type // Go types by kind
}

// KindsOf returns the types of objects, by kind.
func KindsOf(scheme *runtime.Scheme, version schema.GroupVersion, objects []runtime.Object) (map[string]reflect.Type, error) {
	types := map[string]reflect.Type{}
	for _, object := range objects {
		found, _, err := scheme.ObjectKinds(object)
		if err != nil {
			return nil, fmt.Errorf("finding the GroupVersionKind of %T: %w", object, err)
		}
		for _, kind := range found {
			if kind.GroupVersion() == version {
				types[kind.Kind] = reflect.TypeOf(object).Elem()
			}
		}
	}
	return types, nil
}

// Served is a Check. It fails for kinds that aren't served, and for fields and the rule that served kinds lack.
func (k *Kinds) Served(ctx context.Context) error {
	served, err := k.served(ctx)
	if apierrors.IsForbidden(err) {
		return nil // the role system:discovery was removed, so the schemas can't be read
	}
	if err != nil {
		return fmt.Errorf("reading the schemas of %s from the API server: %w", k.Version, err)
	}
	var missing, old, loose []string
	for kind, goType := range k.Types {
		published, found := served[kind]
		if !found {
			missing = append(missing, kind)
			continue
		}
		if lacks := published.lacks(goType, ""); len(lacks) > 0 {
			old = append(old, fmt.Sprintf("%s (%s)", kind, few(lacks)))
		}
		if published.losesSpec() {
			loose = append(loose, kind)
		}
	}
	var parts []string
	if len(missing) > 0 {
		parts = append(parts, "kinds that aren't served: "+few(missing))
	}
	if len(old) > 0 {
		parts = append(parts, "kinds that lack fields: "+few(old))
	}
	if len(loose) > 0 {
		parts = append(parts, "kinds whose spec can be removed: "+few(loose))
	}
	if len(parts) == 0 {
		return nil
	}
	return fmt.Errorf("the CRDs of %s are older than the operator, or not installed: %s. %s",
		k.Version, strings.Join(parts, "; "), kindsRemedy)
}

// served returns the schemas of the kinds that the API server serves.
func (k *Kinds) served(ctx context.Context) (map[string]*property, error) {
	paths, err := k.Schemas.PathsWithContext(ctx)
	if err != nil {
		return nil, err
	}
	path, found := paths["apis/"+k.Version.String()]
	if !found {
		return nil, nil
	}
	content, err := path.SchemaWithContext(ctx, runtime.ContentTypeJSON)
	if err != nil {
		return nil, err
	}
	var document struct {
		Components struct{ Schemas map[string]*property }
	}
	if err := json.Unmarshal(content, &document); err != nil {
		return nil, fmt.Errorf("reading their schemas: %w", err)
	}
	byKind := map[string]*property{}
	for _, one := range document.Components.Schemas {
		for _, kind := range one.Kinds {
			if kind.GroupVersion() == k.Version {
				byKind[kind.Kind] = one
			}
		}
	}
	return byKind, nil
}

// few returns the first names in order, and the number of the others.
func few(names []string) string {
	slices.Sort(names)
	if len(names) <= maxNamed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
}
