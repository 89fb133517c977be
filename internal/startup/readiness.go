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
	// logInterval is the interval at which Log asks for the reason.
	logInterval = time.Second
	// logDelay is how long a reason has to last until Log writes it: at a normal start, the caches take a second or two to sync.
	logDelay = 3 * time.Second
	// repeatInterval is the interval at which Log repeats a reason, so that the end of a log has it.
	repeatInterval = time.Minute

	headerTimeout = 10 * time.Second
)

// errStarting is the reason before the first check.
var errStarting = errors.New("the manager is starting")

// Readiness holds the reason for which the manager isn't ready. The zero value is starting.
type Readiness struct {
	mu    sync.Mutex
	check func(context.Context) error
}

// SetCheck sets the check that returns the reason, or nil when ready. Every probe runs it, so it MUST return within the
// timeout of a probe.
func (r *Readiness) SetCheck(check func(context.Context) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.check = check
}

// Reason is why the manager isn't ready, or nil.
func (r *Readiness) Reason(ctx context.Context) error {
	r.mu.Lock()
	check := r.check
	r.mu.Unlock()
	if check == nil {
		return errStarting
	}
	return check(ctx)
}

// ServeHTTP answers /healthz while the process lives, and /readyz with the reason while there is one.
func (r *Readiness) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	switch request.URL.Path {
	case "/healthz":
	case "/readyz":
		if err := r.Reason(request.Context()); err != nil {
			http.Error(w, "not ready: "+err.Error(), http.StatusInternalServerError)
			return
		}
	default:
		http.NotFound(w, request)
		return
	}
	_, _ = fmt.Fprintln(w, "ok") // the client may have disconnected
}

// Serve serves probes at an address, in the background, until ctx is done. The address 0 disables them.
func (r *Readiness) Serve(ctx context.Context, address string) error {
	if address == "" || address == "0" {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return portError("health-probe-bind-address", address, err)
	}
	server := &http.Server{Handler: r, ReadHeaderTimeout: headerTimeout}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }() // it ends with the listener
	return nil
}

// Log logs a reason that lasts, once a minute, and that there is none any more, also at the start. It returns when ctx is done.
func (r *Readiness) Log(ctx context.Context, log logr.Logger) {
	last, since := errStarting.Error(), time.Now()
	throttled := throttledLog{problem: "Not ready: ", solved: "Ready", reason: last}
	ticker := time.NewTicker(logInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			reason := ""
			if err := r.Reason(ctx); err != nil {
				reason = err.Error()
			}
			if reason != last {
				last, since = reason, now
			}
			if reason == "" || now.Sub(since) >= logDelay {
				throttled.log(now, reason, log)
			}
		}
	}
}

// throttledLog logs a reason again only after repeatInterval.
type throttledLog struct {
	problem, solved string // before a reason, and without one

	reason string
	at     time.Time
}

func (t *throttledLog) log(now time.Time, reason string, log logr.Logger) {
	if reason == t.reason && (reason == "" || now.Sub(t.at) < repeatInterval) {
		return
	}
	t.reason, t.at = reason, now
	if reason == "" {
		log.Info(t.solved)
		return
	}
	// At the level error: it needs a person, and must be logged at every level.
	log.Error(nil, t.problem+reason)
}

// CheckPortFree fails if a server of the manager couldn't listen at the address of a flag. The server itself starts late, and
// its error names no flag.
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
	return fmt.Errorf("--%s=%s: %w (choose another address, or 0 to disable it)", flag, address, err)
}
