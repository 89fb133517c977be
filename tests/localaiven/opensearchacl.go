package localaiven

import (
	"slices"
	"unicode/utf8"

	client "github.com/aiven/go-client-codegen/handler/opensearch"
)

// The longest names in an ACL of OpenSearch, in characters.
const (
	maxSearchUser  = 64
	maxSearchIndex = 249
)

// searchACL are the ACLs of an OpenSearch service: none, and switched off, in a new one. Its lists are never changed in
// place.
type searchACL struct {
	acls    []client.AclIn
	enabled bool
}

type searchACLBody struct {
	ACLs     []client.AclIn `json:"acls"`
	Enabled  bool           `json:"enabled"`
	Extended *bool          `json:"extended_acl,omitempty"`
}

func (s *Server) searchACLAnswer(a searchACL) map[string]searchACLBody {
	b := searchACLBody{append([]client.AclIn{}, a.acls...), a.enabled, nil}
	if s.options.Variants.ExtendedACL {
		b.Extended = new(bool)
	}
	return map[string]searchACLBody{"opensearch_acl_config": b}
}

func (s *Server) searchACLGet(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	return s.searchACLAnswer(svc.searchACL), nil
}

// searchACLSet replaces the whole. Without a list there are none.
func (s *Server) searchACLSet(c *call) (any, *apiError) {
	var in client.ServiceOpenSearchAclUpdateIn // in which missing differs from false
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	config := in.OpensearchAclConfig
	if config.Enabled == nil {
		return nil, badRequest("Invalid opensearch_acl_config: 'enabled' is required")
	}
	if config.Acls == nil {
		config.Acls = &[]client.AclIn{}
	}
	return s.setSearchACL(c, config.Acls, config.Enabled)
}

// searchACLUpdate leaves what the request doesn't name.
func (s *Server) searchACLUpdate(c *call) (any, *apiError) {
	var in client.ServiceOpenSearchAclUpdateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	return s.setSearchACL(c, in.OpensearchAclConfig.Acls, in.OpensearchAclConfig.Enabled)
}

func (s *Server) setSearchACL(c *call, acls *[]client.AclIn, enabled *bool) (any, *apiError) {
	var wanted []client.AclIn
	if acls != nil {
		checked, fail := checkSearchACLs(*acls)
		if fail != nil {
			return nil, fail
		}
		wanted = checked
	}
	var set searchACL
	fail := s.edit(c, "setting the ACLs", edit{
		check: func(svc *service) *apiError { return svc.searchSecurity.refusesACLs() },
		apply: func(svc *service) {
			if acls != nil {
				svc.searchACL.acls = wanted
			}
			if enabled != nil {
				svc.searchACL.enabled = *enabled
			}
			set = svc.searchACL
		},
	})
	return s.searchACLAnswer(set), fail
}

// checkSearchACLs returns the list without nulls in it. It doesn't ask whether the users are there.
func checkSearchACLs(acls []client.AclIn) ([]client.AclIn, *apiError) {
	seen := map[string]bool{}
	out := make([]client.AclIn, 0, len(acls))
	for _, a := range acls {
		switch {
		case a.Username == "" || utf8.RuneCountInString(a.Username) > maxSearchUser:
			return nil, badRequest("Invalid opensearch_acl_config: username '%s' must be 1 to %d characters long", a.Username, maxSearchUser)
		case seen[a.Username]:
			return nil, badRequest("Invalid opensearch_acl_config: username '%s' is there twice; list its rules together", a.Username)
		}
		seen[a.Username] = true
		for _, r := range a.Rules {
			switch {
			case r.Index == "" || utf8.RuneCountInString(r.Index) > maxSearchIndex:
				return nil, badRequest("Invalid opensearch_acl_config: index '%s' must be 1 to %d characters long", r.Index, maxSearchIndex)
			case !slices.Contains(client.PermissionTypeChoices(), string(r.Permission)):
				return nil, badRequest("Invalid opensearch_acl_config: permission '%s' must be one of %v", r.Permission, client.PermissionTypeChoices())
			}
		}
		a.Rules = append([]client.RuleIn{}, a.Rules...)
		out = append(out, a)
	}
	return out, nil
}
