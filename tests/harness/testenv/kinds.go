package testenv

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/kinds"
)

// KindNames returns the names of all kinds that the operator serves, sorted.
func KindNames() []string {
	var names []string
	for _, kind := range kinds.All() {
		names = append(names, kindName(kind.GetObject()))
	}
	return names
}

// registrations returns the kinds with these names, or all of them where there are none.
func registrations(t *testing.T, names []string) []controllers.Registration {
	t.Helper()
	if len(names) == 0 {
		return kinds.All()
	}
	for _, name := range names {
		require.Contains(t, KindNames(), name, "no such kind")
	}
	return slices.DeleteFunc(kinds.All(), func(kind controllers.Registration) bool {
		return !slices.Contains(names, kindName(kind.GetObject()))
	})
}

// serves reports whether the operator of the test has a controller for the object.
func (e *Env) serves(obj client.Object) bool {
	return slices.ContainsFunc(e.kinds, func(kind controllers.Registration) bool {
		return kindName(kind.GetObject()) == kindName(obj)
	})
}

func kindName(obj client.Object) string { return reflect.TypeOf(obj).Elem().Name() }
