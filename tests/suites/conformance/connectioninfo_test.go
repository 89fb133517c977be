package conformance_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

func TestAFieldOfConnectionInfoMayBeNull(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"MySQL"}, Aiven: withNull("mysql_replica_uri")})
	obj := e.Example("mysql").(*v1alpha1.MySQL)
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	secret := e.Secret(obj.Spec.ConnInfoSecretTarget.Name)
	assert.NotContains(t, secret.Data, "MYSQL_REPLICA_URI")
	assert.Equal(t, "orders_admin", string(secret.Data["MYSQL_USER"]))
	assert.Len(t, secret.Data, 8)
}

// withNull is an Aiven that returns some fields of connection_info as null, or all of it.
func withNull(fields ...string) localaiven.Options {
	return localaiven.Options{Variants: localaiven.Variants{NullConnectionInfo: fields}}
}

// The Secret lacks what only connection_info has, and nothing else.
func TestConnectionInfoOfAnyServiceMayBeNull(t *testing.T) {
	t.Parallel()
	only := []string{"ACCESS_CERT", "ACCESS_KEY", "REST_URI", "SCHEMA_REGISTRY_URI", "REPLICA_URI", "HOSTS"}
	without := func(keys []string) []string {
		return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return slices.Contains(only, key) })
	}
	var kinds []string
	var cases []*testCase
	for _, k := range allKinds {
		if k.resource == "service" {
			kinds = append(kinds, k.name)
			k.keys, k.legacy = without(k.keys), without(k.legacy)
			cases = append(cases, &testCase{kind: k})
		}
	}
	e := testenv.New(t, testenv.Options{Kinds: kinds, Aiven: withNull("all")})
	for _, s := range cases {
		s.Env, s.obj = e, e.Example(s.kind.example)
		s.Create(s.obj)
	}
	for _, s := range cases {
		s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
		if s.kind.publishes() {
			s.assertKeys(s.kind.prefix)
		}
	}
}
