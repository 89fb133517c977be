package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestIdentities(t *testing.T) {
	keys := func(names ...string) (services []aiven.ServiceKey) {
		for _, name := range names {
			services = append(services, aiven.ServiceKey{Project: "prj", Service: name})
		}
		return services
	}
	for name, tc := range map[string]struct {
		identity Identity
		services []aiven.ServiceKey
		want     string
	}{
		"a service is its own identity":            {Identity{Group: "service"}, keys("pg"), "prj/pg/"},
		"an entry is one in its service":           {Identity{Entry: aiven.UserEntry("joe")}, keys("pg"), "prj/pg/user/joe"},
		"an entry of two services is one for both": {Identity{Entry: "link"}, keys("a", "b"), "prj/a/prj/b/link"},
		"a name is one without a service":          {Identity{Name: "prj/cloud/10.0.0.0"}, nil, "prj/cloud/10.0.0.0"},
		"what may overlap has none":                {Identity{None: true}, keys("pg"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, tc.identity.Value(tc.services))
		})
	}
}
