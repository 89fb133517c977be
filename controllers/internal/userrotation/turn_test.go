package userrotation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func TestWhoseTurnItIsFollowsFromWhatIsStored(t *testing.T) {
	ago := func(user string, d time.Duration) *Turn { return &Turn{User: user, Since: noon.Add(-d), Handled: "0"} }
	for name, tc := range map[string]struct {
		facts Facts
		want  Turn
	}{
		"nothing is stored":                     {Facts{}, Turn{User: "a", Since: noon}},
		"nothing is stored, one is asked for":   {Facts{Request: "1"}, Turn{User: "a", Since: noon, Handled: "1"}},
		"the Secret has it":                     {Facts{Stored: ago("b", time.Minute), Recorded: ago("a", time.Hour)}, *ago("b", time.Minute)},
		"the Secret is gone":                    {Facts{Recorded: ago("b", time.Hour)}, *ago("b", time.Hour)},
		"the status is gone":                    {Facts{Stored: ago("b", time.Hour)}, *ago("b", time.Hour)},
		"the Secret has an earlier one":         {Facts{Stored: ago("a", 2*time.Hour), Recorded: ago("b", time.Hour)}, *ago("b", time.Hour)},
		"one annotation is lost":                {Facts{Stored: &Turn{User: "b", Since: noon}, Recorded: &Turn{User: "b", Since: noon, Handled: "1"}}, Turn{User: "b", Since: noon, Handled: "1"}},
		"it is lost, the status is behind":      {Facts{Stored: &Turn{User: "b", Since: noon}, Recorded: ago("b", time.Hour)}, Turn{User: "b", Since: noon}},
		"the spec has other users":              {Facts{Stored: ago("c", time.Hour), Recorded: ago("c", time.Hour)}, Turn{User: "a", Since: noon, Handled: "0"}},
		"the spec has others, one is asked for": {Facts{Stored: ago("c", time.Hour), Request: "1"}, Turn{User: "a", Since: noon, Handled: "0"}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.facts.Users, tc.facts.Now = []string{"a", "b"}, noon
			assert.Equal(t, tc.want, tc.facts.Current())
		})
	}
}

func TestATurnLastsForTheInterval(t *testing.T) {
	f := Facts{Users: []string{"a", "b"}, Interval: time.Hour, Now: noon}
	turn := Turn{User: "b", Since: noon.Add(-time.Minute), Handled: "0"}
	assert.Equal(t, 59*time.Minute, f.Wait(turn))
	f.Request = "0"
	assert.Equal(t, 59*time.Minute, f.Wait(turn), "the request is handled")
	f.Request = "1"
	assert.Zero(t, f.Wait(turn))
	assert.Equal(t, Turn{User: "a", Since: noon, Handled: "1"}, f.Next(turn))
	f.Request, turn.User, turn.Since = "", "a", noon.Add(-2*time.Hour)
	assert.Zero(t, f.Wait(turn), "the time is over")
	assert.Equal(t, Turn{User: "b", Since: noon, Handled: "0"}, f.Next(turn), "a turn by the clock handles no request")
}

func TestATurnIsKeptInAnnotationsAndInTheStatus(t *testing.T) {
	for _, turn := range []Turn{
		{User: "a", Since: noon.Add(123456 * time.Microsecond), Handled: "1"},
		{User: "b", Since: noon},
	} {
		annotations := turn.annotated(map[string]string{"team": "orders", "controllers.aiven.io/active-user": "forged", "controllers.aiven.io/rotation-handled": "forged"})
		assert.Equal(t, "orders", annotations["team"])
		assert.Equal(t, &turn, storedTurn(annotations))
		var status aero.ServiceUserRotationStatus
		turn.record(&status, time.Hour)
		assert.Equal(t, &turn, recordedTurn(&status))
		assert.Equal(t, metav1.NewTime(noon.Add(time.Hour)), *status.NextRotation)
	}
	assert.Nil(t, storedTurn(nil))
	assert.Nil(t, storedTurn(map[string]string{"controllers.aiven.io/active-user": "a", "controllers.aiven.io/active-since": "yesterday"}))
	assert.Nil(t, recordedTurn(&aero.ServiceUserRotationStatus{}))
}

func TestTwoTurnsNeverHaveTheSameRequest(t *testing.T) {
	obj := &aero.ServiceUserRotation{ObjectMeta: metav1.ObjectMeta{Name: "orders", UID: "1"}}
	turn := Turn{User: "a", Since: noon}
	assert.Equal(t, "orders/1/2026-11-26T12:00:00Z", turn.Request(obj))
	later, again := turn, obj.DeepCopy()
	later.Since, again.UID = noon.Add(time.Microsecond), "2"
	assert.NotEqual(t, turn.Request(obj), later.Request(obj))
	assert.NotEqual(t, turn.Request(obj), turn.Request(again), "another object of the name isn't this one")
}
