package aiven

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// ListKey names a list that is read by one call: the scope it is in, and the operation that reads it. A list of a service
// has Project and Service, a list of a project has Project, a list of an organization has Organization.
type ListKey struct {
	Organization, Project, Service string
	// Operation is the API's name of the call. What else distinguishes two lists of one scope follows it.
	Operation string
}

// String is operation:scope.
func (k ListKey) String() string {
	scope := []string{k.Organization, k.Project, k.Service}
	for i := range scope {
		if scope[i] == "" {
			scope[i] = "-"
		}
	}
	return k.Operation + ":" + strings.Join(scope, "/")
}

// missing is the error of a list that Aiven answers 404 for: what it is in isn't known, or may not be seen.
func (k ListKey) missing(err error) error {
	operation, sentence := "404 "+k.Operation, (*fault.Secrets)(nil).Sentence(err)
	if k.Project != "" && k.Service == "" {
		return &unclearError{operation: operation, problem: strings.TrimRight(sentence, ". ") +
			fmt.Sprintf(". Correct spec.project, which is %q, or use another token", k.Project), cause: ErrUnknownProject}
	}
	return unclear(operation, "a list can't be missing: "+sentence)
}

// failed is the error of a read, with its operation: neither a network nor a type names it.
func (k ListKey) failed(err error) error {
	var named *unclearError
	if errors.As(err, &named) || fault.FromAiven(err) {
		return err
	}
	return fmt.Errorf("%w (%s)", err, k.Operation)
}

// ListSource is how a list is read and compared.
type ListSource[T any] struct {
	// Read makes the call. It MUST return an error for a page that isn't the whole list, where Aiven has pages.
	Read func(ctx context.Context) (T, error)
	// Items indexes the answer by the keys that writes and changes name. It returns nil if the answer doesn't hold the list.
	Items func(T) map[string]any
	// With returns the list with items as our writes have left them; nil is one that doesn't exist. It MUST NOT change the
	// list that it gets, and reports false for what it can't use. Without With, what was written is read.
	With func(list T, written map[string]any) (T, bool)
}

// listSource is a ListSource without its type.
type listSource struct {
	read func(context.Context) (listed, error)
	with func(listed, map[string]any) (listed, bool) // nil without With
}

// sharedList is what one client knows of one list. It is pure, as snapshot is.
type sharedList struct {
	listed
	known       bool
	seq         uint64 // of the read that value is from
	began       time.Time
	staleBefore uint64 // what was read before is stale
	writes      writes
	forgotten   uint64    // of the latest write that writes no longer has
	used        time.Time // when last read by an object
	inflight    *inflight[listed]
	source      listSource // nothing before the first read
}

// listed is the answer to a read of a list.
type listed struct {
	value  any
	items  map[string]any
	cutOff bool // it may be a page of a longer list
}

// List reads a list that no ServiceGet holds, once for all who need it: from memory if that is young enough and began
// after our latest writes to the items, else by a call that all who ask at the same time share. Without items it reflects
// our writes to all of them. The value is shared: it must not be changed.
//
// An error says nothing about any item. It is never of class NotFound and never kept, and an answer without the list is
// an error, too. All callers of one key use the same T.
func List[T any](ctx context.Context, c *Client, key ListKey, source ListSource[T], items ...string) (T, error) {
	var none T
	found, err := c.list(ctx, key, erased(key, source), entriesOf(items))
	if err == nil {
		err = found.check(key, items)
	}
	if err != nil {
		return none, key.failed(err)
	}
	value, ok := found.value.(T)
	if !ok {
		return none, fmt.Errorf("list %s was read as %T, and asked for as %T", key, found.value, none)
	}
	return value, nil
}

// erased is a source without its type.
func erased[T any](key ListKey, source ListSource[T]) listSource {
	read := func(ctx context.Context) (listed, error) {
		value, err := source.Read(ctx)
		if fault.Is(err, fault.NotFound) {
			return listed{}, key.missing(err)
		}
		if err != nil {
			return listed{}, err
		}
		items := source.Items(value)
		if items == nil {
			return listed{}, wrongShape(key.Operation, "it holds no list")
		}
		if _, unnamed := items[""]; unnamed {
			return listed{}, wrongShape(key.Operation, "an item has no name")
		}
		return listed{value: value, items: items, cutOff: cutOff(lengthOf(value, items))}, nil
	}
	if source.With == nil {
		return listSource{read: read}
	}
	return listSource{read: read, with: func(found listed, written map[string]any) (listed, bool) {
		value, ok := found.value.(T)
		if ok {
			value, ok = source.With(value, written)
		}
		if !ok {
			return found, false
		}
		return listed{value: value, items: source.Items(value), cutOff: found.cutOff}, true
	}}
}

func (c *Client) list(
	ctx context.Context, key ListKey, source listSource, items []Entry,
) (listed, error) {
	c.mu.Lock()
	l := c.sharedList(key)
	l.used, l.source = c.clients.options.Now(), source
	if l.serves(items, l.used, c.listBound(key), c.clients.options.ReadLag) {
		defer c.mu.Unlock()
		countRead(ctx, readHit)
		return l.listed, nil
	}
	if joined := l.inflight; joined.running(l.since(items)) && !l.writes.outlasted(items, joined.began, l.used, c.clients.options.ReadLag) {
		c.mu.Unlock()
		countRead(ctx, readJoined)
		return joined.join(ctx)
	}
	started := c.startList(ctx, key, l)
	c.mu.Unlock()
	countRead(ctx, readFetched)
	return started.wait(ctx)
}

// startList starts a read of a list. The caller holds the lock.
func (c *Client) startList(ctx context.Context, key ListKey, l *sharedList) *inflight[listed] {
	f := newInflight[listed](ctx, c)
	l.inflight = f
	go f.run(ctx, c.clients.options.Timeout, l.source.read, func(found listed, err error) (listed, error) {
		if err != nil {
			return listed{}, err
		}
		latest, others, ours := c.storeList(l, f, found)
		c.clients.changes.notify(listChanges(key, others, ours))
		return latest, nil
	})
	return f
}

// storeList puts an answer into the list. It returns the latest answer.
func (c *Client) storeList(l *sharedList, f *inflight[listed], found listed) (latest listed, others, ours []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	others, ours = l.read(f.seq, f.began, found, c.clients.options.ReadLag)
	return l.listed, others, ours
}

// sharedList is the one of a key. The caller holds the lock.
func (c *Client) sharedList(key ListKey) *sharedList {
	if c.lists == nil {
		c.lists = map[ListKey]*sharedList{}
	}
	l, ok := c.lists[key]
	if !ok {
		l = &sharedList{used: c.clients.options.Now()}
		c.lists[key] = l
	}
	return l
}

// listBound is how old a list may be. What lives in no service is renewed by the watch before it is too old. A service has several
// lists, which are read for the polls of its objects alone: they may be older, so that together they cost less than the watch.
func (c *Client) listBound(key ListKey) time.Duration {
	if key.Service == "" {
		return c.stretched(c.clients.options.WatchInterval * 3 / 2)
	}
	return c.stretched(c.clients.options.WatchInterval * 2)
}

// dueLists starts reads of the lists of projects and organizations whose time has come. Lists of services are read when
// an object asks.
func (c *Client) dueLists(ctx context.Context, now time.Time) {
	interval := c.stretched(c.clients.options.ListInterval)
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, l := range c.lists {
		watched := key.Service == "" && l.source.read != nil && now.Sub(l.used) < idleTTL
		if watched && !l.inflight.running(0) && now.Sub(l.inflight.began) >= l.inflight.interval(interval) {
			c.startList(ctx, key, l)
		}
	}
}

func (l *sharedList) serves(items []Entry, now time.Time, bound, lag time.Duration) bool {
	return l.known && bound > 0 && now.Sub(l.began) <= bound && l.seq > l.since(items) && !l.writes.distrusted(items, now, lag)
}

// since is the sequence number that a read must exceed to reflect our writes to these items, or to all.
func (l *sharedList) since(items []Entry) uint64 {
	if len(items) == 0 {
		for item := range l.writes {
			items = append(items, item)
		}
	}
	return max(l.staleBefore, l.writes.since(items))
}

// listChanges makes one change of what others did, and one of what we did.
func listChanges(key ListKey, others, ours []string) []Change {
	var changes []Change
	if len(others) > 0 {
		changes = append(changes, Change{List: key, Items: others})
	}
	if len(ours) > 0 {
		changes = append(changes, Change{List: key, Items: ours, Known: true})
	}
	return changes
}

func entriesOf(items []string) []Entry {
	entries := make([]Entry, 0, len(items))
	for _, item := range items {
		entries = append(entries, Entry(item))
	}
	return entries
}

// IndexBy is what most lists use as ListSource.Items. It keeps the difference between no list and an empty one.
func IndexBy[V any](key func(V) string) func([]V) map[string]any {
	return func(list []V) map[string]any {
		if list == nil {
			return nil
		}
		index := make(map[string]any, len(list))
		for _, item := range list {
			index[key(item)] = item
		}
		return index
	}
}
