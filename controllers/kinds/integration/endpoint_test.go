package integration

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	kafkaoptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/external_kafka"
	postgresoptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/external_postgresql"
	prometheusoptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/prometheus"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

const (
	endpoints      = "GET integration_endpoint"
	getEndpoint    = "GET integration_endpoint/ours"
	addEndpoint    = "POST integration_endpoint"
	putEndpoint    = "PUT integration_endpoint/ours"
	removeEndpoint = "DELETE integration_endpoint/ours"

	// password looks like words: only its exact value shows that it is a secret.
	password = "CorrectHorseBattery"
	options  = `"host":"db.test","password":"` + password + `","port":5432,"username":"app"`
)

// database is a PostgreSQL outside of Aiven.
func database(id string, edits ...func(*v1alpha1.ServiceIntegrationEndpoint)) *v1alpha1.ServiceIntegrationEndpoint {
	obj := &v1alpha1.ServiceIntegrationEndpoint{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-db"}}
	obj.Spec.Project, obj.Spec.EndpointName, obj.Spec.EndpointType = aiventest.Project, "my-db", "external_postgresql"
	obj.Spec.ExternalPostgresql = &postgresoptions.ExternalPostgresqlUserConfig{
		Host: "db.test", Port: 5432, Username: "app", Password: ptr.To(password),
	}
	obj.Status.ID = id
	for _, edit := range edits {
		edit(obj)
	}
	return obj
}

func withoutPassword(obj *v1alpha1.ServiceIntegrationEndpoint) {
	obj.Spec.ExternalPostgresql.Password = nil
}

func goingAway(obj *v1alpha1.ServiceIntegrationEndpoint) {
	obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
}

// endpointAt is the endpoint at Aiven, with some options changed.
func endpointAt(id string, changes object) object {
	config := object{"host": "db.test", "port": 5432, "username": "app", "password": "<redacted>", "ssl_mode": "verify-full"}
	maps.Copy(config, changes)
	return object{
		"endpoint_id": id, "endpoint_name": "my-db", "endpoint_type": "external_postgresql", "endpoint_config": object{}, "user_config": config,
	}
}

func shown(fields object) aiventest.Answer {
	return aiventest.OK(object{"service_integration_endpoint": fields})
}

func listing(all ...any) aiventest.Answer {
	return aiventest.OK(object{"service_integration_endpoints": append([]any{}, all...)})
}

func startEndpoint(a *aiventest.Aiven) controllers.AivenController[*v1alpha1.ServiceIntegrationEndpoint] {
	return Endpoint.New(controllers.Env{Client: a.Client()})
}

func otherType(id string) object {
	e := endpointAt(id, nil)
	e["endpoint_type"] = "external_kafka"
	return e
}

func TestEndpointObserve(t *testing.T) {
	for name, tc := range map[string]struct {
		had       string // status.id
		edit      func(*v1alpha1.ServiceIntegrationEndpoint)
		at        []any
		secrets   object // what a read with secrets shows
		exists    bool
		diff      controllers.Diff
		writeOnly []string
		id        string // status.id afterwards
		calls     []string
	}{
		"of use":                        {had: "ours", at: []any{endpointAt("ours", nil)}, secrets: object{"password": password}, exists: true, id: "ours", calls: []string{endpoints, getEndpoint}},
		"without credentials in a spec": {had: "ours", edit: withoutPassword, at: []any{endpointAt("ours", nil)}, exists: true, id: "ours", calls: []string{endpoints}},
		"none":                          {had: "gone", at: []any{}, id: "gone", calls: []string{endpoints}},
		"found by its name and type":    {at: []any{otherType("x"), endpointAt("ours", nil)}, secrets: object{"password": password}, exists: true, id: "ours", calls: []string{endpoints, getEndpoint}},
		"the one that it had":           {had: "ours", at: []any{endpointAt("a", nil), endpointAt("ours", nil)}, secrets: object{"password": password}, exists: true, id: "ours", calls: []string{endpoints, getEndpoint}},
		"of several the smallest id":    {edit: withoutPassword, at: []any{endpointAt("b", nil), endpointAt("a", nil)}, exists: true, id: "a", calls: []string{endpoints}},
		"a password from the console": {
			had: "ours", at: []any{endpointAt("ours", nil)}, secrets: object{"password": "TheirOwnWords"}, exists: true, id: "ours", calls: []string{endpoints, getEndpoint},
			diff: controllers.Diff{{Path: "spec.externalPostgresql.password", Wanted: "(secret)", Found: "(secret)"}},
		},
		"a host from the console": {
			had: "ours", at: []any{endpointAt("ours", nil)}, secrets: object{"password": password, "host": "theirs"}, exists: true, id: "ours", calls: []string{endpoints, getEndpoint},
			diff: controllers.Diff{{Path: "spec.externalPostgresql.host", Wanted: "db.test", Found: "theirs"}},
		},
		"redacted even with secrets": {
			had: "ours", at: []any{endpointAt("ours", nil)}, secrets: object{}, exists: true, id: "ours", calls: []string{endpoints, getEndpoint},
			writeOnly: []string{"spec.externalPostgresql.password"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), database(tc.had)
			if tc.edit != nil {
				tc.edit(obj)
			}
			a.On(endpoints, listing(tc.at...))
			a.On(getEndpoint, shown(endpointAt("ours", tc.secrets)))
			o, err := startEndpoint(a).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, status.Remote{Exists: tc.exists, Active: tc.exists}, o.Remote)
			assert.Equal(t, tc.diff.Entries(), o.Diff.Entries())
			assert.Equal(t, tc.writeOnly, o.WriteOnly)
			assert.NotContains(t, fmt.Sprintf("%+v", o), "Words")
			assert.NotContains(t, fmt.Sprintf("%+v", o), password)
			assert.Equal(t, tc.id, obj.Status.ID)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

func TestEndpointThatTheSpecCannotName(t *testing.T) {
	for name, tc := range map[string]struct {
		had  string
		edit func(*v1alpha1.ServiceIntegrationEndpoint)
		at   []any
		text string
	}{
		"without a name": {edit: func(obj *v1alpha1.ServiceIntegrationEndpoint) { obj.Spec.EndpointName = "" },
			text: "spec.endpointName: is required. Set it to the name that the endpoint has, or is to have, at Aiven"},
		"of the same name and another type": {at: []any{otherType("x")},
			text: "spec.endpointName: project demo already has an endpoint of this name, of type external_kafka. Recreate the object with another spec.endpointName"},
		"that the id in the status leads past": {had: "x", at: []any{otherType("x"), endpointAt("ours", nil)},
			text: `spec.endpointName: the endpoint of this object, x, has the name "my-db" and the type external_kafka. Recreate the object`},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), database(tc.had)
			a.On(endpoints, listing(tc.at...))
			if tc.edit != nil {
				tc.edit(obj)
			}
			_, err := startEndpoint(a).Observe(t.Context(), obj)
			assert.Equal(t, fault.Invalid, fault.Of(err).Class)
			assert.EqualError(t, err, tc.text)
		})
	}
}

func TestEndpointThatCannotBeRead(t *testing.T) {
	for name, tc := range map[string]struct {
		list, get aiventest.Answer
		class     fault.Class
	}{
		"the list fails":            {list: aiventest.Refused(503, "later"), class: fault.Server},
		"there is no list":          {list: aiventest.OK(nil), class: fault.Unknown},
		"its secrets aren't shown":  {list: listing(endpointAt("ours", nil)), get: aiventest.Refused(403, "no"), class: fault.Forbidden},
		"it is gone since the list": {list: listing(endpointAt("ours", nil)), get: aiventest.Refused(404, "Integration endpoint does not exist"), class: fault.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), database("ours")
			a.On(endpoints, tc.list)
			a.On(getEndpoint, tc.get)
			_, err := startEndpoint(a).Observe(t.Context(), obj)
			require.Error(t, err, "it isn't absent")
			assert.Equal(t, tc.class, fault.Of(err).Class)
			assert.Equal(t, "ours", obj.Status.ID)
		})
	}
}

func TestEndpointCreate(t *testing.T) {
	jolokia := endpointAt("ours", nil)
	jolokia["endpoint_type"] = "jolokia"
	for name, tc := range map[string]struct {
		edit   func(*v1alpha1.ServiceIntegrationEndpoint)
		answer aiventest.Answer
		sent   string
		text   string
	}{
		"with credentials": {answer: shown(endpointAt("ours", nil)),
			sent: `{"endpoint_name":"my-db","endpoint_type":"external_postgresql","user_config":{` + options + `}}`},
		"without a block": {edit: func(obj *v1alpha1.ServiceIntegrationEndpoint) {
			obj.Spec.EndpointType, obj.Spec.ExternalPostgresql = "jolokia", nil
		}, answer: shown(jolokia), sent: `{"endpoint_name":"my-db","endpoint_type":"jolokia","user_config":{}}`},
		"of a type without options": {edit: func(obj *v1alpha1.ServiceIntegrationEndpoint) {
			obj.Spec.EndpointType, obj.Spec.ExternalPostgresql = "external_aws_s3", nil
		}, text: "spec.endpointType: endpoints of type external_aws_s3 can't be created"},
		"that Aiven refuses": {answer: aiventest.Refused(400, "Invalid input for user_config.host: is too short"),
			sent: `{"endpoint_name":"my-db","endpoint_type":"external_postgresql","user_config":{` + options + `}}`,
			text: "spec.externalPostgresql.host"},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), database("")
			if tc.edit != nil {
				tc.edit(obj)
			}
			a.On(endpoints, listing())
			a.On(addEndpoint, tc.answer)
			c := startEndpoint(a)
			_, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			a.Calls()
			o, err := c.Create(t.Context(), obj)
			if tc.sent != "" {
				assert.Equal(t, []string{addEndpoint + " " + tc.sent}, a.Calls())
			}
			if tc.text != "" {
				assert.ErrorContains(t, err, tc.text)
				return
			}
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Equal(t, "ours", obj.Status.ID)
		})
	}
}

func TestAnEndpointOfATypeWithoutOptionsIsAdopted(t *testing.T) {
	theirs := endpointAt("ours", nil)
	theirs["endpoint_type"] = "external_aws_s3"
	a, obj := aiventest.New(t), database("", func(obj *v1alpha1.ServiceIntegrationEndpoint) {
		obj.Spec.EndpointType, obj.Spec.ExternalPostgresql = "external_aws_s3", nil
	})
	a.On(endpoints, listing(theirs))
	c := startEndpoint(a)
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Active)
	_, err = c.Update(t.Context(), obj, o)
	require.NoError(t, err)
	assert.Equal(t, []string{endpoints}, a.Calls(), "also if a user asks for an update")
}

func TestEndpointUpdateSendsTheWholeBlock(t *testing.T) {
	a, obj := aiventest.New(t), database("ours")
	a.On(endpoints, listing(endpointAt("ours", nil)))
	a.On(getEndpoint, shown(endpointAt("ours", object{"password": "TheirOwnWords"})))
	a.On(putEndpoint, shown(endpointAt("ours", nil)), aiventest.Refused(400, "User config not changed"),
		aiventest.Refused(400, "Invalid input for user_config.password: '"+password+"' is too weak"))
	c := startEndpoint(a)
	seen, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	a.Calls()
	_, err = c.Update(t.Context(), obj, seen)
	require.NoError(t, err)
	assert.Equal(t, []string{putEndpoint + ` {"user_config":{` + options + `}}`}, a.Calls())
	_, err = c.Update(t.Context(), obj, seen)
	require.NoError(t, err, "nothing to change is a success")

	_, err = c.Update(t.Context(), obj, seen)
	secrets := &fault.Secrets{}
	secrets.Add(Endpoint.Secrets(obj)...)
	message := secrets.Refusal(err, "Aiven rejected the change", "")
	assert.NotContains(t, message, password)
	assert.Contains(t, message, "Aiven rejected spec.externalPostgresql.password: ")
}

func TestTheCredentialsOfAnEndpointAreKnown(t *testing.T) {
	assert.Equal(t, []string{password}, Endpoint.Secrets(database("")))
	assert.Empty(t, Endpoint.Secrets(database("", withoutPassword)))
}

// What has the name of an endpoint that is gone is another client's, with credentials that an update would overwrite.
func TestAnEndpointThatAnotherClientHasMadeInItsPlaceIsNotTakenOver(t *testing.T) {
	a, obj := aiventest.New(t), database("gone", withoutPassword)
	a.On(endpoints, listing())
	c := startEndpoint(a)
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.False(t, o.Remote.Exists)
	made := obj.DeepCopy()
	c.(interface {
		RecordIntent(obj *v1alpha1.ServiceIntegrationEndpoint)
	}).RecordIntent(made)
	assert.Empty(t, made.Status.ID, "another one is about to be made")

	a.On(endpoints, listing(endpointAt("theirs", nil)))
	_, err = startEndpoint(a).Observe(t.Context(), obj)
	require.ErrorContains(t, err, "spec.endpointName: the endpoint of this object, gone, is gone, and another client has made one of this name")
	assert.True(t, fault.Is(err, fault.Invalid))
	assert.Equal(t, "gone", obj.Status.ID)

	a, obj = aiventest.New(t), &v1alpha1.ServiceIntegrationEndpoint{Spec: v1alpha1.ServiceIntegrationEndpointSpec{EndpointType: "autoscaler"}}
	obj.Spec.Project, obj.Spec.EndpointName, obj.Status.ID = aiventest.Project, "ours", "gone"
	at := endpointAt("theirs", nil)
	at["endpoint_type"], at["endpoint_name"] = "autoscaler", "ours"
	a.On(endpoints, listing(at))
	_, err = startEndpoint(a).Observe(t.Context(), obj)
	require.NoError(t, err, "a type without credentials has nothing to lose")
	assert.Equal(t, "theirs", obj.Status.ID)
}

// The list of endpoints has no credentials: what exists may have some, whatever the spec says.
func TestOnlyAnEndpointOfATypeWithoutCredentialsNeedsNoConsent(t *testing.T) {
	for name, tc := range map[string]struct {
		obj  *v1alpha1.ServiceIntegrationEndpoint
		free bool
	}{
		"a type with credentials, none in the spec": {database("", withoutPassword), false},
		"a type without":          {&v1alpha1.ServiceIntegrationEndpoint{Spec: v1alpha1.ServiceIntegrationEndpointSpec{EndpointType: "autoscaler"}}, true},
		"a type that isn't known": {&v1alpha1.ServiceIntegrationEndpoint{Spec: v1alpha1.ServiceIntegrationEndpointSpec{EndpointType: "new"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			obj := tc.obj
			obj.Spec.Project, obj.Spec.EndpointName = aiventest.Project, "ours"
			at := endpointAt("ours", nil)
			at["endpoint_type"], at["endpoint_name"] = obj.Spec.EndpointType, "ours"
			a.On(endpoints, listing(at))
			o, err := startEndpoint(a).Observe(t.Context(), obj)
			require.NoError(t, err)
			require.True(t, o.Remote.Exists)
			assert.Equal(t, tc.free, o.Free)
		})
	}
	assert.ElementsMatch(t, []string{"one", "two"}, Endpoint.Secrets(database("", func(obj *v1alpha1.ServiceIntegrationEndpoint) {
		obj.Spec.EndpointType, obj.Spec.ExternalPostgresql = "external_kafka", nil
		obj.Spec.ExternalKafka = &kafkaoptions.ExternalKafkaUserConfig{SaslPlainPassword: ptr.To("one"), SslClientKey: ptr.To("two")}
	})))
	assert.Equal(t, []string{"three"}, Endpoint.Secrets(database("", func(obj *v1alpha1.ServiceIntegrationEndpoint) {
		obj.Spec.EndpointType, obj.Spec.ExternalPostgresql = "prometheus", nil
		obj.Spec.Prometheus = &prometheusoptions.PrometheusUserConfig{BasicAuthPassword: ptr.To("three")}
	})))
}

func TestTheIdentityOfAnEndpoint(t *testing.T) {
	assert.Equal(t, "demo/external_postgresql/my-db", Endpoint.Identity(database("")).Name)
}
