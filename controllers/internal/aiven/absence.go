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
var ErrUnknownProject = errors.New("the project is unknown")

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
	return unclear(key.Operation, fmt.Sprintf("a list of exactly %d items may be cut off", pageLimit))
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
		return false, unclear("ServiceList", fmt.Sprintf("a list of exactly %d services may be cut off", pageLimit))
	}
	return !exists, nil
}

// CheckProject returns nil if Aiven lists the services of a project now: a 404 for something in it was about that, and not
// about the project. The error of a project that Aiven doesn't know is ErrUnknownProject.
func (c *Client) CheckProject(ctx context.Context, project string) error {
	_, err := c.currentServices(ctx, project)
	return err
}

// currentServices lists the services of a project, without secrets, by a call that all who ask at the same time share.
func (c *Client) currentServices(ctx context.Context, project string) (map[string]*Service, error) {
	c.mu.Lock()
	if joined := c.listing[project]; joined.running(0) {
		c.mu.Unlock()
		countRead(ctx, readJoined)
		return joined.join(ctx)
	}
	if c.listing == nil {
		c.listing = map[string]*inflight[map[string]*Service]{}
	}
	started := newInflight[map[string]*Service](ctx, c)
	c.listing[project] = started
	c.mu.Unlock()
	countRead(ctx, readFetched)
	list := func(ctx context.Context) (map[string]*Service, error) { return c.listServices(ctx, project) }
	go started.run(ctx, c.clients.options.Timeout, list, func(found map[string]*Service, err error) (map[string]*Service, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.listing, project)
		return found, err
	})
	return started.wait(ctx)
}
