package aiven

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// ErrUnknownProject means that Aiven doesn't know a project, or that the token may not see it. Nothing follows about what
// is in it.
var ErrUnknownProject = errors.New("the project is unknown, or the token may not see it")

// ErrCutOff means that a list may be a page of a longer one. Nothing follows about what it leaves out.
var ErrCutOff = errors.New("the list may be cut off")

// pageLimit is the limit that the generated client adds to every GET. Of the lists that are read whole, Aiven's published
// API has pages for none: ServiceGet with all that it holds, ServiceList, VpcList, the users of ClickHouse and the subjects
// of a schema registry take neither a limit nor a cursor. Nothing promises that this stays so, and a list that was cut off
// looks like a deletion. So from a list of exactly this length no absence is concluded. Lists with pages of their own
// (databases, upgrade steps, billing groups) are checked where they are read: see ListSource.Read.
const pageLimit = 999

// cutOff reports whether a list of that length may be a page of a longer one.
func cutOff(length int) bool { return length == pageLimit }

// lengthOf is how many elements an answer holds. Several of them may have one key.
func lengthOf(value any, items map[string]any) int {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice {
		return v.Len()
	}
	return len(items)
}

// check refuses an answer that may lack what a reader needs: some items, or all of them if it names none.
func (l listed) check(key ListKey, items []string) error {
	lacks := func(item string) bool { _, there := l.items[item]; return !there }
	if !l.cutOff || len(items) > 0 && !slices.ContainsFunc(items, lacks) {
		return nil
	}
	return maybePage(key.Operation)
}

// maybePage is the error of a list that leaves out what a reader needs, and may be cut off.
func maybePage(operation string) error {
	return &unclearError{operation: operation, problem: fmt.Sprintf("it has exactly %d items", pageLimit), cause: ErrCutOff}
}

// ServiceAbsent reports whether a service is gone for sure: the list of its project, read now, holds services only, and
// not this one. A 404 of the service alone is no proof, as an unknown project gives one, too. Any doubt is an error.
func (c *Client) ServiceAbsent(ctx context.Context, project, name string) (bool, error) {
	services, err := c.currentServices(ctx, project)
	if err != nil {
		return false, err
	}
	_, exists := services[name]
	if !exists && cutOff(len(services)) {
		return false, maybePage("ServiceList")
	}
	return !exists, nil
}

// CheckProject returns nil if Aiven lists the services of a project now: a 404 for something in it was about that, and not
// about the project. The error of a project that Aiven doesn't know is ErrUnknownProject.
func (c *Client) CheckProject(ctx context.Context, project string) error {
	_, err := c.currentServices(ctx, project)
	return err
}

// listing is what follows the call that lists the services of a project now: one more, for all who ask meanwhile.
type listing struct {
	next   *inflight[map[string]*Service] // nil if no caller waits
	start  func(urgent bool)
	urgent bool // a user waits for it
}

// currentServices lists the services of a project, without secrets, by a call that hasn't begun yet: one that is under way
// may be older than the 404 that its caller has got.
func (c *Client) currentServices(ctx context.Context, project string) (map[string]*Service, error) {
	c.mu.Lock()
	underWay, busy := c.listing[project]
	if busy && underWay.next != nil {
		joined := underWay.next
		underWay.urgent = underWay.urgent || HasPriority(ctx)
		c.mu.Unlock()
		countRead(ctx, readJoined)
		return joined.join(ctx)
	}
	call := newInflight[map[string]*Service](ctx, c)
	list := func(ctx context.Context) (map[string]*Service, error) { return c.listServices(ctx, project) }
	start := func(urgent bool) {
		ctx := ctx
		if urgent {
			ctx = WithPriority(ctx)
		}
		call.run(ctx, c.clients.options.Timeout, list, func(found map[string]*Service, err error) (map[string]*Service, error) {
			c.endListing(project)
			return found, err
		})
	}
	if busy {
		underWay.next, underWay.start = call, start
	} else {
		c.beginListing(project)
		go start(false)
	}
	c.mu.Unlock()
	countRead(ctx, readFetched)
	return call.wait(ctx)
}

// beginListing notes that a call is under way. The caller holds the lock.
func (c *Client) beginListing(project string) {
	if c.listing == nil {
		c.listing = map[string]*listing{}
	}
	c.listing[project] = &listing{}
}

// endListing makes the next call, if a caller waits for one.
func (c *Client) endListing(project string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ended := c.listing[project]
	if ended.next == nil {
		delete(c.listing, project)
		return
	}
	c.beginListing(project)
	go ended.start(ended.urgent)
}
