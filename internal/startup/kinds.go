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
	// maxNamed bounds how many kinds and fields a reason names: it is a line.
	maxNamed = 5

	kindsRemedy = "Remedy: upgrade the chart aero-crds (helm upgrade aero-crds, or kubectl apply --server-side -k config/crd) " +
		"to the version of the operator; aero goes on by itself"
)

// Kinds asks whether the API server serves all kinds, with all fields that the operator knows: it would drop the others
// from what is written, without a word. The schemas are published to every account, so no right to read CRDs is needed.
type Kinds struct {
	Schemas openapi.ClientWithContext
	Version schema.GroupVersion
	Types   map[string]reflect.Type // Go types by their kinds
}

// KindsOf are the types of objects.
func KindsOf(scheme *runtime.Scheme, version schema.GroupVersion, objects []runtime.Object) (map[string]reflect.Type, error) {
	types := map[string]reflect.Type{}
	for _, object := range objects {
		found, _, err := scheme.ObjectKinds(object)
		if err != nil {
			return nil, fmt.Errorf("finding the kind of %T: %w", object, err)
		}
		for _, kind := range found {
			if kind.GroupVersion() == version {
				types[kind.Kind] = reflect.TypeOf(object).Elem()
			}
		}
	}
	return types, nil
}

// Served is a Check: it names the kinds that aren't served, and the fields that served kinds lack.
func (k *Kinds) Served(ctx context.Context) error {
	served, err := k.served(ctx)
	if apierrors.IsForbidden(err) {
		return nil // somebody took the role system:discovery away, so nobody can tell
	}
	if err != nil {
		return fmt.Errorf("asking the API server for the kinds of %s: %w", k.Version, err)
	}
	var missing, old []string
	for kind, goType := range k.Types {
		one, found := served[kind]
		if !found {
			missing = append(missing, kind)
			continue
		}
		if lacks := one.lacks(goType, ""); len(lacks) > 0 {
			old = append(old, fmt.Sprintf("%s (%s)", kind, few(lacks)))
		}
	}
	var parts []string
	if len(missing) > 0 {
		parts = append(parts, "these kinds aren't served: "+few(missing))
	}
	if len(old) > 0 {
		parts = append(parts, "these kinds lack fields: "+few(old))
	}
	if len(parts) == 0 {
		return nil
	}
	return fmt.Errorf("the CRDs of %s are older than the operator, or not installed: %s. %s",
		k.Version, strings.Join(parts, "; "), kindsRemedy)
}

// served are the schemas of the kinds that the API server has.
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

// few are the first of some names, sorted.
func few(names []string) string {
	slices.Sort(names)
	if len(names) <= maxNamed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
}
