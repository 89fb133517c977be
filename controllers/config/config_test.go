package config_test

import (
	"flag"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/internal/namespace"
	"github.com/aero-operator/aero/controllers/internal/status"
)

func TestConfigValidate(t *testing.T) {
	tests := map[string]struct {
		change func(*config.Config)
		want   string
	}{
		"the defaults are valid":       {func(*config.Config) {}, ""},
		"a duration must be positive":  {func(c *config.Config) { c.Poll = 0 }, "--poll-interval must be positive"},
		"a deadline must be positive":  {func(c *config.Config) { c.CallTimeout = -time.Second }, "--aiven-timeout must be positive"},
		"a kind needs a worker":        {func(c *config.Config) { c.Workers = 0 }, "--workers must be at least 1"},
		"a rate can't be negative":     {func(c *config.Config) { c.QPS = -1 }, "--aiven-qps must not be negative"},
		"a rate needs a burst":         {func(c *config.Config) { c.QPS, c.Burst = 1, 0 }, "--aiven-burst must be at least 1"},
		"no rate needs no burst":       {func(c *config.Config) { c.QPS, c.Burst = 0, 0 }, ""},
		"an unknown change policy":     {func(c *config.Config) { c.ChangePolicy = "hold" }, "--change-policy must be one of Auto, HoldDisruptive, HoldAll"},
		"an unknown adoption policy":   {func(c *config.Config) { c.AdoptionPolicy = "adopt" }, "--adoption-policy must be one of Never, Adopt, AdoptOrCreate"},
		"an unknown recreation policy": {func(c *config.Config) { c.RecreatePolicy = "" }, "--recreate-policy must be one of Never, Always"},
		"a selector needs Namespaces": {
			func(c *config.Config) { c.ClusterScope, c.DefaultTokenFor.Labels = false, labels.Everything() }, "--default-token-namespace-selector needs the labels",
		},
		"the longest delay is not shortest": {func(c *config.Config) { c.BackoffMax = time.Second }, "must not be shorter than --backoff-min"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := config.Default()
			tt.change(&c)
			err := c.Validate()
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestQ06_X23_BindFlags(t *testing.T) {
	parse := func(args ...string) (config.Config, error) {
		c := config.Default()
		flags := flag.NewFlagSet("test", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		c.BindFlags(flags, "serviceuser", "database")
		return c, flags.Parse(args)
	}
	t.Run("no flag leaves the defaults", func(t *testing.T) {
		c, err := parse()
		require.NoError(t, err)
		assert.Equal(t, config.Default(), c)
	})
	t.Run("a flag sets its value", func(t *testing.T) {
		c, err := parse("--poll-interval=1m", "--aiven-qps=2.5", "--workers=3", "--workers-serviceuser=7")
		require.NoError(t, err)
		assert.Equal(t, time.Minute, c.Timings.Poll)
		assert.InDelta(t, 2.5, c.QPS, 0)
		assert.Equal(t, 7, c.WorkersFor("serviceuser"), "Q06")
		assert.Equal(t, 3, c.WorkersFor("database"), "Q06: others have the common number")
	})
	t.Run("the default token is for some namespaces", func(t *testing.T) {
		c, err := parse("--default-token-namespaces=a, b", "--default-token-namespace-selector=team=x", "--default-token-fallback=false")
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, c.DefaultTokenFor.Names)
		assert.Equal(t, "team=x", c.DefaultTokenFor.Labels.String())
		assert.False(t, c.Tokens(nil, nil).Fallback)
		for flag, all := range map[string]bool{"--default-token-namespaces=": false, "--default-token-namespaces=,": false, "--default-token-namespace-selector=": true} {
			c, err = parse(flag)
			require.NoError(t, err)
			assert.Equal(t, all, c.DefaultTokenFor.Matches(namespace.Settings{Name: "any"}), "%q: an empty list has none, and an empty selector is unset", flag)
		}
	})
	for _, bad := range []string{"--default-token-namespace-selector=a b", "--workers-serviceuser=0", "--workers-serviceuser=x", "--poll-interval=x", "--workers-nothing=1"} {
		t.Run("a wrong value is refused: "+bad, func(t *testing.T) {
			_, err := parse(bad)
			require.Error(t, err)
		})
	}
}

func TestQ02_Q03_X17_DefaultTimingsAreThoseOfTheModel(t *testing.T) {
	c := config.Default()
	assert.Equal(t, status.Timings{
		Poll: 10 * time.Minute, RequeueAsync: 10 * time.Second, RequeueDependency: 30 * time.Second, QuietWait: 30 * time.Second,
		FirstStatus: 2 * time.Second, BackoffMax: 5 * time.Minute, Degradation: 10 * time.Second, AuthGrace: time.Minute,
		ProgressDeadline: 30 * time.Minute, RecheckExhausted: 5 * time.Minute, ExpiryWarning: 30 * 24 * time.Hour,
	}, c.Timings)
}

func TestE15_Q01_ErrorsAreRetriedMoreAndMoreSlowly(t *testing.T) {
	defaults := config.Default()
	limiter, object := defaults.Backoff(), reconcile.Request{}
	for _, seconds := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
		assert.Equal(t, seconds*time.Second, limiter.When(object))
	}
	limiter.Forget(object)
	assert.Equal(t, 5*time.Second, limiter.When(object), "an error after a success is the first")
}
