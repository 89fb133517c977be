package startup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	toolscache "k8s.io/client-go/tools/cache"
)

const (
	// refusedFor is how long a refusal counts: informers retry at least once a minute.
	refusedFor = 75 * time.Second
	// maxRefusals bounds the refusals in a reason.
	maxRefusals = 2
)

// errNotSynced is the reason while there is no other.
var errNotSynced = errors.New("the caches have not synced: is the API server reachable?")

// Watches collects the refusals that informers get from the API server: they retry forever, and only log them. Now is required.
type Watches struct {
	Now func() time.Time

	mu      sync.Mutex
	synced  bool
	refused map[string]time.Time // messages, with the time of each one's last occurrence
}

// Failed is a cache.WatchErrorHandler. Errors other than refusals are handled by default.
func (w *Watches) Failed(ctx context.Context, informer *toolscache.Reflector, err error) {
	if message := refusal(informer.TypeDescription(), err); message != "" {
		w.record(message)
		return
	}
	toolscache.DefaultWatchErrorHandler(ctx, informer, err)
}

func refusal(kind string, err error) string {
	switch {
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return err.Error()
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("%s isn't served: %s", kind, err)
	}
	return ""
}

func (w *Watches) record(message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused == nil {
		w.refused = map[string]time.Time{}
	}
	w.refused[message] = w.Now()
}

// Reason is why the caches are not up to date, or nil. The caller reports whether they have synced.
func (w *Watches) Reason(synced bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if synced && !w.synced { // earlier refusals are over
		w.synced, w.refused = true, nil
	}
	var messages []string
	for message, last := range w.refused {
		if w.Now().Sub(last) < refusedFor {
			messages = append(messages, message)
		}
	}
	switch {
	case len(messages) > 0:
		return refusedError(messages)
	case synced:
		return nil
	}
	return errNotSynced
}

func refusedError(messages []string) error {
	slices.Sort(messages)
	more := ""
	if n := len(messages) - maxRefusals; n > 0 {
		messages, more = messages[:maxRefusals], fmt.Sprintf("; and %d more", n)
	}
	return fmt.Errorf("the API server refuses to list or watch: %s%s. Remedy: check that each namespace of WATCHED_NAMESPACES exists, "+
		"and that the account has the permissions that the chart grants; no restart is needed", strings.Join(messages, "; "), more)
}
