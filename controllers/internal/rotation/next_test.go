package rotation

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheNextStepFollowsFromThreeFacts(t *testing.T) {
	pending := func(request string) *Pending {
		return &Pending{Password: "new", Request: request, Replaces: func(password string) bool { return password == "old" }}
	}
	for name, tc := range map[string]struct {
		facts Facts
		want  Action
	}{
		"nothing is due":                                      {Facts{Aiven: "old"}, None},
		"nothing is due, and nothing is known":                {Facts{}, None},
		"a rotation is due":                                   {Facts{Due: true, Aiven: "old", Published: "old"}, Begin},
		"a rotation is due, of an unknown password":           {Facts{Due: true}, Unknown},
		"Aiven has the old one":                               {Facts{Pending: pending("1"), Aiven: "old", Published: "old"}, Set},
		"Aiven has the old one, another is due":               {Facts{Due: true, Pending: pending("1"), Aiven: "old", Published: "old"}, Set},
		"Aiven has the old one, the Secret is gone":           {Facts{Pending: pending("1"), Aiven: "old"}, Set},
		"Aiven has the new one":                               {Facts{Pending: pending("1"), Aiven: "new", Published: "old"}, Finish},
		"Aiven has the new one, for a schedule":               {Facts{Pending: pending(""), Aiven: "new", Published: "old"}, Finish},
		"the new one is published":                            {Facts{Pending: pending("1"), Aiven: "new", Published: "new"}, Finish},
		"the new one is published, another was handled":       {Facts{Pending: pending("1"), Aiven: "new", Published: "new", Handled: "0"}, Finish},
		"the new one is published and handled":                {Facts{Pending: pending("1"), Aiven: "new", Published: "new", Handled: "1"}, Forget},
		"the new one is published, for a schedule":            {Facts{Pending: pending(""), Aiven: "new", Published: "new", Handled: "1"}, Forget},
		"the new one is handled, and the Secret was lost":     {Facts{Pending: pending("1"), Aiven: "new", Handled: "1"}, Finish},
		"a user has set another one before":                   {Facts{Pending: pending("1"), Aiven: "other", Published: "old"}, Finish},
		"a user has set another one, and it is published":     {Facts{Pending: pending("1"), Aiven: "other", Published: "other"}, Finish},
		"a user has set another one, and it is handled":       {Facts{Pending: pending("1"), Aiven: "other", Published: "other", Handled: "1"}, Forget},
		"Aiven no longer shows any":                           {Facts{Pending: pending("1"), Published: "old"}, Unknown},
		"the pending one is the one that it replaces already": {Facts{Pending: &Pending{Password: "old", Request: "1", Replaces: pending("").Replaces}, Aiven: "old", Published: "old"}, Finish},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, tc.facts.Next()) })
	}
}
