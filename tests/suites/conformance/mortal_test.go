package conformance_test

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// mortal is a kind whose objects live through crashes.
type mortal struct {
	kind

	begin func(*testenv.Env, testenv.Object) // before creation; nil for nothing
	edit  func(*testenv.Env, testenv.Object) // nil for what can't be changed
	// password is what the edit leads to in the published Secret; empty for an edit of the spec. Until then the object is Ready.
	password string
	rotates  bool // the edit asks for another password
	// reached reports whether an edit that is none of the spec has reached Aiven; nil for other edits.
	reached func(*testenv.Env) bool
}

// mortals are all kinds, and the ways in which one behaves like two.
func mortals() []mortal {
	var all []mortal
	for _, k := range allKinds {
		all = append(all, mortal{kind: k, edit: k.change})
		if k := k; k.name == "ServiceUser" || k.name == "ClickhouseUser" {
			k.name += " with a password"
			const changed = "changed-by-the-user"
			all = append(all, mortal{kind: k, begin: k.change, password: changed, edit: func(e *testenv.Env, _ testenv.Object) {
				e.SetSecret(sourceSecret, map[string]string{sourceKey: changed})
			}})
		}
		if k.name == "ServiceUser" || k.name == "ClickhouseUser" || k.name == "PostgreSQL" {
			rotated := k
			rotated.name += " that is rotated"
			all = append(all, mortal{kind: rotated, rotates: true, edit: func(_ *testenv.Env, obj testenv.Object) {
				obj.SetAnnotations(map[string]string{rotateRequested: "now"})
			}})
		}
		if k.name == "KafkaConnector" {
			all = append(all, withSecret(k))
		}
		if k.name == "KafkaQuota" { // without a limit it takes two writes
			k.name = "KafkaQuota with fewer limits"
			all = append(all, mortal{kind: k, edit: func(_ *testenv.Env, obj testenv.Object) {
				obj.(*v1alpha1.KafkaQuota).Spec.RequestPercentage = nil
			}})
		}
	}
	return all
}

// withSecret is a connector with a token from a Secret, and the edit is another token.
func withSecret(k kind) mortal {
	const first, second = "the-first-token-of-orders", "the-second-token-of-orders"
	k.name += " with a Secret"
	return mortal{
		kind: k,
		begin: func(e *testenv.Env, obj testenv.Object) {
			setToken(e, first)
			obj.(*v1alpha1.KafkaConnector).Spec = withToken(e).Spec
		},
		edit: func(e *testenv.Env, _ testenv.Object) { setToken(e, second) },
		reached: func(e *testenv.Env) bool {
			return connectorAt(e).Config["http.headers.authorization"] == "Bearer "+second
		},
	}
}
