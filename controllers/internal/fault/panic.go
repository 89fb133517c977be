package fault

import (
	"context"
	"fmt"
	"runtime"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// DescribePanic is the message of a panic of Go itself, and of any other its type: the value may hold a secret.
func DescribePanic(value any) string {
	if err, ok := value.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", value)
}

// HidePanics returns a reconciler whose panics have their description as value. controller-runtime logs it with the stack,
// counts it, and goes on; a span that ends meanwhile records it, too.
func HidePanics(next reconcile.Reconciler) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		defer func() {
			if value := recover(); value != nil {
				panic(DescribePanic(value))
			}
		}()
		return next.Reconcile(ctx, request)
	})
}
