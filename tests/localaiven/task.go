package localaiven

import (
	"fmt"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/userconfig"
)

// task is a check that is over as soon as it was asked for.
type task struct {
	CreateTime  string   `json:"create_time"`
	Result      string   `json:"result"`
	ResultCodes []string `json:"result_codes"`
	Success     bool     `json:"success"`
	TaskID      string   `json:"task_id"`
	TaskType    string   `json:"task_type"`
}

func (s *Server) taskCreate(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	var in client.ServiceTaskCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if in.TaskType != client.TaskTypeUpgradeCheck {
		return nil, badRequest("Invalid task_type '%s': the local Aiven only does upgrade_check", in.TaskType)
	}
	var target string
	switch {
	case in.UpgradeCheck != nil:
		target = in.UpgradeCheck.TargetVersion
	case in.TargetVersion != nil:
		target = *in.TargetVersion
	default:
		return nil, badRequest("Invalid input: upgrade_check is required")
	}
	svc.mu.Lock()
	defer svc.mu.Unlock()
	if err := userconfig.OfService(svc.kind.name).Properties[svc.kind.versionKey].Check("target_version", target); err != nil {
		return nil, badRequest("%v", err)
	}
	t := task{
		CreateTime: timestamp(s.clock.Now()), Result: "All checks passed", ResultCodes: []string{}, Success: true,
		TaskID: newUUID(fmt.Sprintf("task %d", s.sequence.Add(1))), TaskType: string(in.TaskType),
	}
	current := svc.userConfig[svc.kind.versionKey]
	switch {
	case older(target, current):
		t.Success, t.Result = false, fmt.Sprintf("Cannot go back from version %v to %s", current, target)
	case svc.upgradeFinding != "":
		t.Success, t.Result = false, svc.upgradeFinding
	}
	svc.tasks[t.TaskID] = t
	return map[string]any{"task": t}, nil
}

func (s *Server) taskGet(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	t, ok := svc.tasks[c.param("task")]
	if !ok {
		return nil, notFound("Task")
	}
	return map[string]any{"task": t}, nil
}
