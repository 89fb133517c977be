package localaiven

import (
	"encoding/json"
	"net/http"
	"regexp"
)

var amount = regexp.MustCompile(`^[0-9]+\.[0-9]{2}$`)

// PatchProject sets what is still to be paid for a project, in USD, such as "12.50". One with an open balance can't be
// deleted; "0.00" settles it.
func (s *Server) PatchProject(project, estimatedBalance string) error {
	if fail := s.patchProject(project, estimatedBalance); fail != nil {
		return fail
	}
	return nil
}

func (s *Server) patchProject(name, balance string) *apiError {
	if !amount.MatchString(balance) {
		return badRequest("Invalid estimated_balance '%s': must be an amount such as 12.50", balance)
	}
	s.account.mu.Lock() // a change by the API would write the old balance back
	defer s.account.mu.Unlock()
	p, fail := s.project(name)
	if fail != nil {
		return fail
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.details.balance = balance
	p.touched(s.clock.Now())
	return nil
}

func (s *Server) adminPatchProject(r *http.Request) (any, *apiError) {
	var in struct {
		Balance string `json:"estimated_balance"`
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return nil, badRequest("Invalid change of a project: %v", err)
	}
	return nil, s.patchProject(r.PathValue("project"), in.Balance)
}
