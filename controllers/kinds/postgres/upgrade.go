package postgres

import (
	"context"
	"fmt"
	"slices"
	"sync"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const pathVersion = "spec.userConfig.pg_version"

// upgrade is a change of a service to another major version.
type upgrade struct{ project, service, version string }

// upgrades lets a service change its major version only after Aiven has checked that its data survives that. It
// remembers the checks that run: without the memory, a check would be made once more, which harms nothing.
type upgrades struct{ running sync.Map } // upgrade to the id of its check

// check refuses an update that changes the version, until Aiven has agreed.
func (u *upgrades) check(ctx context.Context, env controllers.Env, s *aiven.Service, diff controllers.Diff) error {
	i := slices.IndexFunc(diff, func(d v1alpha1.DriftEntry) bool { return d.Path == pathVersion })
	if i < 0 {
		return nil
	}
	wanted := upgrade{s.Project, s.Name, diff[i].Wanted}
	task, err := u.look(ctx, env, wanted)
	switch {
	case err != nil:
		return err
	case task.Success:
		u.running.Delete(wanted)
		return nil
	case task.Result == "":
		return fault.NotYet(fmt.Sprintf("Aiven is checking whether the service can be upgraded to version %s", wanted.version))
	default:
		u.running.Delete(wanted)
		return fault.InvalidSpec(pathVersion, fault.Redact(task.Result))
	}
}

// look reads the check of an upgrade, which it begins if there is none. Neither is waited for.
func (u *upgrades) look(ctx context.Context, env controllers.Env, wanted upgrade) (*avnservice.ServiceTaskGetOut, error) {
	client := env.Client.API()
	known, _ := u.running.Load(wanted)
	id, _ := known.(string)
	if id == "" {
		begun, err := client.ServiceTaskCreate(ctx, wanted.project, wanted.service, &avnservice.ServiceTaskCreateIn{
			TaskType:     avnservice.TaskTypeUpgradeCheck,
			UpgradeCheck: &avnservice.UpgradeCheckIn{TargetVersion: wanted.version},
		})
		if err != nil {
			return nil, fmt.Errorf("beginning the upgrade check: %w", err)
		}
		id = begun.TaskId
		u.running.Store(wanted, id)
	}
	task, err := client.ServiceTaskGet(ctx, wanted.project, wanted.service, id)
	if fault.Is(err, fault.NotFound) {
		u.running.Delete(wanted)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the upgrade check: %w", err)
	}
	return task, nil
}
