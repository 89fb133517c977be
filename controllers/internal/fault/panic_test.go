package fault_test

import (
	"context"
	"errors"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestAPanicOfAReconcileIsLoggedWithoutItsValue(t *testing.T) {
	none, first := []int{}, 0
	for name, tc := range map[string]struct {
		panics func()
		want   string
	}{
		"a text":                {func() { panic("hunter2secret") }, "string"},
		"an error":              {func() { panic(errors.New("hunter2secret")) }, "*errors.errorString"},
		"a mistake in the code": {func() { _ = none[first] }, "runtime error: index out of range [0] with length 0"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				assert.Equal(t, tc.want, recover())
				assert.Contains(t, string(debug.Stack()), "panic_test.go", "the stack leads to it")
			}()
			_, _ = fault.HidePanics(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
				tc.panics()
				return reconcile.Result{}, nil
			})).Reconcile(t.Context(), reconcile.Request{})
		})
	}
}
