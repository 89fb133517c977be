package service

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	pguserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/plan"
)

// changed asks for something else wherever a spec can.
func changed(obj pg) {
	obj.Spec.Plan, obj.Spec.CloudName, obj.Spec.ProjectVPCID, obj.Spec.DiskSpace = "business-8", "aws-eu-west-1", "new-vpc", "200GiB"
	obj.Spec.MaintenanceWindowDow, obj.Spec.MaintenanceWindowTime = "sunday", "05:00:00"
	obj.Spec.TerminationProtection, obj.Spec.Tags = ptr.To(false), map[string]string{"team": "b"}
	obj.Spec.TechnicalEmails = []v1alpha1.ServiceTechEmail{{Email: "new@example.com"}}
	obj.Spec.UserConfig = &pguserconfig.PgUserConfig{
		PgVersion: ptr.To("17"), SharedBuffersPercentage: ptr.To(30.0), WorkMem: ptr.To(8), Pg: &pguserconfig.Pg{Jit: ptr.To(true), MaxConnections: ptr.To(77), WalWriterDelay: ptr.To(100)},
	}
}

func unchanged() aiventest.Answer {
	return aiventest.Service(aiventest.Object{
		"project_vpc_id": "old-vpc", "disk_space_mb": 100 * mbPerGiB, "termination_protection": true, "tags": aiventest.Object{"team": "a"},
		"service_integrations": []any{}, "tech_emails": []any{aiventest.Object{"email": "old@example.com"}}, "maintenance": aiventest.Object{"dow": "monday", "time": "01:00:00"},
		"user_config": aiventest.Object{"pg_version": "16", "shared_buffers_percentage": 20.0, "pg": aiventest.Object{"jit": false, "max_connections": 50}},
	})
}

// What is held stays as it is, whatever else the request has.
func TestAnUpdateSendsNothingOfWhatIsHeld(t *testing.T) {
	sent := map[string]string{
		pathPlan: `"business-8"`, pathCloud: `"aws-eu-west-1"`, pathVPC: `"new-vpc"`, pathDisk: `"disk_space_mb":204800`, pathDay: `"sunday"`, pathTime: `"05:00:00"`,
		pathProtection: `"termination_protection":false`, pathEmails: `"new@example.com"`, pathTags: `"team":"b"`, "spec.userConfig.pg_version": `"17"`,
		"spec.userConfig.shared_buffers_percentage": `"shared_buffers_percentage":30`, "spec.userConfig.work_mem": `"work_mem"`, "spec.userConfig.pg.jit": `"jit":true`,
		"spec.userConfig.pg.max_connections": `"max_connections":77`,
	}
	for path, text := range sent {
		t.Run(path, func(t *testing.T) {
			a, obj := aiventest.New(t), edited(changed)
			a.On(lookup, unchanged())
			a.On(put, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
			a.On("PUT service/my-pg/tags", aiventest.OK(nil))
			c := start(t, a, obj)
			o, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			held := controllers.Diff{{Path: path}}
			require.True(t, c.(plan.Separator).Separates(obj, held))
			o.Diff, o.Held.Diff = o.Diff.Without(path), held
			o.WriteOnly = without(o.WriteOnly, path)
			a.Calls()
			_, err = c.Update(t.Context(), obj, o)
			require.NoError(t, err)
			requests := strings.Join(a.Calls(), "\n")
			assert.NotContains(t, requests, text)
			for other, expected := range sent {
				if other != path {
					assert.Contains(t, requests, expected, "%s is sent", other)
				}
			}
		})
	}
}

func without(paths []string, path string) (out []string) {
	for _, p := range paths {
		if p != path {
			out = append(out, p)
		}
	}
	return out
}

func TestWhatAGroupOfOptionsMustNotLackIsNotLeftOut(t *testing.T) {
	a, obj := aiventest.New(t), edited(changed)
	a.On(lookup, unchanged())
	c := start(t, a, obj)
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	separable := func(path string) bool { return c.(plan.Separator).Separates(obj, controllers.Diff{{Path: path}}) }
	assert.False(t, separable("spec.userConfig.pg.wal_writer_delay"), "Aiven doesn't report it, and may remove it from a group that is sent without it")
	assert.True(t, separable("spec.userConfig.work_mem"), "an option outside of groups stays as it is")
	assert.False(t, separable("spec.other"), "an unknown path")
	bad := edited(func(obj pg) { obj.Name = "my.pg" })
	assert.False(t, c.(plan.Separator).Separates(bad, nil))
}

// The plan asks before. Should it not, nothing is sent rather than what is held.
func TestAnUpdateThatCannotLeaveOutWhatIsHeldIsNotSent(t *testing.T) {
	a, obj := aiventest.New(t), edited(changed)
	a.On(lookup, unchanged())
	c := start(t, a, obj)
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	o.Held.Diff = controllers.Diff{{Path: "spec.userConfig.pg.wal_writer_delay"}}
	a.Calls()
	_, err = c.Update(t.Context(), obj, o)
	require.ErrorIs(t, err, plan.ErrInseparable)
	assert.Empty(t, a.Calls())
}

func TestAnOptionThatAivenRedactsIsNeverSentBack(t *testing.T) {
	tree := map[string]any{"list": []any{map[string]any{"key": "new"}}, "node.name": "x"}
	kept, done := keepOption(tree, "list", map[string]any{"list": []any{map[string]any{"key": "<redacted>"}}})
	assert.True(t, done)
	assert.Equal(t, map[string]any{"node.name": "x"}, kept)
	kept, done = keepOption(tree, "node.name", map[string]any{"node.name": "y"})
	assert.True(t, done)
	assert.Equal(t, "y", kept["node.name"], "an option with a dot in its name")
	_, done = keepOption(tree, "none", nil)
	assert.False(t, done)
}
