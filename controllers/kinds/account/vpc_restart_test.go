package account

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

func TestAVPCThatAnEarlierProcessMayHaveCreatedIsNotCreatedAgainWithinTheLag(t *testing.T) {
	for name, tc := range map[string]struct {
		attempted bool
		wait      time.Duration
		shown     aiventest.Answer
		exists    bool // or may
	}{
		"the list doesn't show it yet":           {attempted: true, shown: listed(), exists: true},
		"the list shows it":                      {attempted: true, shown: listed(at("ours", "ACTIVE", nil)), exists: true},
		"the list doesn't show it after the lag": {attempted: true, wait: time.Minute, shown: listed()},
		"no create was tried":                    {shown: listed()},
	} {
		t.Run(name, func(t *testing.T) {
			a, now, obj := aiventest.New(t), time.Now(), network("")
			a.On(list, tc.shown)
			if tc.attempted {
				ownership.Begin(obj, true)
			}
			client, err := aiven.New(aiven.Options{Transport: a, ReadLag: time.Minute, Now: func() time.Time { return now }}).ForToken("a-token")
			require.NoError(t, err)
			now = now.Add(tc.wait)
			o, err := VPC.New(controllers.Env{Client: client}).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.exists, o.Remote.Exists)
			assert.Equal(t, tc.exists && !o.Remote.Active, o.WaitFor != "")
		})
	}
}

func TestAListFromWithinTheLagProvesNoAbsenceAfterIt(t *testing.T) {
	other := network("")
	other.Spec.NetworkCidr = "10.9.0.0/24"
	for name, first := range map[string]*v1alpha1.ProjectVPC{
		"that the object has read": network(""), "that another object has read": other,
	} {
		t.Run(name, func(t *testing.T) {
			a, now := aiventest.New(t), time.Now()
			client, err := aiven.New(aiven.Options{
				Transport: a, WatchInterval: time.Minute, ReadLag: 2 * time.Second, Now: func() time.Time { return now },
			}).ForToken("a-token")
			require.NoError(t, err)
			observe := func(obj *v1alpha1.ProjectVPC) controllers.Observation {
				ownership.Begin(obj, true)
				o, err := VPC.New(controllers.Env{Client: client}).Observe(t.Context(), obj)
				require.NoError(t, err)
				return o
			}
			a.On(list, listed())
			assert.NotEmpty(t, observe(first).WaitFor)
			a.On(list, listed(at("ours", "ACTIVE", nil)))
			now = now.Add(10 * time.Second)
			assert.True(t, observe(network("")).Remote.Active, "it would be created a second time")
			a.Calls()
			observe(network(""))
			observe(first)
			assert.Empty(t, a.Calls(), "the list is read once more, and not each time")
		})
	}
}

// roundTrip is a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAListThatIsAskedForWithinTheLagProvesNoAbsenceHoweverLongItTakes(t *testing.T) {
	a, now, obj := aiventest.New(t), time.Now(), network("")
	ownership.Begin(obj, true)
	a.On(list, listed())
	slow := roundTrip(func(r *http.Request) (*http.Response, error) {
		now = now.Add(3 * time.Second)
		return a.RoundTrip(r)
	})
	client, err := aiven.New(aiven.Options{
		Transport: slow, WatchInterval: time.Minute, ReadLag: 2 * time.Second, Now: func() time.Time { return now },
	}).ForToken("a-token")
	require.NoError(t, err)
	o, err := VPC.New(controllers.Env{Client: client}).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.NotEmpty(t, o.WaitFor)
	a.On(list, listed(at("ours", "ACTIVE", nil)))
	o, err = VPC.New(controllers.Env{Client: client}).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Active)
}
