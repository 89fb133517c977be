package controllers

import (
	"flag"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/status"
)

func TestI04_WhatWakesAnObject(t *testing.T) {
	type user = v1alpha1.ServiceUser
	tests := map[string]struct {
		before, change func(*user)
		want           bool
	}{
		"nothing, as in a resync":             {change: func(*user) {}},
		"a new spec":                          {change: func(u *user) { u.Generation++ }, want: true},
		"a deletion":                          {change: func(u *user) { u.DeletionTimestamp = &metav1.Time{Time: time.Now()} }, want: true},
		"an annotation of a user":             {change: annotated(annotation.Paused, "true"), want: true},
		"the end of an annotation of a user":  {before: annotated(annotation.Paused, "true"), change: func(u *user) { u.Annotations = nil }, want: true},
		"a request to reconcile":              {change: annotated(annotation.Requested, "now"), want: true},
		"our own status":                      {change: func(u *user) { u.Status.Phase = v1alpha1.PhaseReady }},
		"our own finalizer":                   {change: finalized},
		"our own marker":                      {change: annotated(annotation.Processed, "1")},
		"our own annotation of readiness":     {change: annotated(annotation.Running, "true")},
		"a label":                             {change: func(u *user) { u.Labels = map[string]string{"a": "b"} }},
		"the removal of our marker":           {before: annotated(annotation.Processed, "1"), change: func(u *user) { u.Annotations = nil }, want: true},
		"the removal of an older marker":      {before: annotated(annotation.Processed, "0"), change: func(u *user) { u.Annotations = nil }},
		"the removal of the one of readiness": {before: annotated(annotation.Running, "true"), change: func(u *user) { u.Annotations = nil }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := newUser()
			if tt.before != nil {
				tt.before(before)
			}
			after := before.DeepCopy()
			tt.change(after)
			assert.Equal(t, tt.want, userChanges().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}))
		})
	}
	assert.True(t, userChanges().Create(event.CreateEvent{Object: newUser()}))
	assert.True(t, userChanges().Delete(event.DeleteEvent{Object: newUser()}))
	assert.False(t, userChanges().Generic(event.GenericEvent{Object: newUser()}))
}

func TestConfigValidate(t *testing.T) {
	tests := map[string]struct {
		change func(*Config)
		want   string
	}{
		"the defaults are valid":            {func(*Config) {}, ""},
		"a duration must be positive":       {func(c *Config) { c.PollInterval = 0 }, "--poll-interval must be positive"},
		"a deadline must be positive":       {func(c *Config) { c.CallTimeout = -time.Second }, "--aiven-timeout must be positive"},
		"somebody has to work":              {func(c *Config) { c.Workers = 0 }, "--workers must be at least 1"},
		"a rate can't be negative":          {func(c *Config) { c.QPS = -1 }, "--aiven-qps must not be negative"},
		"a rate needs a burst":              {func(c *Config) { c.QPS, c.Burst = 1, 0 }, "--aiven-burst must be at least 1"},
		"no rate needs no burst":            {func(c *Config) { c.QPS, c.Burst = 0, 0 }, ""},
		"the longest delay is not shortest": {func(c *Config) { c.BackoffMax = time.Second }, "must not be shorter than --backoff-min"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			config := DefaultConfig()
			tt.change(&config)
			err := config.Validate()
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestQ06_X23_BindFlags(t *testing.T) {
	parse := func(args ...string) (Config, error) {
		config := DefaultConfig()
		flags := flag.NewFlagSet("test", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		config.BindFlags(flags, Kind[*v1alpha1.ServiceUser]{Object: &v1alpha1.ServiceUser{}}, Kind[*v1alpha1.Database]{Object: &v1alpha1.Database{}})
		return config, flags.Parse(args)
	}
	t.Run("no flag leaves the defaults", func(t *testing.T) {
		config, err := parse()
		require.NoError(t, err)
		assert.Equal(t, DefaultConfig(), config)
	})
	t.Run("a flag sets its value", func(t *testing.T) {
		config, err := parse("--poll-interval=1m", "--aiven-qps=2.5", "--workers=3", "--workers-serviceuser=7")
		require.NoError(t, err)
		assert.Equal(t, time.Minute, config.timings().Poll)
		assert.InDelta(t, 2.5, config.QPS, 0)
		assert.Equal(t, 7, config.workersFor("serviceuser"), "Q06")
		assert.Equal(t, 3, config.workersFor("database"), "Q06: others have the common number")
	})
	for _, bad := range []string{"--workers-serviceuser=0", "--workers-serviceuser=x", "--poll-interval=x", "--workers-nothing=1"} {
		t.Run("a wrong value is refused: "+bad, func(t *testing.T) {
			_, err := parse(bad)
			require.Error(t, err)
		})
	}
}

func TestQ02_Q03_X17_DefaultTimingsAreThoseOfTheModel(t *testing.T) {
	config := DefaultConfig()
	assert.Equal(t, status.Timings{
		Poll: 10 * time.Minute, RequeueAsync: 10 * time.Second, RequeueDependency: 30 * time.Second, QuietWait: 30 * time.Second,
		BackoffMax: 5 * time.Minute, Degradation: 10 * time.Second, AuthGrace: time.Minute,
		ProgressDeadline: 30 * time.Minute, RecheckExhausted: 5 * time.Minute,
	}, config.timings())
}

func TestE15_Q01_ErrorsAreRetriedMoreAndMoreSlowly(t *testing.T) {
	limiter, object := DefaultConfig().backoff(), reconcile.Request{}
	for _, seconds := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
		assert.Equal(t, seconds*time.Second, limiter.When(object))
	}
	limiter.Forget(object)
	assert.Equal(t, 5*time.Second, limiter.When(object), "an error after a success is the first")
}
