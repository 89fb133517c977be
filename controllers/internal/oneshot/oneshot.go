// Package oneshot has what commands share that run once, with a user's own token for Aiven.
package oneshot

import (
	"context"
	"errors"
	"net"
	"net/url"
	"time"

	"github.com/avast/retry-go/v5"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	// snapshotAge is how old what was read may be. It is longer than a command takes.
	snapshotAge = 4 * time.Hour
	attempts    = 5
	firstPause  = time.Second
)

// Login is how a command reaches Aiven.
type Login struct {
	URL       string // of the API; empty is Aiven's own
	Token     string
	UserAgent string
}

// Check returns what is wrong, before anything is sent. The URL may hold a password, so no error quotes it.
func (l Login) Check() error {
	if l.Token == "" {
		return errors.New("AIVEN_TOKEN isn't set: export a token that may read the project")
	}
	if l.URL == "" {
		return nil
	}
	at, err := url.Parse(l.URL)
	switch {
	case err != nil || at.Hostname() == "" || at.Scheme != "https" && at.Scheme != "http":
		return errors.New("AIVEN_WEB_URL is not a base URL such as https://api.aiven.io")
	case at.User != nil:
		return errors.New("AIVEN_WEB_URL must not have a user name or password: AIVEN_TOKEN is what logs in")
	case at.Scheme == "http" && at.Hostname() != "localhost" && !net.ParseIP(at.Hostname()).IsLoopback():
		return errors.New("AIVEN_WEB_URL must use https: http would send the token unencrypted")
	}
	return nil
}

// Client reads what it has read before from memory: no command takes as long as that is current.
func (l Login) Client() (*aiven.Client, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	aiven.IgnoreSettings()
	return aiven.New(aiven.Options{BaseURL: l.URL, UserAgent: l.UserAgent, WatchInterval: snapshotAge}).ForToken(l.Token)
}

// Repeat makes a read again while it fails for a reason that passes, and pauses for as long as Aiven asks for, or longer.
// What the last read found is returned with its error, too.
func Repeat[R any](ctx context.Context, read func(context.Context) (R, error)) (R, error) {
	var found R
	err := retry.New(
		retry.Context(ctx), retry.Attempts(attempts), retry.Delay(firstPause), retry.DelayType(pause), retry.LastErrorOnly(true),
		retry.RetryIf(func(err error) bool {
			return fault.Is(err, fault.RateLimited, fault.NotReady, fault.Server, fault.Network, fault.Timeout)
		}),
	).Do(func() (err error) {
		found, err = read(ctx)
		return err
	})
	return found, err
}

// pause doubles with each attempt, and is at least the Retry-After of Aiven.
func pause(n uint, err error, config retry.DelayContext) time.Duration {
	return max(retry.BackOffDelay(n, err, config), fault.Of(err).RetryAfter)
}

// WithRemedy is the message of an error of a read, and what to do about it. A clause about what else helps where the token lacks a
// permission follows, if there is one.
func WithRemedy(f fault.Fault, besides string) string {
	switch f.Class {
	case fault.Forbidden, fault.Unauthorized:
		return f.Message + ". Use a token in AIVEN_TOKEN whose user has the permission to read it" + besides
	case fault.RateLimited, fault.NotReady, fault.Server, fault.Network, fault.Timeout:
		return f.Message + ". Run the command again"
	default:
		return f.Message
	}
}
