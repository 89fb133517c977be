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
	// refusedFor is how long a refusal counts: informers try again at least once a minute.
	refusedFor = 75 * time.Second
	// maxRefusals bounds how many of them a reason names.
	maxRefusals = 2
)

// errUnfilled is the reason of caches that nothing is known of.
var errUnfilled = errors.New("the caches aren't filled yet: can the API server be reached?")

// Watches collects what the API server refuses to show to the informers, which try again forever, and tells nobody but the
// log. Now is needed.
type Watches struct {
	Now func() time.Time

	mu      sync.Mutex
	filled  bool
	refused map[string]time.Time // texts, and when each was heard last
}

// Failed is what an informer calls when a list or a watch has failed. What isn't a refusal is handled as it is by default.
func (w *Watches) Failed(ctx context.Context, informer *toolscache.Reflector, err error) {
	if text := refusal(informer.TypeDescription(), err); text != "" {
		w.note(text)
		return
	}
	toolscache.DefaultWatchErrorHandler(ctx, informer, err)
}

func refusal(described string, err error) string {
	switch {
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return err.Error()
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("%s isn't served: %s", described, err)
	}
	return ""
}

func (w *Watches) note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused == nil {
		w.refused = map[string]time.Time{}
	}
	w.refused[text] = w.Now()
}

// Reason is why the caches don't have what there is, or nil. Filled says whether they have been filled.
func (w *Watches) Reason(filled bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if filled && !w.filled { // whatever was refused before isn't any longer
		w.filled, w.refused = true, nil
	}
	var texts []string
	for text, heard := range w.refused {
		if w.Now().Sub(heard) < refusedFor {
			texts = append(texts, text)
		}
	}
	switch {
	case len(texts) > 0:
		return refusedError(texts)
	case filled:
		return nil
	}
	return errUnfilled
}

func refusedError(texts []string) error {
	slices.Sort(texts)
	more := ""
	if n := len(texts) - maxRefusals; n > 0 {
		texts, more = texts[:maxRefusals], fmt.Sprintf("; and %d more like this", n)
	}
	return fmt.Errorf("the API server doesn't show what aero works on: %s%s. Remedy: make sure that each namespace of WATCHED_NAMESPACES "+
		"exists and that the account has the rights there that the chart gives; aero goes on by itself", strings.Join(texts, "; "), more)
}
