package service

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	pguserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

func TestAVersionAboveTheSpecsIsKept(t *testing.T) {
	for name, tc := range map[string]struct {
		option string
		wanted any
		found  any
		newer  bool
	}{
		"a major version":               {"pg_version", "15", "16", true},
		"of two digits":                 {"pg_version", "9", "10", true},
		"with a minor one":              {"kafka_version", "3.7", "3.10", true},
		"the same":                      {"pg_version", "16", "16", false},
		"an upgrade that the spec asks": {"pg_version", "17", "16", false},
		"what is no version":            {"pg_version", "aiven-17", "16", false},
		"a number":                      {"pg_version", 15, 16, false},
		"an option of another meaning":  {"pg.wal_version", "1", "2", false},
		"another option":                {"backup_hour", "1", "2", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := desired{powered: true, update: map[string]any{tc.option: tc.wanted, "backup_hour": 3}}
			s := &aiven.Service{UserConfig: map[string]any{tc.option: tc.found, "backup_hour": 4}}
			assert.Equal(t, tc.newer, len(w.keepNewer(s)) == 1)
			if tc.newer {
				diff, _ := w.compare(s)
				assert.Equal(t, []string{"spec.userConfig.backup_hour"}, diff.Paths(), "the rest of the spec goes on")
				assert.Equal(t, tc.found, w.update[tc.option], "and sends the version of Aiven")
			}
		})
	}
}

func TestAServiceThatAivenHasUpgradedKeepsItsVersionInAnEdit(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(aiventest.Object{"user_config": aiventest.Object{"pg_version": "17", "backup_hour": 3}}))
	obj := edited(func(obj pg) {
		obj.Spec.UserConfig = &pguserconfig.PgUserConfig{PgVersion: ptr.To("15"), BackupHour: ptr.To(4)}
	})
	a.On(put, aiventest.OK(nil))
	c := start(t, a, obj)
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, []v1alpha1.DriftEntry{{Path: "spec.userConfig.pg_version", Wanted: "15", Found: "17"}}, o.Newer.Entries())
	assert.Equal(t, []string{"spec.userConfig.backup_hour"}, o.Diff.Paths())
	_, _ = c.Update(t.Context(), obj, o) // the answer has no service
	calls := a.Calls()
	require.Len(t, calls, 4, "nothing asks whether the version can be upgraded to")
	assert.True(t, strings.HasPrefix(calls[2], put), calls[2])
	assert.Contains(t, calls[2], `"user_config":{"backup_hour":4,"pg_version":"17"}`)
}
