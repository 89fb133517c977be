package resource

import (
	"context"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/plan"
)

// Separates implements plan.Separator: differences can be left if there is a spec that differs from the resource as before without them.
func (c *controller[T, R]) Separates(obj client.Object, held controllers.Diff) bool {
	_, separable := c.keeping(obj.(T), held)
	return separable
}

// update corrects differences, and leaves those that are held.
func (c *controller[T, R]) update(ctx context.Context, obj T, held, diff controllers.Diff) (*R, error) {
	if len(held) > 0 {
		kept, separable := c.keeping(obj, held)
		if !separable {
			return nil, plan.ErrInseparable
		}
		defer exchangeSpec(obj, kept)()
	}
	return c.definition.Update(ctx, c.scope, obj, c.found, diff)
}

// keeping returns the object with the values that the resource has where differences are held, so that an update, which may send the
// whole spec, changes nothing there. The difference has the values, and the comparison itself proves each of them. It is false if there
// is no such spec, as for values that aren't shown.
func (c *controller[T, R]) keeping(obj T, held controllers.Diff) (T, bool) {
	if c.found == nil || c.definition.Diff == nil {
		return obj, false
	}
	wanted := c.definition.Diff(c.scope, obj, c.found)
	for _, difference := range held {
		wanted = wanted.Without(difference.Path)
		kept, found := c.keepingOne(obj, difference, wanted)
		if !found {
			return obj, false
		}
		obj = kept
	}
	return obj, true
}

// keepingOne sets what was found at one place, or leaves the place open where nothing was: a value that the resource has would not be
// kept by a spec that leaves it open.
func (c *controller[T, R]) keepingOne(obj T, difference plan.Difference, wanted controllers.Diff) (T, bool) {
	fields := strings.Split(difference.Path, ".")
	if !difference.From.Whole() {
		return obj, false
	}
	found := difference.From.Get()
	if found != nil {
		kept, set := c.edited(obj, func(content map[string]any) error { return setJSON(content, found, fields) })
		if set && c.separated(kept, wanted) {
			return kept, true
		}
	}
	kept, removed := c.edited(obj, func(content map[string]any) error { unstructured.RemoveNestedField(content, fields...); return nil })
	return kept, removed && (found == nil || found == "") && c.separated(kept, wanted)
}

// setJSON sets a value as JSON has it.
func setJSON(content map[string]any, value any, fields []string) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var decoded any
	if err := json.Unmarshal(encoded, &decoded); err != nil {
		return err
	}
	return unstructured.SetNestedField(content, decoded, fields...)
}

// separated reports whether a spec differs from the resource in these ways, and in no other.
func (c *controller[T, R]) separated(kept T, wanted controllers.Diff) bool {
	return c.definition.Diff(c.scope, kept, c.found).Same(wanted)
}

// edited is a copy of an object with another content. It is false if the content isn't one of its kind.
func (c *controller[T, R]) edited(obj T, edit func(content map[string]any) error) (T, bool) {
	made := c.definition.Object.DeepCopyObject().(T)
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err == nil {
		err = edit(content)
	}
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, made, true)
	}
	return made, err == nil
}

// exchangeSpec gives an object the spec of another one, and returns how to take that back. The status stays: an update may fill it.
func exchangeSpec[T controllers.Object](obj, other T) (restore func()) {
	spec := func(of T) reflect.Value { return reflect.ValueOf(of).Elem().FieldByName("Spec") }
	own := reflect.New(spec(obj).Type()).Elem()
	own.Set(spec(obj))
	spec(obj).Set(spec(other))
	return func() { spec(obj).Set(own) }
}
