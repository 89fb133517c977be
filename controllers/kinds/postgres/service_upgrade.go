package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/service"
)

const pathVersion = "spec.userConfig.pg_version"

// upgradeCheck is a check of Aiven's that is under way, or has passed and waits for the update. It is for one generation of
// the spec: an upgrade that was taken back may be asked for again when the data has changed.
type upgradeCheck struct {
	version, task string
	generation    int64
}

// upgradeChecks lets a service change its major version only after Aiven has checked that its data survives that. A
// check that is lost by a restart is made again, which is harmless.
type upgradeChecks struct{ running sync.Map } // UID of the object to upgradeCheck

func newUpgradeChecks() service.Checker[*v1alpha1.PostgreSQL] { return &upgradeChecks{} }

// Forget implements service.Checker.
func (u *upgradeChecks) Forget(uid types.UID) { u.running.Delete(uid) }

// Check implements service.Checker: it refuses an update that changes the version until Aiven's check has passed.
func (u *upgradeChecks) Check(
	ctx context.Context, env controllers.Env, obj *v1alpha1.PostgreSQL, s *aiven.Service, diff controllers.Diff,
) error {
	if !diff.Has(pathVersion) {
		return nil
	}
	version := ptr.Deref(obj.Spec.UserConfig.PgVersion, "")
	id, err := u.begin(ctx, env, obj, version)
	if err != nil {
		return err
	}
	task, err := aiven.Beside(env.Client, s, "ServiceTaskGet "+id, func() (*avnservice.ServiceTaskGetOut, error) {
		return env.Client.API().ServiceTaskGet(ctx, s.Project, s.Name, id)
	})
	if fault.Is(err, fault.NotFound) {
		u.Forget(obj.GetUID())
	}
	switch {
	case err != nil:
		return fmt.Errorf("reading the upgrade check: %w", err)
	case task.Success:
		return nil
	case task.Result == "":
		return fault.NotYet(fmt.Sprintf("Aiven is checking whether the service can be upgraded to version %s", version))
	default:
		u.Forget(obj.GetUID())
		return fault.InvalidSpec(pathVersion, fault.Redact(task.Result))
	}
}

// begin returns the task of the check of this version. It starts one if none is under way, and waits for nothing.
func (u *upgradeChecks) begin(ctx context.Context, env controllers.Env, obj *v1alpha1.PostgreSQL, version string) (string, error) {
	known, _ := u.running.Load(obj.GetUID())
	if check, ok := known.(upgradeCheck); ok && check.version == version && check.generation == obj.GetGeneration() {
		return check.task, nil
	}
	begun, err := env.Client.API().ServiceTaskCreate(ctx, obj.Spec.Project, obj.GetName(), &avnservice.ServiceTaskCreateIn{
		TaskType:     avnservice.TaskTypeUpgradeCheck,
		UpgradeCheck: &avnservice.UpgradeCheckIn{TargetVersion: version},
	})
	if err == nil && begun.TaskId == "" {
		err = errors.New("unclear answer: Aiven has returned no id of it") // the next attempt begins it again
	}
	if err != nil {
		return "", fmt.Errorf("starting the upgrade check: %w", err)
	}
	u.running.Store(obj.GetUID(), upgradeCheck{version: version, task: begun.TaskId, generation: obj.GetGeneration()})
	return begun.TaskId, nil
}
