package aiven_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// countedLists counts the polls of a project.
type countedLists struct {
	*aivenLimit
	polls atomic.Int32
}

func (c *countedLists) RoundTrip(r *http.Request) (*http.Response, error) {
	rsp, err := c.aivenLimit.RoundTrip(r)
	if strings.HasSuffix(r.URL.Path, "/service") && rsp.StatusCode == http.StatusOK {
		c.polls.Add(1)
	}
	return rsp, err
}

func TestAPollThatHasNoTurnComesBackAtItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &countedLists{aivenLimit: &aivenLimit{most: 120, random: rand.New(rand.NewPCG(1, 2))}}
		clients := aiven.New(aiven.Options{Transport: transport, QPS: 100, WatchInterval: time.Minute})
		c, err := clients.ForToken(token)
		require.NoError(t, err)
		_, err = c.Service(t.Context(), "p", "s")
		require.NoError(t, err)
		const during = time.Hour
		ctx, cancel := contextFor(t, during)
		defer cancel()
		var watch sync.WaitGroup
		watch.Go(func() { assert.NoError(t, clients.Start(ctx)) })
		crowd(t, c, 300, time.Now().Add(during))
		watch.Wait()
		<-time.After(time.Minute) // a poll that had begun ends behind its watch
		// Every 135 s, and then 300 others are ahead, for 150 s.
		assert.InDelta(t, during.Minutes()*60/285, transport.polls.Load(), 4)
	})
}
