package aiven_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestTheCAOfAProjectThatNoObjectUsesIsForgotten(t *testing.T) {
	clock := newClock()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]any{"certificate": "PEM"})
	})
	clients := aiven.New(aiven.Options{BaseURL: url, Now: clock.Now})
	client := func() *aiven.Client {
		c, err := clients.ForToken(token)
		require.NoError(t, err)
		return c
	}
	for _, project := range []string{"old", "used"} {
		_, err := client().CA(t.Context(), project)
		require.NoError(t, err)
	}
	for range 10 {
		clock.Move(10 * time.Minute)
		_, err := client().CA(t.Context(), "used")
		require.NoError(t, err)
	}
	cas, _ := client().Kept()
	assert.Equal(t, 1, cas)
}

func TestTopicsThatNoObjectAskedForAreNotKept(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	c.topics = []string{"t", "u"}
	c.more = []string{"v", "w"}
	inBubble(t, c, func(v *view) {
		v.readTopics("t", "u")
		_, details := v.Kept()
		assert.Equal(t, 2, details)
	})
}
