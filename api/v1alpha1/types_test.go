package v1alpha1_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func TestSchemeKnowsEveryKindAndItsList(t *testing.T) {
	scheme := newScheme(t)
	for kind := range loadDefinitions(t) {
		for _, name := range []string{kind, kind + "List"} {
			_, err := scheme.New(v1alpha1.GroupVersion.WithKind(name))
			assert.NoError(t, err)
		}
	}
}

func TestExamplesFitTheTypes(t *testing.T) {
	scheme := newScheme(t)
	for _, file := range glob(t, "../../docs/examples/*.yaml") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			content := read(t, file)
			var meta metav1.TypeMeta
			require.NoError(t, yaml.Unmarshal(content, &meta))
			object, err := scheme.New(schema.FromAPIVersionAndKind(meta.APIVersion, meta.Kind))
			require.NoError(t, err)
			assert.NoError(t, yaml.UnmarshalStrict(content, object))
		})
	}
}

func TestNameAtAivenDefaultsToTheNameOfTheObject(t *testing.T) {
	database := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Name: "orders"}}
	user := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Name: "orders-app"}}
	topic := &v1alpha1.KafkaTopic{ObjectMeta: metav1.ObjectMeta{Name: "order-events"}}
	assert.Equal(t, "orders", database.GetDatabaseName())
	assert.Equal(t, "orders-app", user.GetUsername())
	assert.Equal(t, "order-events", topic.GetTopicName())

	database.Spec.DatabaseName = "orders_db"
	user.Spec.Username = "orders_app"
	topic.Spec.TopicName = "order_events"
	assert.Equal(t, "orders_db", database.GetDatabaseName())
	assert.Equal(t, "orders_app", user.GetUsername())
	assert.Equal(t, "order_events", topic.GetTopicName())
}

func TestAccessorsShareTheFieldsOfTheObject(t *testing.T) {
	token := &v1alpha1.AuthSecretReference{Name: "aiven-token", Key: "token"}

	service := &v1alpha1.PostgreSQL{}
	service.GetProjectDependant().Project = "my-project"
	service.GetProjectDependant().AuthSecretRef = token
	service.GetServiceCommonSpec().Plan = "startup-4"
	service.GetSecretFields().ConnInfoSecretTarget.Name = "my-pg-secret"
	service.GetServiceStatus().State = "RUNNING"
	service.GetCommonStatus().Phase = v1alpha1.PhaseRunning
	assert.Equal(t, token, service.GetAuthSecretRef())
	assert.JSONEq(t, `{
		"metadata": {},
		"spec": {
			"project": "my-project", "plan": "startup-4", "authSecretRef": {"name": "aiven-token", "key": "token"},
			"connInfoSecretTarget": {"name": "my-pg-secret"}
		},
		"status": {"phase": "Running", "state": "RUNNING"}
	}`, marshal(t, service))

	pool := &v1alpha1.ConnectionPool{}
	pool.GetServiceDependant().ServiceName = "my-pg"
	pool.GetServiceDependant().AuthSecretRef = token
	pool.GetSecretFields().ConnInfoSecretTarget.Prefix = "ORDERS_"
	pool.GetCommonStatus().Phase = v1alpha1.PhaseReady
	assert.Equal(t, token, pool.GetAuthSecretRef())
	assert.Equal(t, "my-pg", pool.Spec.ServiceName)
	assert.Equal(t, "ORDERS_", pool.Spec.ConnInfoSecretTarget.Prefix)
	assert.Equal(t, v1alpha1.PhaseReady, pool.Status.Phase)

	network := &v1alpha1.ProjectVPC{}
	network.GetProjectDependant().AuthSecretRef = token
	network.GetCommonStatus().Phase = v1alpha1.PhaseReady
	assert.Equal(t, token, network.GetAuthSecretRef())
	assert.Equal(t, v1alpha1.PhaseReady, network.Status.Phase)
}

func TestObjectThatWasNeverReconciledHasNoStatusOnTheWire(t *testing.T) {
	for kind, object := range newKinds(t) {
		assert.JSONEq(t, `{"metadata": {}}`, marshal(t, object), "%s: an empty status would hide the CRD's default", kind)
	}
}

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	return scheme
}

// newKinds returns an empty object of each kind in the scheme, by the name of the kind.
func newKinds(t *testing.T) map[string]metav1.Object {
	t.Helper()
	kinds := map[string]metav1.Object{}
	for name, typ := range newScheme(t).KnownTypes(v1alpha1.GroupVersion) {
		// Lists, and the options that every group has, aren't objects.
		if object, is := reflect.New(typ).Interface().(metav1.Object); is {
			kinds[name] = object
		}
	}
	require.NotEmpty(t, kinds)
	return kinds
}

func marshal(t *testing.T, object any) string {
	t.Helper()
	raw, err := json.Marshal(object)
	require.NoError(t, err)
	return string(raw)
}

// An edit of another field changes no rule, and what is asked for counts from then on.
func TestTheStatusOfAnACLProvesOneRule(t *testing.T) {
	mine, other := v1alpha1.KafkaACLRule{Permission: "read", Topic: "a", Username: "u"}, v1alpha1.KafkaACLRule{Permission: "read", Topic: "b", Username: "u"}
	for name, tc := range map[string]struct {
		rule   *v1alpha1.KafkaACLRule
		asked  []v1alpha1.KafkaACLRule
		proves bool
	}{
		"that of the spec":                         {rule: &mine, proves: true},
		"that of an earlier spec":                  {rule: &other},
		"that which it is about to ask for":        {rule: &other, asked: []v1alpha1.KafkaACLRule{mine}, proves: true},
		"that which an earlier spec has asked for": {asked: []v1alpha1.KafkaACLRule{other}},
		"any that was handed over":                 {proves: true},
	} {
		t.Run(name, func(t *testing.T) {
			acl := &v1alpha1.KafkaACL{Spec: v1alpha1.KafkaACLSpec{Permission: "read", Topic: "a", Username: "u"}, Status: v1alpha1.KafkaACLStatus{Rule: tc.rule, Requested: tc.asked}}
			assert.Equal(t, tc.proves, acl.ProvesRule())
		})
	}
}
