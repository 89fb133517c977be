package localaiven

import (
	"slices"

	client "github.com/aiven/go-client-codegen/handler/clickhouse"

	"github.com/aero-operator/aero/tests/localaiven/clickhouseapi"
	"github.com/aero-operator/aero/tests/localaiven/clickhousesql"
	"github.com/aero-operator/aero/tests/localaiven/engine"
)

func (s *Server) clickHouseUserList(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	return map[string]any{"users": clickhouseapi.Users(s.readCatalog(c, svc), svc.admin().name)}, nil
}

func (s *Server) clickHouseUserCreate(c *call) (any, *apiError) {
	var in client.ServiceClickHouseUserCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if !userName.MatchString(in.Name) {
		return nil, badRequest("Invalid name '%s': must consist of letters, digits, dots, underscores and dashes, "+
			"not start with a dot or dash, and be at most 63 characters long", in.Name)
	}
	password, fail := clickHousePassword(in.Password)
	if fail != nil {
		return nil, fail
	}
	var roles []string
	if in.Roles != nil {
		for _, role := range *in.Roles {
			roles = append(roles, role.Uuid)
		}
	}
	var shown clickhouseapi.User
	fail = s.edit(c, "creating the user", edit{
		check: func(svc *service) *apiError { return svc.checkClickHouseUser(in.Name, roles) },
		do:    setClickHouseUser(in.Name, password),
		apply: func(svc *service) {
			made, _ := svc.clickhouse.AddUser(in.Name, roles) // check saw that it's a new one
			shown = clickhouseapi.NewUser(made, svc.admin().name)
			shown.Password = &password
		},
	})
	if fail != nil {
		return nil, fail
	}
	return map[string]any{"user": shown}, nil
}

// checkClickHouseUser reports whether a user of this name could be made, with roles by their ids.
func (svc *service) checkClickHouseUser(name string, roles []string) *apiError {
	if slices.ContainsFunc(svc.clickhouse.Users(), func(u clickhousesql.User) bool { return u.Name == name }) {
		return alreadyExists("User", name)
	}
	known := svc.clickhouse.Roles()
	for _, id := range roles {
		if !slices.ContainsFunc(known, func(r clickhousesql.Role) bool { return r.ID == id }) {
			return badRequest("Invalid roles: there is no role with uuid '%s'", id)
		}
	}
	return nil
}

// clickHousePassword is the given one, or one of ours where none is.
func clickHousePassword(given *string) (string, *apiError) {
	switch {
	case given == nil:
		return newPassword(), nil
	case len(*given) < 8 || len(*given) > 256:
		return "", badRequest("Invalid password: must be 8 to 256 characters long")
	}
	return *given, nil
}

func setClickHouseUser(name, password string) func(*service, engine.Instance) error {
	return func(_ *service, i engine.Instance) error {
		ctx, cancel := engineContext()
		defer cancel()
		return i.Users().Set(ctx, engine.Credential{Username: name, Password: password})
	}
}

// clickHouseUser finds the one whose id is in the path.
func (svc *service) clickHouseUser(id string) (clickhousesql.User, *apiError) {
	users := svc.clickhouse.Users()
	if i := slices.IndexFunc(users, func(u clickhousesql.User) bool { return u.ID == id }); i >= 0 {
		return users[i], nil
	}
	return clickhousesql.User{}, notFound("User")
}

func (s *Server) clickHouseUserDelete(c *call) (any, *apiError) {
	var u clickhousesql.User
	return nil, s.edit(c, "deleting the user", edit{
		check: func(svc *service) (fail *apiError) {
			if u, fail = svc.clickHouseUser(c.param("user")); fail == nil && u.Name == svc.admin().name {
				return forbidden("The main service user cannot be deleted")
			}
			return fail
		},
		do: func(_ *service, i engine.Instance) error {
			ctx, cancel := engineContext()
			defer cancel()
			return i.Users().Remove(ctx, u.Name)
		},
		apply: func(svc *service) { svc.clickhouse.RemoveUser(u.ID) },
	})
}

// clickHousePasswordReset gives a user the password in the request, or a new one.
func (s *Server) clickHousePasswordReset(c *call) (any, *apiError) {
	var in client.ServiceClickHousePasswordResetIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	password, fail := clickHousePassword(in.Password)
	if fail != nil {
		return nil, fail
	}
	var u clickhousesql.User
	fail = s.edit(c, "resetting the password", edit{
		check: func(svc *service) (fail *apiError) {
			u, fail = svc.clickHouseUser(c.param("user"))
			return fail
		},
		do: func(svc *service, i engine.Instance) error { return setClickHouseUser(u.Name, password)(svc, i) },
		apply: func(svc *service) {
			if u.Name == svc.admin().name {
				svc.admin().password = &password // which ServiceGet shows
			}
		},
	})
	if fail != nil {
		return nil, fail
	}
	return map[string]string{"password": password}, nil
}

// withClickHouse lets an instance of ClickHouse answer queries from the catalog of its service.
func withClickHouse(i engine.Instance, svc *service) {
	if instance, ok := i.(engine.ClickHouse); ok {
		instance.SetCatalog(svc.clickhouse)
	}
}
