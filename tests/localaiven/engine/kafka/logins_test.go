package kafka_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

func TestAWayToLogInIsOpenedAndClosedWhileTheBrokerRuns(t *testing.T) {
	s := start(t)
	s.topic("orders", 1)
	s.user("app", "one")
	s.acls(engine.ACL{Username: "app", Topic: "orders", Permission: "readwrite"})
	at, sasl := s.Endpoint(), s.kafka().SASL()
	certified, login := s.present("app"), s.login("app", "one")
	s.passes(certified, login, "orders")
	accepts := func(certificates, passwords bool) {
		t.Helper()
		require.NoError(t, s.kafka().SetLogins(t.Context(), engine.Logins{Certificates: certificates, Passwords: passwords}))
		for range 2 { // a broker that starts again remembers
			for who, want := range map[string]bool{"certificate": certificates, "password": passwords} {
				client := s.present("app")
				if who == "password" {
					client = s.login("app", "one")
				}
				err := client.Login(s.within(testTimeout))
				assert.Equal(t, want, err == nil, "%s: %v", who, err)
			}
			if certificates && passwords {
				return
			}
			require.NoError(t, s.Stop(t.Context()))
			require.NoError(t, s.Resume(t.Context()))
		}
	}
	accepts(true, true)
	require.NoError(t, s.kafka().SetLogins(t.Context(), engine.Logins{Passwords: true}))
	require.Error(t, certified.Login(s.within(testTimeout)), "who is connected is hung up on")
	require.NoError(t, login.Login(s.within(testTimeout)), "and the others aren't")
	assert.Equal(t, []engine.Endpoint{at, sasl}, []engine.Endpoint{s.Endpoint(), s.kafka().SASL()}, "the ports stay")
	accepts(false, true)
	accepts(true, false)
	accepts(false, false)
	accepts(true, true)
	s.passes(s.present("app"), s.login("app", "one"), "orders")
}
