package startup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
)

const (
	// lookEvery is the pause between two looks of Tell.
	lookEvery = time.Second
	// repeatEvery is how often Tell repeats itself: often enough for who looks at the end of a log.
	repeatEvery = time.Minute

	headerTimeout = 10 * time.Second
)

// errStarting is the reason before anything was asked.
var errStarting = errors.New("the manager is starting")

// Readiness knows why the manager isn't ready. The zero value isn't: it is starting.
type Readiness struct {
	mu    sync.Mutex
	check func(context.Context) error
}

// SetCheck sets the question whose answer is the reason, nil for being ready. It is asked by every probe, so it MUST answer
// sooner than a probe gives up.
func (b *Readiness) SetCheck(question func(context.Context) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.check = question
}

// Reason is why the manager isn't ready, or nil.
func (b *Readiness) Reason(ctx context.Context) error {
	b.mu.Lock()
	ask := b.check
	b.mu.Unlock()
	if ask == nil {
		return errStarting
	}
	return ask(ctx)
}

// ServeHTTP answers /healthz while the process lives, and /readyz with the reason while there is one.
func (b *Readiness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/healthz":
	case "/readyz":
		if err := b.Reason(r.Context()); err != nil {
			http.Error(w, "not ready: "+err.Error(), http.StatusInternalServerError)
			return
		}
	default:
		http.NotFound(w, r)
		return
	}
	_, _ = fmt.Fprintln(w, "ok") // who asked may be gone
}

// Serve answers probes at an address, in the background, until ctx is done. With the address 0 there are none.
func (b *Readiness) Serve(ctx context.Context, address string) error {
	if address == "" || address == "0" {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return portError("health-probe-bind-address", address, err)
	}
	server := &http.Server{Handler: b, ReadHeaderTimeout: headerTimeout}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }() // it ends with the listener
	return nil
}

// Log writes the reason to the log when it is new, and now and then while it lasts. It returns when ctx is done.
func (b *Readiness) Log(ctx context.Context, log logr.Logger) {
	var told throttledLog
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			reason := ""
			if err := b.Reason(ctx); err != nil {
				reason = err.Error()
			}
			told.log(now, reason, log)
		}
	}
}

// throttledLog says the same thing once in a while only.
type throttledLog struct {
	reason string
	at     time.Time
}

func (t *throttledLog) log(now time.Time, reason string, log logr.Logger) {
	if reason == t.reason && (reason == "" || now.Sub(t.at) < repeatEvery) {
		return
	}
	t.reason, t.at = reason, now
	if reason == "" {
		log.Info("Ready")
		return
	}
	// At the level error, since it is one that somebody has to mend, and must be seen at every level.
	log.Error(nil, "Not ready: "+reason)
}

// CheckPortFree fails if a server of the manager couldn't listen at an address, which a flag has set. The server itself starts late,
// and its error names no flag.
func CheckPortFree(ctx context.Context, flag, address string) error {
	if address == "" || address == "0" {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return portError(flag, address, err)
	}
	return listener.Close()
}

func portError(flag, address string, err error) error {
	return fmt.Errorf("--%s=%s: %w (choose another address, or 0 for none)", flag, address, err)
}
