package kafka_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

func TestNativeACLs(t *testing.T) {
	s := start(t)
	s.topic("orders", 1)
	s.topic("salaries", 1)
	s.user("app", "app")
	native := func(acls ...engine.NativeACL) { require.NoError(t, s.kafka().SetNativeACLs(t.Context(), acls)) }
	on := func(operation, resource, name string) engine.NativeACL {
		return engine.NativeACL{Principal: "User:app", Host: "*", Operation: operation, Resource: resource, Name: name}
	}
	app := s.login("app", "app")
	s.refuses(app, "orders", "no rule")
	prefixed := on("All", "Topic", "ord")
	prefixed.Prefixed = true
	native(prefixed, on("All", "Group", "*"), on("All", "User", "bob"), on("CreateTokens", "DelegationToken", "x"))
	s.passes(app, s.login("app", "app"), "orders")
	s.refuses(app, "salaries", "its name begins otherwise")

	s.acls(engine.ACL{Username: "app", Topic: "*", Permission: "admin"})
	require.NoError(t, app.Produce(s.within(testTimeout), "salaries", "x"))
	denied := on("Write", "Topic", "salaries")
	denied.Deny = true
	native(denied)
	s.refuses(app, "salaries", "what is denied isn't allowed by a rule of Aiven's")
	native()
	require.NoError(t, app.Produce(s.within(testTimeout), "salaries", "x"))
}
