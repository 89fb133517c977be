package kafka_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/kafkaclient"
)

func TestAStoppedBrokerResumesWithAllItHad(t *testing.T) {
	for name, sasl := range map[string]bool{"with passwords": true, "with certificates": false} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			client := func() *kafkaclient.Client {
				if sasl {
					return s.login("bob", "bobs-password")
				}
				return s.present("bob")
			}
			s.user("bob", "bobs-password")
			s.topic("orders", 2)
			s.topic("secret", 1)
			s.acls(engine.ACL{Username: "bob", Topic: "orders", Permission: "readwrite"})
			require.NoError(t, client().Produce(s.within(testTimeout), "orders", "kept"))

			for range 2 {
				before := client()
				require.NoError(t, s.Stop(t.Context()))
				require.NoError(t, s.Stop(t.Context()), "stopping twice is fine")
				require.Error(t, before.Login(s.within(time.Second)), "no listener")
				require.Error(t, s.kafka().Topics().Set(t.Context(), engine.Topic{Name: "late", Partitions: 1}))

				require.NoError(t, s.Resume(t.Context()))
				require.NoError(t, s.Resume(t.Context()), "resuming twice is fine")
				bob := client()
				message, err := bob.Consume(s.within(testTimeout), "orders")
				require.NoError(t, err)
				assert.Equal(t, "kept", message)
				s.refuses(bob, "secret", "the ACLs are those of before")
			}
			s.topic("late", 1)
			s.acls(engine.ACL{Username: "bob", Topic: "late", Permission: "readwrite"})
			s.passes(client(), client(), "late")
			s.refuses(client(), "orders", "rules of before can be lifted")

			require.NoError(t, s.Stop(t.Context()))
			require.NoError(t, s.Close(t.Context()))
			assert.NoDirExists(t, s.spec.DataDir)
			require.Error(t, s.Resume(t.Context()), "closing is the end")
		})
	}
}
