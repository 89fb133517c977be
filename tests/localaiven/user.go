package localaiven

import (
	"crypto/rand"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

type userBody struct {
	AccessCert    *string        `json:"access_cert,omitempty"`
	CertUntil     *string        `json:"access_cert_not_valid_after_time,omitempty"`
	AccessControl map[string]any `json:"access_control"`
	AccessKey     *string        `json:"access_key,omitempty"`
	Login         string         `json:"authentication,omitempty"`
	OldCertUntil  *string        `json:"expiring_cert_not_valid_after_time,omitempty"`
	Password      *string        `json:"password"`
	PasswordSet   *string        `json:"password_updated_time,omitempty"`
	Type          string         `json:"type"`
	Username      string         `json:"username"`
}

var userName = regexp.MustCompile(`^[_A-Za-z0-9][-._A-Za-z0-9]{0,62}$`)

func newPassword() string { return "AVNS_" + rand.Text()[:19] }

func (svc *service) newAdmin() (*user, error) {
	name, password := adminName, newPassword()
	if given, ok := svc.userConfig["admin_username"].(string); ok {
		name = given
	}
	if given, ok := svc.userConfig["admin_password"].(string); ok {
		password = given
	}
	u := &user{name: name, kind: "primary", password: &password, access: svc.kind.newAccess(svc.userConfig, true), login: svc.kind.usualLogin()}
	return u, svc.certify(u)
}

// newUser returns one with a password, and a certificate where users have one. It isn't part of the service yet.
func (svc *service) newUser(name string, access map[string]any) (*user, error) {
	password := newPassword()
	u := &user{name: name, kind: "normal", password: &password, access: access, login: svc.kind.usualLogin()}
	return u, svc.certify(u)
}

func (u *user) credential() engine.Credential {
	c := engine.Credential{Username: u.name, Access: engineAccess(u.access)}
	if u.password != nil {
		c.Password = *u.password
	}
	if u.certificate != nil {
		c.Certificate, c.Former = u.certificate.cert, u.certificate.former
	}
	return c
}

func (u *user) body(secrets bool) userBody {
	b := userBody{AccessControl: u.access, Login: u.login, Type: u.kind, Username: u.name}
	if u.password != nil {
		shown := u.shown(secrets)
		b.Password = &shown
	}
	if u.certificate != nil {
		shown := u.certificate.shown(secrets)
		b.AccessCert, b.AccessKey, b.CertUntil = &shown.cert, &shown.key, &shown.until
		if shown.previousUntil != "" {
			b.OldCertUntil = &shown.previousUntil
		}
	}
	if !u.passwordSet.IsZero() {
		set := timestamp(u.passwordSet)
		b.PasswordSet = &set
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
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	if fail := svc.kind.refuses("username", in.Username); fail != nil {
		return nil, fail
	}
	if in.MysqlGrants != nil {
		return nil, &apiError{http.StatusNotImplemented, "The local Aiven does not know mysql_grants"}
	}
	access, fail := svc.accessControl(in.AccessControl)
	if fail != nil {
		return nil, fail
	}
	u, err := svc.newUser(in.Username, access)
	if err != nil {
		return nil, s.internal(c, "creating the user", err)
	}
	if u.login, fail = svc.kind.chosenLogin(in.Authentication, u.login); fail != nil {
		return nil, fail
	}
	u.passwordSet = s.clock.Now()
	shown := u.body(true) // others may change the user once it is there
	fail = s.edit(c, "creating the user", edit{
		check: func(svc *service) *apiError {
			if svc.user(u.name) != nil {
				return alreadyExists("Service user", u.name)
			}
			return nil
		},
		do: func(svc *service, i engine.Instance) error { return setUser(svc, i, u.credential()) },
		apply: func(svc *service) {
			u.since = s.clock.Now()
			svc.users = append(svc.users, u)
		},
	})
	if fail != nil {
		return nil, fail
	}
	return map[string]any{"user": shown}, nil
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

// userModify resets a password, sets access control, or acknowledges a certificate. The public client writes the operations with dashes, older ones
// with underscores.
func (s *Server) userModify(c *call) (any, *apiError) {
	var in client.ServiceUserCredentialsModifyIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	var fail *apiError
	switch operation := strings.ReplaceAll(string(in.Operation), "_", "-"); operation {
	case string(client.ServiceUserCredentialsModifyOperationTypeResetCredentials):
		fail = s.resetPassword(c, in)
	case string(client.ServiceUserCredentialsModifyOperationTypeSetAccessControl):
		fail = s.setAccess(c, in.AccessControl)
	case string(client.ServiceUserCredentialsModifyOperationTypeAcknowledgeRenewal):
		fail = s.acknowledgeRenewal(c)
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

// acknowledgeRenewal ends what Aiven sends about a new certificate, of which answers show nothing.
func (s *Server) acknowledgeRenewal(c *call) *apiError {
	svc, fail := s.service(c)
	if fail != nil {
		return fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	switch u := svc.user(c.param("user")); {
	case u == nil:
		return notFound("Service user")
	case u.certificate == nil:
		return badRequest("Service user '%s' has no certificate", u.name)
	default:
		return nil
	}
}

func (s *Server) resetPassword(c *call, in client.ServiceUserCredentialsModifyIn) *apiError {
	svc, fail := s.service(c)
	if fail != nil {
		return fail
	}
	if _, fail := svc.kind.chosenLogin(in.Authentication, ""); fail != nil {
		return fail
	}
	password := newPassword()
	if wanted := in.NewPassword; wanted != nil {
		if length := utf8.RuneCountInString(*wanted); length < 8 || length > 256 {
			return badRequest("Invalid new_password: must be 8 to 256 characters long")
		}
		password = *wanted
	}
	return s.edit(c, "resetting credentials", edit{
		check: userExists(c.param("user")),
		do: func(svc *service, i engine.Instance) error {
			credential := svc.user(c.param("user")).credential()
			credential.Password = password
			return setUser(svc, i, credential)
		},
		apply: func(svc *service) {
			u := svc.user(c.param("user"))
			u.password, u.passwordSet = &password, s.clock.Now()
			u.login, _ = svc.kind.chosenLogin(in.Authentication, u.login) // checked before
		},
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

// setUser gives the real role its password, and the pools that log in as this user. Pools change under the
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
