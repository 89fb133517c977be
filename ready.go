package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

// syncPatience is shorter than the timeout of any probe.
const syncPatience = 500 * time.Millisecond

// synced fails until the caches hold what there is. That doesn't take the lease: who waits for it has watched since its start.
func synced(caches interface{ WaitForCacheSync(context.Context) bool }) healthz.Checker {
	return func(r *http.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), syncPatience)
		defer cancel()
		if !caches.WaitForCacheSync(ctx) {
			return errors.New("the caches aren't filled yet: can the API server be reached, and does it let us list and watch?")
		}
		return nil
	}
}
