package main

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/kinds"
)

// unmeasured are the kinds that are neither in allKinds nor in a family, with the reason.
var unmeasured = map[string]string{
	// A new kind begins here, without a reason.
}

func TestEveryKindIsMeasuredOrHasAReasonNotToBe(t *testing.T) {
	measured, known := map[string]bool{}, map[string]bool{}
	for _, k := range allKinds() {
		measured[k.name] = true
	}
	o := options{root: filepath.Join("..", "..")}
	for _, f := range families {
		for _, p := range f.parts {
			placed, err := o.place(p.example, "x", "")
			require.NoError(t, err)
			measured[reflect.TypeOf(placed).Elem().Name()] = true
		}
	}
	for _, kind := range kinds.All() {
		name := reflect.TypeOf(kind.GetObject()).Elem().Name()
		known[name] = true
		assert.True(t, measured[name] != (unmeasured[name] != ""),
			"measure %s in a family of tests/bench/families.go or in allKinds of kinds.go, or else give the reason not to in unmeasured", name)
	}
	for name := range unmeasured {
		assert.True(t, known[name], "the operator has no kind %s", name)
	}
}

func TestEveryKindHasAnExampleAndAChange(t *testing.T) {
	o := options{root: filepath.Join("..", "..")}
	for _, k := range allKinds() {
		t.Run(k.name, func(t *testing.T) {
			require.NoError(t, o.read(k.example, k.object))
			if k.prepare != nil {
				k.prepare(k.object)
			}
			before := k.object.DeepCopyObject()
			k.change(k.object)
			assert.NotEqual(t, before, k.object)
		})
	}
	require.Error(t, o.read("database", &v1alpha1.PostgreSQL{}), "fields of another kind")
}
