package localaiven

import (
	"net/http"

	client "github.com/aiven/go-client-codegen/handler/opensearch"
)

// searchSecurity is OpenSearch's own management of users. It is on once its admin has a password, and stays on.
type searchSecurity struct{ password string }

type searchSecurityBody struct {
	AdminEnabled bool `json:"security_plugin_admin_enabled"`
	Available    bool `json:"security_plugin_available"`
	Enabled      bool `json:"security_plugin_enabled"`
}

func (s searchSecurity) on() bool { return s.password != "" }

func (s searchSecurity) body() searchSecurityBody { return searchSecurityBody{s.on(), true, s.on()} }

// refusesACLs refuses to change Aiven's ACLs where OpenSearch manages users itself.
func (s searchSecurity) refusesACLs() *apiError {
	if s.on() {
		return badRequest("OpenSearch Security management is enabled: access control lists cannot be changed")
	}
	return nil
}

func (s *Server) searchSecurityGet(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	return svc.searchSecurity.body(), nil
}

// searchSecuritySet turns it on.
func (s *Server) searchSecuritySet(c *call) (any, *apiError) {
	var in client.ServiceOpenSearchSecuritySetIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	return s.setSearchSecurity(c, in.AdminPassword, func(now searchSecurity) *apiError {
		if now.on() {
			return &apiError{http.StatusConflict, "OpenSearch Security management is already enabled"}
		}
		return nil
	})
}

// searchSecurityReset changes the password, which the request has to know.
func (s *Server) searchSecurityReset(c *call) (any, *apiError) {
	var in client.ServiceOpenSearchSecurityResetIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	return s.setSearchSecurity(c, in.NewPassword, func(now searchSecurity) *apiError {
		switch {
		case !now.on():
			return badRequest("OpenSearch Security management is not enabled")
		case now.password != in.AdminPassword:
			return forbidden("Invalid admin_password")
		}
		return nil
	})
}

func (s *Server) setSearchSecurity(c *call, password string, check func(searchSecurity) *apiError) (any, *apiError) {
	if len(password) < 8 || len(password) > 256 {
		return nil, badRequest("Invalid password: must be 8 to 256 characters long")
	}
	set := searchSecurity{password}
	fail := s.edit(c, "setting the password of OpenSearch Security", edit{
		check: func(svc *service) *apiError { return check(svc.searchSecurity) },
		apply: func(svc *service) { svc.searchSecurity = set },
	})
	if fail != nil {
		return nil, fail
	}
	return set.body(), nil
}
