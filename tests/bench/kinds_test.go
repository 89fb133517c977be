package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
)

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
