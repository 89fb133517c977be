package fakecluster

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// lists answers lists as an informer's cache does: the fake client encodes and decodes all objects of a kind for each list, which
// is most of a test's time where 30 kinds are listed by an index after each write. All objects of a kind are kept from one write
// to the next.
type lists struct {
	indexes map[reflect.Type]map[string]client.IndexerFunc // by the type of an object, then by field
	mu      sync.Mutex                                     // guards all, as events are written many at once
	all     map[string][]client.Object                     // by kind
}

func newLists() *lists {
	return &lists{indexes: map[reflect.Type]map[string]client.IndexerFunc{}, all: map[string][]client.Object{}}
}

// index makes a field of objects of the type of obj one that lists can select by.
func (l *lists) index(obj client.Object, field string, extract client.IndexerFunc) {
	kind := reflect.TypeOf(obj)
	if l.indexes[kind] == nil {
		l.indexes[kind] = map[string]client.IndexerFunc{}
	}
	l.indexes[kind][field] = extract
}

// list is interceptor.Funcs.List.
func (l *lists) list(ctx context.Context, to client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
	kind := strings.TrimSuffix(reflect.TypeOf(list).Elem().Name(), "List")
	if kind == "PartialObjectMetadata" { // of any kind
		return to.List(ctx, list, opts...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all, known := l.all[kind]
	if !known {
		if err := to.List(ctx, list); err != nil {
			return err
		}
		items, err := meta.ExtractList(list)
		if err != nil {
			return err
		}
		for _, item := range items {
			all = append(all, item.(client.Object).DeepCopyObject().(client.Object))
		}
		l.all[kind] = all
	}
	options := (&client.ListOptions{}).ApplyOptions(opts)
	var found []runtime.Object
	for _, obj := range all {
		if l.selects(options, obj) {
			found = append(found, obj.DeepCopyObject())
		}
	}
	return meta.SetList(list, found)
}

func (l *lists) selects(options *client.ListOptions, obj client.Object) bool {
	if options.Namespace != "" && options.Namespace != obj.GetNamespace() {
		return false
	}
	if options.LabelSelector != nil && !options.LabelSelector.Matches(labels.Set(obj.GetLabels())) {
		return false
	}
	return options.FieldSelector == nil || !slices.ContainsFunc(options.FieldSelector.Requirements(), func(r fields.Requirement) bool {
		return !slices.Contains(l.indexes[reflect.TypeOf(obj)][r.Field](obj), r.Value)
	})
}

// writes are the functions of a client that change objects. What is kept of their kind is forgotten.
func (l *lists) writes() interceptor.Funcs {
	return interceptor.Funcs{
		List: l.list,
		Create: func(ctx context.Context, to client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			defer l.forget(kindOf(obj))
			return to.Create(ctx, obj, opts...)
		},
		Update: func(ctx context.Context, to client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
			defer l.forget(kindOf(obj))
			return to.Update(ctx, obj, opts...)
		},
		Patch: func(ctx context.Context, to client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			defer l.forget(kindOf(obj))
			return to.Patch(ctx, obj, patch, opts...)
		},
		Apply: func(ctx context.Context, to client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			defer l.forget(*obj.(applied).GetKind())
			return to.Apply(ctx, obj, opts...)
		},
		Delete: func(ctx context.Context, to client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			defer l.forget(kindOf(obj))
			return to.Delete(ctx, obj, opts...)
		},
		SubResourcePatch: func(ctx context.Context, to client.Client, sub string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			defer l.forget(kindOf(obj))
			return to.SubResource(sub).Patch(ctx, obj, patch, opts...)
		},
	}
}

func (l *lists) forget(kind string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, kind)
}
