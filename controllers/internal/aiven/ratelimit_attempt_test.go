package aiven_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// attempted makes a number of calls of an object, all of them again if one has no turn. It returns how many it made.
func (c *callers) attempted(ctx context.Context, uid string, calls int) (made int) {
	for ctx.Err() == nil {
		attempt, err := aiven.WithCaller(ctx, uid), error(nil)
		for i := 0; i < calls && err == nil; i++ {
			if _, err = c.API().ServiceGet(attempt, "p", fmt.Sprintf("%s-%d", uid, i)); err == nil {
				made++
			}
		}
		if err == nil {
			break
		}
		pause(waitOf(err))
	}
	return made
}

// What an attempt has read is read again by the next one: if each had one turn, those that need two calls would never end.
func TestAnAttemptGoesOnWhereOthersWait(t *testing.T) {
	for name, tc := range map[string]struct {
		limit   *aivenLimit
		options aiven.Options
		calls   int
		most    time.Duration // for all of them; what their calls take, and a sixth
	}{
		"two calls":               {limit: &aivenLimit{most: 120}, calls: 2, most: 140 * time.Second},
		"three calls":             {limit: &aivenLimit{most: 120}, calls: 3, most: 210 * time.Second},
		"five calls":              {limit: &aivenLimit{most: 120}, calls: 5, most: 350 * time.Second},
		"two calls, few a minute": {limit: &aivenLimit{most: 60}, calls: 2, most: 280 * time.Second},
		"in sliding windows":      {limit: &aivenLimit{most: 120, sliding: true}, calls: 3, most: 210 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCallers(t, tc.limit, tc.options)
				c.exhaust(t)
				pause(2 * time.Minute)
				begin, refused := time.Now(), tc.limit.refused
				var all sync.WaitGroup
				var mu sync.Mutex
				made := 0
				for i := range 120 {
					all.Go(func() {
						ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
						defer cancel()
						if i%2 == 0 {
							ctx = aiven.WithPriority(ctx)
						}
						n := c.attempted(ctx, fmt.Sprint(i), tc.calls)
						mu.Lock()
						defer mu.Unlock()
						made += n
					})
				}
				all.Wait()
				assert.LessOrEqual(t, time.Since(begin), tc.most)
				assert.LessOrEqual(t, made, 120*tc.calls*7/6, "few are repeated")
				assert.Equal(t, refused, tc.limit.refused)
			})
		})
	}
}

func TestAnAttemptDoesNotGoOnForEver(t *testing.T) {
	for name, tc := range map[string]struct {
		of   func(context.Context) context.Context
		most int
	}{
		"with priority":     {aiven.WithPriority, 10},
		"in the background": {func(ctx context.Context) context.Context { return ctx }, 5},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limit := &aivenLimit{most: 1000, random: rand.New(rand.NewPCG(1, 2))}
				c, err := aiven.New(aiven.Options{Transport: limit, QPS: 1, Burst: 1}).ForToken(token)
				require.NoError(t, err)
				attempt, waiting, made := aiven.WithCaller(tc.of(t.Context()), "uid"), aiven.WithCaller(tc.of(t.Context()), "another"), 0
				for {
					if _, err = c.API().ServiceGet(attempt, "p", "s"); err == nil {
						made++
					}
					if _, err = c.API().ServiceGet(waiting, "p", "another"); err == nil {
						break
					}
					require.True(t, fault.NotSent(err), "%v", err)
					require.Less(t, made, 20, "another waits")
					pause(time.Second)
				}
				assert.InDelta(t, tc.most, made, 1)
			})
		})
	}
}

func TestWhatAnAttemptGoesOnWithIsOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := &aivenLimit{most: 1000, random: rand.New(rand.NewPCG(1, 2))}
		c, err := aiven.New(aiven.Options{Transport: limit, QPS: 1, Burst: 1}).ForToken(token)
		require.NoError(t, err)
		attempt := aiven.WithCaller(t.Context(), "uid")
		made := 0
		for err == nil {
			_, err = c.API().ServiceGet(attempt, "p", fmt.Sprint(made))
			made++
		}
		assert.Equal(t, 6, made, "its turn, four that are owed, and one that has to wait")
		assert.GreaterOrEqual(t, waitOf(err), 4*time.Second)
		_, err = c.API().ServiceGet(aiven.WithCaller(t.Context(), "another"), "p", "s")
		assert.GreaterOrEqual(t, waitOf(err), 4*time.Second, "others wait for what is owed")
	})
}

// What a write has changed is recorded, and a read after it may serve others, too.
func TestAReadAfterAWriteWaitsForItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := &aivenLimit{most: 1000, random: rand.New(rand.NewPCG(1, 2))}
		c, err := aiven.New(aiven.Options{Transport: limit, QPS: 1, Burst: 1}).ForToken(token)
		require.NoError(t, err)
		attempt := aiven.WithCaller(t.Context(), "uid")
		read := func() error { _, err := c.API().ServiceGet(attempt, "p", "s"); return err }
		write := func() error {
			return c.API().ServiceDatabaseCreate(attempt, "p", "s", &service.ServiceDatabaseCreateIn{Database: "db"})
		}
		require.NoError(t, read())
		require.NoError(t, read())
		require.NoError(t, write())
		require.NoError(t, write())
		assert.True(t, fault.NotSent(read()))
	})
}
