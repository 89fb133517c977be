package localaiven

import (
	"net/http"
	"strings"

	client "github.com/aiven/go-client-codegen/handler/user"
)

// tokenUser splits an entry of Options.Tokens, user=token or a token alone. An equals sign at the end belongs to a token in
// base64.
func tokenUser(entry string) (user, token string) {
	user, token, found := strings.Cut(entry, "=")
	if !found || strings.Trim(token, "=") == "" {
		return userOf(entry), entry
	}
	if !strings.Contains(user, "@") {
		user += "@example.com"
	}
	return user, token
}

// userOf is the user of a token that belongs to none by configuration: each has its own.
func userOf(token string) string { return "user-" + tokenHash(token) + "@example.com" }

// caller is the Aiven user whose token the call has, by e-mail address.
func (s *Server) caller(c *call) string {
	t := token(c.Request)
	if user, ok := s.tokens[t]; ok {
		return user
	}
	return userOf(t)
}

// userInfo returns the user of the token. Aiven refuses it to some tokens.
func (s *Server) userInfo(c *call) (any, *apiError) {
	if s.options.RefuseUserInfo {
		return nil, forbidden("Not allowed to read the user of this token")
	}
	name := s.caller(c)
	out := client.UserInfoOut{
		Auth: []string{"token"}, CreateTime: &s.account.created, Invitations: []client.InvitationOut{},
		ProjectMembership:  map[string]client.ProjectMembershipType{},
		ProjectMemberships: map[string][]string{}, Projects: []string{},
		RealName: name, State: "active", Tenant: tenant, User: name, UserId: "u" + digest("user "+name, 12),
	}
	for _, p := range s.listed(c) {
		project := p.body(s.account).ProjectName
		out.Projects = append(out.Projects, project)
		out.ProjectMembership[project] = client.ProjectMembershipTypeAdmin
		out.ProjectMemberships[project] = []string{string(client.ProjectMembershipTypeAdmin)}
	}
	return map[string]any{"user": out}, nil
}

func (s *Server) authorize(c *call) *apiError {
	t := token(c.Request)
	_, known := s.tokens[t]
	switch {
	case t == "":
		return &apiError{http.StatusUnauthorized, "Authentication required"}
	case len(s.tokens) > 0 && !known:
		return &apiError{http.StatusUnauthorized, "Invalid token"}
	}
	return nil
}
