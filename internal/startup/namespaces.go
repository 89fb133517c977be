package startup

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/metadata"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

const (
	// missingInterval is the interval at which missing namespaces are asked about while we work.
	missingInterval = 10 * time.Second
	// allInterval is that of all namespaces: there may be a thousand.
	allInterval = 5 * time.Minute
)

var (
	errUnreadable = errors.New("can't be read")
	errAbsent     = errors.New("doesn't exist")
)

// Namespaces finds out which namespaces exist and can be read. It needs no permission to read Namespaces: the dry run of an event
// has another error where the namespace doesn't exist. Watches reports other permissions that are missing.
//
// Those that can't be read are left out, so that one of them doesn't keep the manager from working in the others: all informers
// of a cache sync together. It needs a restart to watch them later. One that doesn't exist yet and could be read is watched.
type Namespaces struct {
	Metadata metadata.Interface
	Events   eventsclient.EventsGetter
	Names    []string
	Log      logr.Logger

	mu    sync.Mutex
	known map[string]error // nil for one that exists and can be read
}

// Readable is a Check. It passes once it is known of each namespace whether it can be read, and one can. What is known is kept,
// so that a slow API server gets to the end of a long list.
func (n *Namespaces) Readable(ctx context.Context) error {
	if err := n.ask(ctx, n.missing()); err != nil {
		return err
	}
	missing := n.missing()
	if len(missing) > 0 && len(missing) == len(n.Names) {
		return n.of(missing[0])
	}
	return nil
}

// ask asks about namespaces. Its error is that of the first one of which nothing new is known after it.
func (n *Namespaces) ask(ctx context.Context, names []string) error {
	var unknown error
	for i, err := range forEach(ctx, names, func(ctx context.Context, i int) error { return n.readable(ctx, names[i]) }) {
		switch {
		case err == nil, errors.Is(err, errUnreadable), errors.Is(err, errAbsent):
			n.record(names[i], err)
		case unknown == nil:
			unknown = err
		}
	}
	missingNamespaces.Set(float64(len(n.missing())))
	return unknown
}

func (n *Namespaces) readable(ctx context.Context, name string) error {
	_, err := n.Metadata.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).Namespace(name).List(ctx, metav1.ListOptions{Limit: 1})
	if apierrors.IsForbidden(err) {
		return fmt.Errorf("namespace %s of WATCHED_NAMESPACES %w: it doesn't exist, or this account has no permission "+
			"in it: %w. Remedy: create it, or grant the permissions, as the chart does with watchedNamespaces", name, errUnreadable, err)
	}
	if err != nil {
		return fmt.Errorf("reading namespace %s: %w", name, err)
	}
	// Other errors mean nothing: quotas and policies may refuse the event.
	_, err = n.Events.Events(name).Create(ctx, dryRunEvent(name), metav1.CreateOptions{DryRun: dryRun})
	if isOf(err, "namespaces") {
		return fmt.Errorf("namespace %s of WATCHED_NAMESPACES %w. Remedy: kubectl create namespace %[1]s, or remove it from "+
			"WATCHED_NAMESPACES", name, errAbsent)
	}
	return nil
}

// dryRunEvent is an event that is never stored.
func dryRunEvent(namespace string) *eventsv1.Event {
	return &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "startup-"},
		EventTime:  metav1.NowMicro(), ReportingController: "aero", ReportingInstance: "aero",
		Action: "Start", Reason: "Starting", Type: corev1.EventTypeNormal,
		Regarding: corev1.ObjectReference{APIVersion: "v1", Kind: "Namespace", Name: namespace, Namespace: namespace},
	}
}

func (n *Namespaces) record(name string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[string]error{}
	}
	n.known[name] = err
}

func (n *Namespaces) of(name string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.known[name]
}

// missing are the namespaces that aren't known to exist and to be readable, in their order.
func (n *Namespaces) missing() (names []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, name := range n.Names {
		if err, known := n.known[name]; err != nil || !known {
			names = append(names, name)
		}
	}
	return names
}

// Unreadable reports whether a namespace is one that can't be read.
func (n *Namespaces) Unreadable(name string) bool { return errors.Is(n.of(name), errUnreadable) }

// Watched are the namespaces of the manager's cache; nil for all.
func (n *Namespaces) Watched() map[string]cache.Config {
	if len(n.Names) == 0 {
		return nil
	}
	watched := map[string]cache.Config{}
	for _, name := range n.Names {
		if !n.Unreadable(name) {
			watched[name] = cache.Config{}
		}
	}
	return watched
}

// Appeared returns nil when ctx is done, or an error as soon as a namespace that is left out can be read: a cache takes up no other
// namespace while it runs. Meanwhile it logs which ones are missing.
func (n *Namespaces) Appeared(ctx context.Context) error {
	watched, all := n.Watched(), time.Now()
	throttled := throttledLog{problem: "Working without a namespace: ", solved: "All namespaces of WATCHED_NAMESPACES are there"}
	for {
		missing := n.missing()
		throttled.log(time.Now(), n.reason(missing), n.Log)
		if !pause(ctx, missingInterval) {
			return nil
		}
		names := missing
		if now := time.Now(); now.Sub(all) >= allInterval {
			names, all = n.Names, now
		}
		_ = n.ask(ctx, names) // of what can't be asked about, the latest answer counts
		for _, name := range missing {
			if _, is := watched[name]; !is && n.of(name) == nil {
				return fmt.Errorf("stopping because namespace %s of WATCHED_NAMESPACES can be read now. aero watches it after a restart", name)
			}
		}
	}
}

// reason is what is wrong with the missing namespaces, or empty.
func (n *Namespaces) reason(missing []string) string {
	if len(missing) == 0 {
		return ""
	}
	reason := n.of(missing[0]).Error()
	if others := missing[1:]; len(others) > 0 {
		reason += "; missing, too: " + few(others)
	}
	return reason
}
