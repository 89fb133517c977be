package service

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	pguserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/referencetest"
)

func unpowered(edits ...func(obj pg)) pg {
	return edited(func(obj pg) {
		obj.Spec.Powered = ptr.To(false)
		for _, edit := range edits {
			edit(obj)
		}
	})
}

func protectedSpec(obj pg) { obj.Spec.TerminationProtection = ptr.To(true) }

func TestAProtectedServiceIsNotAskedToPowerOff(t *testing.T) {
	running := aiventest.Service(aiventest.Object{"termination_protection": true})
	off := aiventest.Service(aiventest.Object{"state": "POWEROFF", "termination_protection": true})
	for name, tc := range map[string]struct {
		obj     pg
		found   aiventest.Answer
		invalid bool
		calls   []string
	}{
		"a new one isn't created":               {obj: unpowered(protectedSpec), found: aiventest.Missing(), invalid: true, calls: []string{lookup}},
		"one that runs":                         {obj: unpowered(protectedSpec), found: running, invalid: true, calls: []string{lookup}},
		"one that is off stays so":              {obj: unpowered(protectedSpec), found: off, calls: []string{lookup}},
		"one that is to be on":                  {obj: edited(protectedSpec), found: running, calls: []string{lookup, "GET kms/ca"}},
		"one whose protection the spec ends":    {obj: unpowered(func(obj pg) { obj.Spec.TerminationProtection = ptr.To(false) }), found: running, calls: []string{lookup, backups, "GET kms/ca"}},
		"one that runs, in an applied spec":     {obj: unpowered(protectedSpec, accepted), found: running, calls: []string{lookup, backups, "GET kms/ca"}},
		"one that only Aiven protects is tried": {obj: unpowered(), found: running, calls: []string{lookup, backups, "GET kms/ca"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.found)
			a.On(backups, oneBackup())
			_, err := start(t, a, tc.obj).Observe(t.Context(), tc.obj)
			assert.Equal(t, tc.calls, a.Calls())
			if !tc.invalid {
				require.NoError(t, err)
				return
			}
			assert.Equal(t, fault.Invalid, fault.Of(err).Class)
			assert.EqualError(t, err, "spec.powered: can't be false while spec.terminationProtection is true: Aiven doesn't power off a "+
				"protected service. Set terminationProtection to false, or powered to true")
		})
	}
}

func TestAServiceThatIsOffFromTheFirstSpecOnIsCreatedBackedUpAndPoweredOff(t *testing.T) {
	a, obj := aiventest.New(t), unpowered()
	building := aiventest.Service(aiventest.Object{"state": "REBUILDING", "service_uri_params": nil})
	a.On(lookup, aiventest.Missing(), building, aiventest.Service(nil))
	a.On("POST service", aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(aiventest.Object{"state": "REBUILDING"})}))
	a.On(backups, noBackups(), noBackups(), oneBackup())
	a.On(put, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(aiventest.Object{"state": "POWEROFF"})}))

	c := start(t, a, obj)
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	require.False(t, o.Remote.Exists)
	require.Empty(t, o.WaitFor, "a service that doesn't exist has no backup to wait for")
	_, err = c.Create(t.Context(), obj)
	require.NoError(t, err)
	assert.NotContains(t, a.Calls()[1], "powered", "ServiceCreate has no such field")

	for _, waits := range []bool{true, true, false} {
		c = start(t, a, obj)
		o, err = c.Observe(t.Context(), obj)
		require.NoError(t, err)
		assert.Equal(t, waits, o.WaitFor != "")
		assert.Equal(t, []string{"spec.powered"}, o.Diff.Paths())
	}
	a.Calls()
	o, err = c.Update(t.Context(), obj, o)
	require.NoError(t, err)
	assert.False(t, o.Remote.Active)
	assert.Equal(t, []string{put + ` {"cloud":"google-europe-west1","plan":"startup-4","powered":false,"project_vpc_id":null}`}, a.Calls())
}

// neverBackedUp is a type whose services have backups only with an option.
func neverBackedUp(t *testing.T, a *aiventest.Aiven) controllers.AivenController[pg] {
	d := definition()
	d.BackupsOff = Option{Name: "pg_version", Value: "16"}
	return d.Controller(controllers.Env{Client: a.Client(), Refs: referencetest.Resolve(t, object(), nil)})
}

func option(version string) func(obj pg) {
	return func(obj pg) { obj.Spec.UserConfig = &pguserconfig.PgUserConfig{PgVersion: ptr.To(version)} }
}

func TestAServiceThatNeverHasABackupIsNotPoweredOff(t *testing.T) {
	reports := func(version string) aiventest.Answer {
		return aiventest.Service(aiventest.Object{"user_config": aiventest.Object{"pg_version": version}})
	}
	for name, tc := range map[string]struct {
		obj     pg
		found   aiventest.Answer
		backups aiventest.Answer
		invalid bool
		err     string
		waitFor string
		paths   []string
	}{
		"a new one isn't created":                 {obj: unpowered(option("16")), found: aiventest.Missing(), invalid: true},
		"a new one that has backups is":           {obj: unpowered(option("17")), found: aiventest.Missing()},
		"one that is to be on is":                 {obj: edited(option("16")), found: aiventest.Missing()},
		"one that runs is refused":                {obj: unpowered(option("16")), found: reports("16"), backups: noBackups(), invalid: true},
		"also if the spec leaves the option open": {obj: unpowered(), found: reports("16"), backups: noBackups(), invalid: true},
		"and if something else changes, too":      {obj: unpowered(option("16"), tagged), found: reports("16"), backups: noBackups(), invalid: true},
		"one that has a backup is powered off":    {obj: unpowered(option("16")), found: reports("16"), backups: oneBackup(), paths: []string{"spec.powered"}},
		"one whose spec was applied waits":        {obj: unpowered(option("16"), accepted), found: reports("16"), backups: noBackups(), waitFor: messageBackup, paths: []string{"spec.powered"}},
		"one that will have a backup waits":       {obj: unpowered(option("17")), found: reports("17"), backups: noBackups(), waitFor: messageBackup, paths: []string{"spec.powered"}},
		"what turns backups on doesn't wait":      {obj: unpowered(option("17")), found: reports("16"), backups: noBackups(), paths: []string{"spec.userConfig.pg_version"}},
		"an error of the list of backups is kept": {obj: unpowered(option("16")), found: reports("16"), backups: aiventest.Refused(500, "oops"), err: "listing backups of my-pg: ", paths: []string{"spec.powered"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.found)
			a.On(backups, tc.backups)
			o, err := neverBackedUp(t, a).Observe(t.Context(), tc.obj)
			assert.Equal(t, tc.invalid, fault.Is(err, fault.Invalid))
			if tc.invalid {
				assert.EqualError(t, err, "spec.powered: can't be false while spec.userConfig.pg_version is 16: without a backup, the service would "+
					"lose its data. Change the option, or set powered to true")
				return
			}
			if tc.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.err)
			}
			assert.Equal(t, tc.waitFor, o.WaitFor)
			if tc.paths != nil {
				assert.Equal(t, tc.paths, o.Diff.Paths())
			}
		})
	}
}

func tagged(obj pg) { obj.Spec.Tags = map[string]string{"team": "orders"} }

func TestOtherChangesAreMadeWithoutPoweringOff(t *testing.T) {
	a, obj := aiventest.New(t), unpowered(option("17"))
	a.On(lookup, aiventest.Service(aiventest.Object{"user_config": aiventest.Object{"pg_version": "16"}}))
	a.On(backups, noBackups())
	a.On(put, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
	c := start(t, a, obj)
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	a.Calls()
	_, err = c.Update(t.Context(), obj, o)
	require.NoError(t, err)
	assert.Equal(t, []string{put + ` {"cloud":"google-europe-west1","plan":"startup-4","powered":true,"project_vpc_id":null,"user_config":{"pg_version":"17"}}`}, a.Calls())
}

func TestAServiceIsNoReplicaOfItself(t *testing.T) {
	obj := edited(func(obj pg) {
		obj.Spec.ServiceIntegrations = []*v1alpha1.ServiceIntegrationItem{{IntegrationType: "read_replica", SourceServiceName: obj.Name}}
	})
	a := aiventest.New(t)
	a.On(lookup, aiventest.Missing())
	_, err := start(t, a, obj).Observe(t.Context(), obj)
	assert.True(t, fault.Is(err, fault.Invalid))
	require.ErrorContains(t, err, "spec.serviceIntegrations: a service can't be a replica of itself. Remove the field")
	assert.Equal(t, []string{lookup}, a.Calls())
}

func TestAServiceIsNoForkOfItself(t *testing.T) {
	const name, other = "my-pg", "another-project"
	for says, tc := range map[string]struct {
		options pguserconfig.PgUserConfig
		field   string // empty for what may be asked for
	}{
		"itself": {pguserconfig.PgUserConfig{ServiceToForkFrom: ptr.To(name)}, "service_to_fork_from"},
		"itself, by the name of its project": {
			pguserconfig.PgUserConfig{ServiceToForkFrom: ptr.To(name), ProjectToForkFrom: ptr.To(aiventest.Project)}, "service_to_fork_from",
		},
		"itself, by the deprecated option": {pguserconfig.PgUserConfig{PgServiceToForkFrom: ptr.To(name)}, "pg_service_to_fork_from"},
		"one of its name in another project": {
			pguserconfig.PgUserConfig{ServiceToForkFrom: ptr.To(name), ProjectToForkFrom: ptr.To(other)}, "",
		},
		"another one": {pguserconfig.PgUserConfig{ServiceToForkFrom: ptr.To("main")}, ""},
	} {
		t.Run(says, func(t *testing.T) {
			obj := edited(func(obj pg) { obj.Spec.UserConfig = &tc.options })
			a := aiventest.New(t)
			a.On(lookup, aiventest.Missing())
			_, err := start(t, a, obj).Observe(t.Context(), obj)
			if tc.field == "" {
				require.NoError(t, err)
				return
			}
			assert.True(t, fault.Is(err, fault.Invalid))
			require.ErrorContains(t, err, "spec.userConfig."+tc.field+": a service can't be a fork of itself. Remove the field")
			assert.Equal(t, []string{lookup}, a.Calls())
		})
	}
}

func TestPoweringOffWhatLosesItsDataIsConfirmed(t *testing.T) {
	running, off := aiventest.Service(nil), aiventest.Service(aiventest.Object{"state": "POWEROFF"})
	for name, tc := range map[string]struct {
		obj       pg
		found     aiventest.Answer
		confirmed bool
		paths     []string
		held      bool
		later     bool // a service is created running
	}{
		"it is held":                         {obj: unpowered(), found: running, held: true},
		"also under a spec that was applied": {obj: unpowered(accepted), found: running, held: true},
		"the rest of the spec isn't":         {obj: unpowered(tagged), found: running, held: true, paths: []string{"spec.tags"}},
		"it is made once it is confirmed":    {obj: unpowered(tagged), found: running, confirmed: true, paths: []string{"spec.powered", "spec.tags"}},
		"one that is off stays so":           {obj: unpowered(), found: off},
		"powering on loses nothing":          {obj: object(), found: off, paths: []string{"spec.powered"}},
		"a new one has nothing to lose":      {obj: unpowered(), found: aiventest.Missing(), later: true},
	} {
		t.Run(name, func(t *testing.T) {
			a, d := aiventest.New(t), definition()
			a.On(lookup, tc.found)
			d.OffLosesData = "all is lost"
			c := d.Controller(controllers.Env{Client: a.Client(), Refs: referencetest.Resolve(t, tc.obj, nil), MayLoseData: tc.confirmed})
			o, err := c.Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			assert.Empty(t, o.WaitFor, "no backup has what is lost")
			assert.ElementsMatch(t, tc.paths, o.Diff.Paths())
			if tc.held {
				assert.Equal(t, []v1alpha1.DriftEntry{{Path: "spec.powered", Wanted: "false", Found: "true"}}, o.Held.Diff.Entries())
				assert.Equal(t, "spec.powered is false: all is lost", o.Held.Loss)
				return
			}
			assert.Zero(t, o.Held.Diff)
			assert.Zero(t, o.Held.Loss)
			assert.Equal(t, tc.later, len(o.Held.Later) > 0)
		})
	}
}

func TestAnUpdateOfTheRestPowersNothingOff(t *testing.T) {
	a, d, obj := aiventest.New(t), definition(), unpowered(func(obj pg) { obj.Spec.Plan = "business-8" })
	a.On(lookup, aiventest.Service(nil))
	a.On(put, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
	d.OffLosesData = "all is lost"
	c := d.Controller(controllers.Env{Client: a.Client(), Refs: referencetest.Resolve(t, obj, nil)})
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	a.Calls()
	_, err = c.Update(t.Context(), obj, o)
	require.NoError(t, err)
	assert.Equal(t, []string{put + ` {"cloud":"google-europe-west1","plan":"business-8","powered":true,"project_vpc_id":null}`}, a.Calls())
}
