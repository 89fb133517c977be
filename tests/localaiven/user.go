package localaiven

import (
	"crypto/rand"
	"errors"
	"regexp"
	"slices"
	"strings"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

type userBody struct {
	AccessControl map[string]any `json:"access_control"`
	Password      *string        `json:"password"`
	Type          string         `json:"type"`
	Username      string         `json:"username"`
}

var userName = regexp.MustCompile(`^[_A-Za-z0-9][-._A-Za-z0-9]{0,62}$`)

func newPassword() string { return "AVNS_" + rand.Text()[:19] }

func newAdmin(config map[string]any) *user {
	name, password := adminName, newPassword()
	if given, ok := config["admin_username"].(string); ok {
		name = given
	}
	if given, ok := config["admin_password"].(string); ok {
		password = given
	}
	return &user{name, "primary", &password, map[string]any{"pg_allow_replication": true}}
}

func (u *user) credential() engine.Credential {
	c := engine.Credential{Username: u.name}
	if u.password != nil {
		c.Password = *u.password
	}
	return c
}

func (u *user) body(secrets bool) userBody {
	b := userBody{AccessControl: u.access, Type: u.kind, Username: u.name}
	if u.password != nil {
		shown := u.shown(secrets)
		b.Password = &shown
	}
	return b
}

// shown is the password for an answer; none is empty.
func (u *user) shown(secrets bool) string {
	switch {
	case u.password == nil:
		return ""
	case secrets:
		return *u.password
	}
	return redacted
}

func (s *Server) userCreate(c *call) (any, *apiError) {
	var in client.ServiceUserCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if !userName.MatchString(in.Username) {
		return nil, badRequest("Invalid username '%s': must consist of letters, digits, dots, underscores and dashes, "+
			"not start with a dot or dash, and be at most 63 characters long", in.Username)
	}
	access, fail := accessControl(in.AccessControl)
	if fail != nil {
		return nil, fail
	}
	password := newPassword()
	u := &user{in.Username, "normal", &password, access}
	fail = s.edit(c, "creating the user", edit{
		check: func(svc *service) *apiError {
			if svc.user(u.name) != nil {
				return alreadyExists("Service user", u.name)
			}
			return nil
		},
		do:    func(svc *service, i engine.Instance) error { return setUser(svc, i, u.credential()) },
		apply: func(svc *service) { svc.users = append(svc.users, u) },
	})
	if fail != nil {
		return nil, fail
	}
	return map[string]any{"user": userBody{access, &password, u.kind, u.name}}, nil
}

// accessControl allows what means something to PostgreSQL.
func accessControl(in *client.AccessControlIn) (map[string]any, *apiError) {
	out := map[string]any{"pg_allow_replication": false}
	if in == nil {
		return out, nil
	}
	if in.PGAllowReplication != nil {
		out["pg_allow_replication"] = *in.PGAllowReplication
	}
	rest := *in
	rest.PGAllowReplication = nil
	if rest != (client.AccessControlIn{}) {
		return nil, badRequest("Invalid access_control: only pg_allow_replication applies to service type 'pg'")
	}
	return out, nil
}

func (s *Server) userGet(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	u := svc.user(c.param("user"))
	if u == nil {
		return nil, notFound("Service user")
	}
	return map[string]any{"user": u.body(true)}, nil
}

// userModify resets a password or sets access control. The public client writes the operations with dashes, older ones
// with underscores.
func (s *Server) userModify(c *call) (any, *apiError) {
	var in client.ServiceUserCredentialsModifyIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	var fail *apiError
	switch operation := strings.ReplaceAll(string(in.Operation), "_", "-"); operation {
	case string(client.ServiceUserCredentialsModifyOperationTypeResetCredentials):
		fail = s.resetPassword(c, in.NewPassword)
	case string(client.ServiceUserCredentialsModifyOperationTypeSetAccessControl):
		fail = s.setAccess(c, in.AccessControl)
	default:
		fail = badRequest("Invalid operation '%s'", in.Operation)
	}
	if fail != nil {
		return nil, fail
	}
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	return s.serviceAnswer(c, svc), nil
}

func (s *Server) resetPassword(c *call, wanted *string) *apiError {
	password := newPassword()
	if wanted != nil {
		if len(*wanted) < 8 || len(*wanted) > 256 {
			return badRequest("Invalid new_password: must be 8 to 256 characters long")
		}
		password = *wanted
	}
	return s.edit(c, "resetting credentials", edit{
		check: userExists(c.param("user")),
		do: func(svc *service, i engine.Instance) error {
			return setUser(svc, i, engine.Credential{Username: c.param("user"), Password: password})
		},
		apply: func(svc *service) { svc.user(c.param("user")).password = &password },
	})
}

func (s *Server) setAccess(c *call, in *client.AccessControlIn) *apiError {
	if in == nil {
		return badRequest("Invalid input: access_control is required")
	}
	access, fail := accessControl(in)
	if fail != nil {
		return fail
	}
	return s.edit(c, "setting access control", edit{
		check: userExists(c.param("user")),
		apply: func(svc *service) { svc.user(c.param("user")).access = access },
	})
}

func userExists(name string) func(*service) *apiError {
	return func(svc *service) *apiError {
		if svc.user(name) == nil {
			return notFound("Service user")
		}
		return nil
	}
}

// setUser gives the real role its password, and tells the pools that log in as this user. Pools change under the
// service's work lock only, which the caller holds.
func setUser(svc *service, i engine.Instance, credential engine.Credential) error {
	ctx, cancel := engineContext()
	defer cancel()
	if err := i.Users().Set(ctx, credential); err != nil {
		return err
	}
	var errs []error
	for _, p := range svc.pools {
		if p.Username == credential.Username {
			changed := p.Pool
			changed.Password = credential.Password
			_, err := i.Pools().Set(ctx, changed)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s *Server) userDelete(c *call) (any, *apiError) {
	name := c.param("user")
	return nil, s.edit(c, "deleting the user", edit{
		check: func(svc *service) *apiError {
			if svc.admin().name == name {
				return forbidden("The main service user cannot be deleted")
			}
			return userExists(name)(svc)
		},
		do: func(_ *service, i engine.Instance) error {
			ctx, cancel := engineContext()
			defer cancel()
			return i.Users().Remove(ctx, name)
		},
		apply: func(svc *service) {
			svc.users = slices.DeleteFunc(svc.users, func(u *user) bool { return u.name == name })
		},
	})
}
