package localaiven

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	client "github.com/aiven/go-client-codegen/handler/upgradepipeline"
)

// validationDelay is after how many days a step is validated without a request, where the request doesn't say.
const validationDelay = 7

// pipelineStep lets one service be upgraded after another one was, and that was found to be good.
type pipelineStep struct {
	Delay              int         `json:"auto_validation_delay_days"`
	DestinationProject string      `json:"destination_project_name"`
	DestinationService string      `json:"destination_service_name"`
	LastValidation     *validation `json:"last_validation"`
	SourceProject      string      `json:"source_project_name"`
	SourceService      string      `json:"source_service_name"`
	ID                 string      `json:"step_id"`
}

type validation struct {
	Comment         *string `json:"comment"`
	ValidatedAt     string  `json:"validated_at"`
	ValidatedByUser string  `json:"validated_by_user"`
}

// String is from where to where the step leads.
func (step pipelineStep) String() string {
	return step.SourceProject + "/" + step.SourceService + "/" + step.DestinationProject + "/" + step.DestinationService
}

// readSteps are the steps as the call sees them. The caller holds the account's mu.
func (s *Server) readSteps(c *call) []pipelineStep {
	if !s.lags(c) {
		return s.account.steps
	}
	then, _ := s.account.past.At(s.clock.Now().Add(-s.options.Eventual))
	return then
}

// changedSteps notes that the steps are others now. The caller holds the account's mu.
func (s *Server) changedSteps() {
	s.account.past.Remember(s.clock.Now(), func() []pipelineStep { return slices.Clone(s.account.steps) })
}

// stepIndex finds the step in the path of a call.
func stepIndex(steps []pipelineStep, c *call) (int, *apiError) {
	i := slices.IndexFunc(steps, func(s pipelineStep) bool { return s.ID == c.param("step") })
	if i < 0 {
		return i, notFound("Upgrade pipeline step")
	}
	return i, nil
}

// stepPage is a part of the list. What follows it and what is before it have cursors.
type stepPage struct {
	First      string         `json:"first"`
	Last       string         `json:"last"`
	Next       string         `json:"next,omitempty"`
	Prev       string         `json:"prev,omitempty"`
	Steps      []pipelineStep `json:"steps"`
	TotalCount int            `json:"total_count"`
}

func (s *Server) stepList(c *call) (any, *apiError) {
	if fail := s.organizationOf(c); fail != nil {
		return nil, fail
	}
	query := c.URL.Query()
	limit, fail := natural(query, "limit", 1, maxStepPage)
	if fail != nil {
		return nil, fail
	}
	start, fail := natural(query, "cursor", 0, 0)
	if fail != nil {
		return nil, fail
	}
	s.account.mu.Lock()
	defer s.account.mu.Unlock()
	return pageOfSteps(matching(s.readSteps(c), query), start, min(limit, maxStepPage)), nil
}

// maxStepPage is the most steps in an answer, whatever limit the request has.
const maxStepPage = 100

// natural reads a number of the query, which is at least least.
func natural(query url.Values, key string, least, absent int) (int, *apiError) {
	text := query.Get(key)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		return 0, badRequest("Invalid %s '%s': must be a number of at least %d", key, text, least)
	}
	return n, nil
}

// matching are the steps that the filters of a query leave.
func matching(steps []pipelineStep, query url.Values) []pipelineStep {
	out := []pipelineStep{}
	for _, step := range steps {
		fits := true
		for key, value := range map[string]string{
			"source_project_name": step.SourceProject, "source_service_name": step.SourceService,
			"destination_project_name": step.DestinationProject, "destination_service_name": step.DestinationService,
		} {
			wanted := query.Get(key)
			fits = fits && (wanted == "" || wanted == value)
		}
		if fits {
			out = append(out, step)
		}
	}
	return out
}

// pageOfSteps is the page that starts at a step. A cursor is the number of the step that a page starts at.
func pageOfSteps(steps []pipelineStep, start, limit int) stepPage {
	start = min(start, len(steps))
	end := len(steps)
	if limit < end-start {
		end = start + limit
	}
	page := stepPage{
		First: "0", Last: strconv.Itoa(max(0, len(steps)-1) / limit * limit), Steps: steps[start:end], TotalCount: len(steps),
	}
	if end < len(steps) {
		page.Next = strconv.Itoa(end)
	}
	if start > 0 {
		page.Prev = strconv.Itoa(max(0, start-limit))
	}
	return page
}

func (s *Server) stepGet(c *call) (any, *apiError) {
	if fail := s.organizationOf(c); fail != nil {
		return nil, fail
	}
	a := s.account
	a.mu.Lock()
	defer a.mu.Unlock()
	steps := s.readSteps(c)
	i, fail := stepIndex(steps, c)
	if fail != nil {
		return nil, fail
	}
	return steps[i], nil
}

func (s *Server) stepCreate(c *call) (any, *apiError) {
	if fail := s.organizationOf(c); fail != nil {
		return nil, fail
	}
	var in client.UpgradePipelineStepCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	step := pipelineStep{
		Delay: validationDelay, SourceProject: in.SourceProjectName, SourceService: in.SourceServiceName,
		DestinationProject: in.DestinationProjectName, DestinationService: in.DestinationServiceName,
	}
	if fail := step.delay(in.AutoValidationDelayDays); fail != nil {
		return nil, fail
	}
	if fail := s.checkEnds(c, step); fail != nil {
		return nil, fail
	}
	a := s.account
	a.mu.Lock()
	defer a.mu.Unlock()
	if !s.options.Variants.DuplicateSteps && slices.ContainsFunc(a.steps, func(other pipelineStep) bool { return other.String() == step.String() }) {
		return nil, alreadyExists("Upgrade pipeline step", step.String())
	}
	step.ID = newUUID(fmt.Sprintf("upgrade pipeline step %d", s.sequence.Add(1)))
	a.steps = append(a.steps, step)
	s.changedSteps()
	return step, nil
}

func (step *pipelineStep) delay(days *int) *apiError {
	if days == nil {
		return nil
	}
	if *days < 0 {
		return badRequest("Invalid auto_validation_delay_days %d: must be at least 0", *days)
	}
	step.Delay = *days
	return nil
}

// checkEnds reports whether the step leads from one service to another one of the same type.
func (s *Server) checkEnds(c *call, step pipelineStep) *apiError {
	for _, key := range []string{"source_project_name", "source_service_name", "destination_project_name", "destination_service_name"} {
		if !c.gives(key) {
			return badRequest("Invalid input: %s is required", key)
		}
	}
	var types []string
	for _, end := range [][2]string{{step.SourceProject, step.SourceService}, {step.DestinationProject, step.DestinationService}} {
		p, fail := s.project(end[0])
		if fail != nil {
			return fail
		}
		svc, fail := p.service(end[1])
		if fail != nil {
			return fail
		}
		types = append(types, svc.kind.name)
	}
	switch {
	case step.SourceProject == step.DestinationProject && step.SourceService == step.DestinationService:
		return badRequest("Invalid destination_service_name '%s': must be another service than the source", step.DestinationService)
	case types[0] != types[1]:
		return badRequest("Invalid destination_service_name '%s': its type %s is not that of the source, which is %s",
			step.DestinationService, types[1], types[0])
	}
	return nil
}

func (s *Server) stepUpdate(c *call) (any, *apiError) {
	if fail := s.organizationOf(c); fail != nil {
		return nil, fail
	}
	var in client.UpgradePipelineStepUpdateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	a := s.account
	a.mu.Lock()
	defer a.mu.Unlock()
	i, fail := stepIndex(a.steps, c)
	if fail != nil {
		return nil, fail
	}
	if fail := a.steps[i].delay(in.AutoValidationDelayDays); fail != nil {
		return nil, fail
	}
	s.changedSteps()
	return a.steps[i], nil
}

func (s *Server) stepDelete(c *call) (any, *apiError) {
	if fail := s.organizationOf(c); fail != nil {
		return nil, fail
	}
	a := s.account
	a.mu.Lock()
	defer a.mu.Unlock()
	i, fail := stepIndex(a.steps, c)
	if fail != nil {
		return nil, fail
	}
	a.steps = slices.Delete(a.steps, i, i+1)
	s.changedSteps()
	return nil, nil
}

// stepValidate says that the upgrade of a service is good. That goes for all steps which lead away from it.
func (s *Server) stepValidate(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	var in client.UpgradePipelineStepValidateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	a := s.account
	a.mu.Lock()
	defer a.mu.Unlock()
	found := false
	for i := range a.steps {
		if step := &a.steps[i]; step.SourceProject == c.param("project") && step.SourceService == svc.name {
			step.LastValidation = &validation{in.Comment, timestamp(s.clock.Now()), ownerEmail}
			found = true
		}
	}
	if !found {
		return nil, notFound("Upgrade pipeline step")
	}
	s.changedSteps()
	return nil, nil
}
