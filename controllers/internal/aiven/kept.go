package aiven

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// kept is an answer that hardly ever changes. One read serves all who ask.
type kept[T any] struct {
	value    T
	err      error // kept as the value is
	until    time.Time
	inflight *inflight[T]
}

// ended reports whether nothing is known, or no longer, and nothing is being read. The caller holds the lock.
func (k *kept[T]) ended(now time.Time) bool { return !now.Before(k.until) && !k.inflight.running(0) }

// keptSource is how such an answer is read.
type keptSource[T any] struct {
	read func(context.Context) (T, error)
	// lasts is for how long what was read is kept; nothing is where that is zero.
	lasts func(error) time.Duration
}

// getKept returns the answer at a key, or reads it.
func getKept[K comparable, T any](ctx context.Context, c *Client, answers *map[K]*kept[T], key K, source keptSource[T]) (T, error) {
	c.mu.Lock()
	if *answers == nil {
		*answers = map[K]*kept[T]{}
	}
	known, ok := (*answers)[key]
	if !ok {
		known = &kept[T]{}
		(*answers)[key] = known
	}
	if c.Now().Before(known.until) {
		defer c.mu.Unlock()
		return known.value, known.err
	}
	if joined := known.inflight; joined.running(0) {
		c.mu.Unlock()
		return joined.join(ctx)
	}
	started := newInflight[T](ctx, c)
	known.inflight = started
	c.mu.Unlock()
	go started.run(ctx, c.clients.options.Timeout, source.read, func(value T, err error) (T, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		known.value, known.err, known.until = value, err, started.began.Add(source.lasts(err))
		return value, err
	})
	return started.wait(ctx)
}

// CA returns the certificate, in PEM, of the authority that signs the servers of a project. It is cached for an hour;
// failures are not.
func (c *Client) CA(ctx context.Context, project string) (string, error) {
	return getKept(ctx, c, &c.cas, project, keptSource[string]{
		read: func(ctx context.Context) (string, error) { return c.fetchCA(ctx, project) },
		lasts: func(err error) time.Duration {
			if err != nil {
				return 0
			}
			return idleTTL
		},
	})
}

// InvalidateCA makes the CA of a project be read again, by all clients: the project was created again, and has another one.
func (c *Client) InvalidateCA(project string) {
	for _, client := range c.clients.all() {
		client.mu.Lock()
		delete(client.cas, project)
		client.mu.Unlock()
	}
}

func (c *Client) fetchCA(ctx context.Context, project string) (string, error) {
	pem, err := c.api.ProjectKmsGetCA(ctx, project)
	switch {
	case err != nil:
		return "", fmt.Errorf("reading project CA: %w", err)
	case pem == "":
		return "", wrongShape("ProjectKmsGetCA", "it holds no certificate")
	}
	return pem, nil
}

// PriceKey is what a list price depends on. Type is the code of the product, such as "pg".
type PriceKey struct{ Project, Type, Plan, Cloud string }

// priceTTL is how long a list price is cached.
const priceTTL = 24 * time.Hour

// HourlyPrice is the list price of a service, in US dollars an hour. It is cached for a day. A failure is cached for an hour, unless the
// call had no turn: nothing depends on a price.
func (c *Client) HourlyPrice(ctx context.Context, key PriceKey) (float64, error) {
	return getKept(ctx, c, &c.prices, key, keptSource[float64]{
		read: func(ctx context.Context) (float64, error) { return c.fetchPrice(ctx, key) },
		lasts: func(err error) time.Duration {
			switch {
			case fault.Is(err, fault.RateLimited, fault.Canceled):
				return 0
			case err != nil:
				return idleTTL
			default:
				return priceTTL
			}
		},
	})
}

func (c *Client) fetchPrice(ctx context.Context, key PriceKey) (float64, error) {
	found, err := c.api.ProjectServicePlanPriceGet(ctx, key.Project, key.Type, key.Plan, key.Cloud)
	if err != nil {
		return 0, fmt.Errorf("reading list price: %w", err)
	}
	hourly, err := strconv.ParseFloat(found.BasePriceUsd, 64)
	if err != nil || hourly < 0 || math.IsNaN(hourly) || math.IsInf(hourly, 0) {
		return 0, wrongShape("ProjectServicePlanPriceGet", "base_price_usd is no price")
	}
	return hourly, nil
}
