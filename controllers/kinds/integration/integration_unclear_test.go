package integration

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// lag is how long reads may lag behind writes.
const lag = 2 * time.Second

// moving returns a client whose reads lag behind writes, and what moves its time.
func moving(t *testing.T, a *aiventest.Aiven) (*aiven.Client, func(time.Duration)) {
	now := time.Now()
	options := aiven.Options{Transport: a, WatchInterval: time.Minute, ReadLag: lag, Now: func() time.Time { return now }}
	client, err := aiven.New(options).ForToken("a-token")
	require.NoError(t, err)
	return client, func(by time.Duration) { now = now.Add(by) }
}

// createUnclearly creates what isn't there, with an answer of which nothing follows: within the lag it isn't made twice.
func createUnclearly[T controllers.Object](t *testing.T, obj T, start func() controllers.AivenController[T]) {
	t.Helper()
	c := start()
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	o, err := c.Create(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, "Creating", o.Remote.Reason, "%+v", o.Remote)
	o, err = start().Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, "Creating", o.Remote.Reason)
}

func TestNothingIsConcludedFromAnAnswerThatDoesNotHoldTheNewIntegration(t *testing.T) {
	for name, answer := range map[string]aiventest.Answer{
		"empty":         aiventest.OK(object{}),
		"without an id": answered(at("", nil)),
		"another one":   answered(at("theirs", object{"dest_service": "their-kafka"})),
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := connecting(t), logs("")
			a.On(create, answer)
			client, move := moving(t, a)
			createUnclearly(t, obj, func() controllers.AivenController[*v1alpha1.ServiceIntegration] {
				return Integration.New(controllers.Env{Client: client})
			})
			assert.Empty(t, obj.Status.ID)

			other := logs("", func(obj *v1alpha1.ServiceIntegration) { obj.Spec.IntegrationType, obj.Spec.KafkaLogs = "metrics", nil })
			o, err := Integration.New(controllers.Env{Client: client}).Observe(t.Context(), other)
			require.NoError(t, err, "others don't meet it")
			assert.False(t, o.Remote.Exists)

			a.On(readSource, showing("my-pg", at("ours", nil)))
			a.On(readDest, showing("my-kafka", at("ours", nil)))
			move(lag)
			o, err = Integration.New(controllers.Env{Client: client}).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Equal(t, "ours", obj.Status.ID)
		})
	}
}

func TestNothingIsConcludedFromAnAnswerThatDoesNotHoldTheNewEndpoint(t *testing.T) {
	named := func(name string) object {
		e := endpointAt("theirs", nil)
		e["endpoint_name"] = name
		return e
	}
	for name, answer := range map[string]aiventest.Answer{
		"empty":           aiventest.OK(object{}),
		"without an id":   shown(endpointAt("", nil)),
		"another one":     shown(named("theirs")),
		"of another type": shown(otherType("theirs")),
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), database("", withoutPassword)
			a.On(endpoints, listing())
			a.On(addEndpoint, answer)
			client, move := moving(t, a)
			createUnclearly(t, obj, func() controllers.AivenController[*v1alpha1.ServiceIntegrationEndpoint] {
				return Endpoint.New(controllers.Env{Client: client})
			})
			assert.Empty(t, obj.Status.ID)

			a.On(endpoints, listing(endpointAt("ours", nil)))
			move(lag)
			o, err := Endpoint.New(controllers.Env{Client: client}).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Equal(t, "ours", obj.Status.ID)
		})
	}
}

func TestAnEndpointWithoutAnIdIsNotTheOneOfAStatusWithoutAnId(t *testing.T) {
	obj := database("")
	nameless := endpoint{EndpointName: "theirs", EndpointType: "datadog"}
	found, _, err := matchEndpoint(obj, []endpoint{nameless})
	require.NoError(t, err)
	assert.Nil(t, found)
	goingAway(obj)
	found, _, err = matchEndpoint(obj, []endpoint{nameless})
	require.NoError(t, err, "it holds back no deletion")
	assert.Nil(t, found)
}
