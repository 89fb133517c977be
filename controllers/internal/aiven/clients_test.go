package aiven_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestOneClientForEachToken(t *testing.T) {
	clock := newClock()
	clients := aiven.New(aiven.Options{Now: clock.Now})
	get := func(token string) *aiven.Client {
		a, err := clients.ForToken(token)
		require.NoError(t, err)
		return a
	}
	first := get("one")
	assert.Same(t, first, get("one"), "the same token is the same client")
	assert.Same(t, first, get(" one\n"), "white space isn't part of a token")
	assert.NotSame(t, first, get("two"))
	assert.NotSame(t, first.API(), get("two").API(), "no client serves two tokens")

	clock.Move(40 * time.Minute)
	assert.Same(t, first, get("one"))
	clock.Move(40 * time.Minute)
	assert.Same(t, first, get("one"), "what is used stays")
	clock.Move(time.Hour)
	assert.NotSame(t, first, get("one"), "what was not used for an hour is forgotten")
}

func TestUnusableTokensAreUnauthorized(t *testing.T) {
	clients := aiven.New(aiven.Options{})
	for name, bad := range map[string]string{"empty": "", "blank": " \n", "two lines": "abc123\ndef456", "not ASCII": "abc123é"} {
		t.Run(name, func(t *testing.T) {
			_, err := clients.ForToken(bad)
			assert.Equal(t, fault.Unauthorized, fault.Of(err).Class)
			assert.NotContains(t, err.Error(), "abc123")
		})
	}
}

func TestSettingsOfTheGeneratedClientAreIgnored(t *testing.T) {
	for _, name := range []string{
		"AIVEN_DEBUG", "AIVEN_CLIENT_RETRY_MAX", "AIVEN_CLIENT_RETRY_WAIT_MIN", "AIVEN_CLIENT_RETRY_WAIT_MAX",
		"AIVEN_CLIENT_ENABLE_SINGLE_FLIGHT",
	} {
		t.Setenv(name, "nonsense")
	}
	t.Setenv("AIVEN_TOKEN", "other")
	aiven.IgnoreSettings()
	seen := make(chan *http.Request, 1)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r
		replyService(w, aiven.StateRunning)
	})

	t.Run("the options count", func(t *testing.T) {
		t.Setenv("AIVEN_WEB_URL", "http://127.0.0.1:1")
		_, err := clientFor(t, aiven.Options{BaseURL: url + "/", UserAgent: "aero/1"}).Service(t.Context(), "p", "s")
		require.NoError(t, err)
		r := <-seen
		assert.Equal(t, "aivenv1 "+token, r.Header.Get("Authorization"))
		assert.True(t, strings.HasSuffix(r.UserAgent(), " aero/1"), r.UserAgent())
		assert.Equal(t, "/v1/project/p/service/s", r.URL.Path)
		assert.Equal(t, "true", r.URL.Query().Get("include_secrets"))
	})
	t.Run("without a base URL the environment names it", func(t *testing.T) {
		t.Setenv("AIVEN_WEB_URL", url)
		_, err := clientFor(t, aiven.Options{}).Service(t.Context(), "p", "s")
		require.NoError(t, err)
		<-seen
	})
	t.Run("an empty address in the environment is none", func(t *testing.T) {
		t.Setenv("AIVEN_WEB_URL", "")
		var host string
		a := clientFor(t, aiven.Options{Transport: transportOf(func(r *http.Request) (*http.Response, error) {
			host = r.URL.Scheme + "://" + r.URL.Host
			return nil, errors.New("no network")
		})})
		_, err := a.Service(t.Context(), "p", "s")
		require.Error(t, err)
		assert.Equal(t, "https://api.aiven.io", host, err)
	})
}
