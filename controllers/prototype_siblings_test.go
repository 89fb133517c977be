package controllers_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// A kind whose objects may overlap, as ClickhouseGrant is: its writes can be found again only by its status.

type shareSpec struct{ Service, Share string }

type share = prototype[shareSpec]

// shareKind grants a share, and keeps the one that was granted in the status.
func shareKind(created *[]string, siblings *[]string) controllers.Kind[*share] {
	return resource.Definition[*share, string]{
		Object:   &share{},
		Place:    resource.Anywhere(),
		Identity: controllers.NoIdentity[*share],
		Shares:   func(obj *share) []string { return []string{obj.Spec.Share} },
		Find: func(ctx context.Context, s resource.Scope, _ *share) (*string, error) {
			others, err := s.Siblings(ctx)
			*siblings = nil
			for _, other := range others {
				*siblings = append(*siblings, other.GetName())
			}
			return new(string), err
		},
		Diff: func(_ resource.Scope, obj *share, _ *string) controllers.Diff {
			var diff controllers.Diff
			if !slices.Contains(*created, obj.Name) {
				diff.Add("spec.share", obj.Spec.Share, "")
			}
			return diff
		},
		Intent: func(obj *share, _ *string) { obj.Status.ID = obj.Spec.Share },
		Update: func(_ context.Context, _ resource.Scope, obj *share, _ *string, _ controllers.Diff) (*string, error) {
			*created = append(*created, obj.Name)
			return new(string), nil
		},
		Delete: func(context.Context, resource.Scope, *share, *string) error { return nil },
	}.Kind()
}

func TestAnIntentIsRecordedBeforeAWriteAndNotWithoutOne(t *testing.T) {
	for name, tc := range map[string]struct {
		annotation string
		id         string
	}{
		"a write":                       {"", "a"},
		"a difference that is reported": {"Report", ""},
	} {
		t.Run(name, func(t *testing.T) {
			obj := &share{ObjectMeta: named("obj"), Spec: shareSpec{Share: "a"}}
			if tc.annotation != "" {
				obj.Annotations = map[string]string{"controllers.aiven.io/drift-policy": tc.annotation}
			}
			var created, siblings []string
			p := controllers.NewPrototype(t, shareKind(&created, &siblings), schemeOf[shareSpec]("SharePrototype"), newAPI(t), obj)
			atWrite := ""
			p.BeforeWrite(func(call string) error {
				if call == "annotations" {
					atWrite = p.Get("obj").Status.ID
				}
				return nil
			})
			require.NoError(t, p.Reconcile("obj"))
			assert.Equal(t, tc.id, p.Get("obj").Status.ID)
			assert.Equal(t, tc.id, atWrite)
		})
	}
}

func TestAnObjectFindsItsSiblings(t *testing.T) {
	obj := &share{ObjectMeta: named("obj"), Spec: shareSpec{Share: "a"}}
	same := &share{ObjectMeta: named("same"), Spec: shareSpec{Share: "a"}}
	other := &share{ObjectMeta: named("other"), Spec: shareSpec{Share: "b"}}
	var created, siblings []string
	p := controllers.NewPrototype(t, shareKind(&created, &siblings), schemeOf[shareSpec]("SharePrototype"), newAPI(t), obj, same, other)
	require.NoError(t, p.Reconcile("obj"))
	assert.Equal(t, []string{"same"}, siblings)
}
