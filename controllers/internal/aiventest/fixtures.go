package aiventest

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/aero-operator/aero/controllers/internal/reference"
)

// Namespace is where Secrets live.
const Namespace = "default"

// Object is a map as JSON has it.
type Object = map[string]any

// Service is the response to a read of a PostgreSQL service called my-pg that runs, with some fields changed.
func Service(changes Object) Answer { return OK(Object{"service": ServiceFields(changes)}) }

// ServiceFields are the fields of Service, as an answer to creating or updating one has them too.
func ServiceFields(changes Object) Object {
	fields := Object{
		"service_name": "my-pg", "service_type": "pg", "plan": "startup-4", "cloud_name": "google-europe-west1",
		"state": "RUNNING", "disk_space_mb": 81920,
		"maintenance": Object{"dow": "sunday", "time": "03:00:00", "enabled": true, "updates": []any{}},
		"user_config": Object{"pg_version": "17", "ip_filter": []any{"0.0.0.0/0"}},
		"service_uri": "postgres://avnadmin:pass-word@pg.test:5432/defaultdb?sslmode=require",
		"service_uri_params": Object{
			"host": "pg.test", "port": "5432", "dbname": "defaultdb", "user": "avnadmin", "password": "pass-word",
			"sslmode": "require",
		},
		"components": []any{
			Object{"component": "pg", "host": "pg.test", "port": 5432, "route": "dynamic", "usage": "primary"},
		},
		"users":            []any{Object{"username": "avnadmin", "type": "primary", "password": "pass-word"}},
		"databases":        []any{"defaultdb"},
		"connection_pools": []any{}, "service_integrations": []any{},
	}
	maps.Copy(fields, changes)
	return fields
}

// Missing is the response to a read of what doesn't exist.
func Missing() Answer { return Refused(404, "Service does not exist") }

// Secret is a Secret of that name.
func Secret(name string, values map[string]string) *corev1.Secret {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: name}, Data: map[string][]byte{},
	}
	for key, value := range values {
		secret.Data[key] = []byte(value)
	}
	return secret
}

// Resolve follows the references of an object in a cluster that holds certain Secrets.
func Resolve(t testing.TB, obj client.Object, declarations []reference.Declaration, secrets ...*corev1.Secret) reference.Resolved {
	scheme := runtime.NewScheme()
	require.NoError(t, corev1.AddToScheme(scheme))
	cluster := fake.NewClientBuilder().WithScheme(scheme)
	for _, secret := range secrets {
		cluster = cluster.WithObjects(secret)
	}
	return reference.Resolver{Reader: cluster.Build()}.Resolve(t.Context(), obj, declarations)
}
