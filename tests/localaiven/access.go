package localaiven

import (
	"encoding/json"
	"maps"
	"slices"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// newAccess is the access control of a new user.
func (k *kind) newAccess(config map[string]any, primary bool) map[string]any {
	if k.access == nil {
		return map[string]any{}
	}
	return k.access(config, primary)
}

// accessControl is that of a new user with what the request sets. Each type of service has keys of its own.
func (svc *service) accessControl(in *client.AccessControlIn) (map[string]any, *apiError) {
	svc.mu.RLock()
	out := svc.kind.newAccess(svc.userConfig, false)
	svc.mu.RUnlock()
	sent := keysOf(in)
	for _, key := range slices.Sorted(maps.Keys(sent)) { // sorted: the same request always gets the same answer
		if _, known := out[key]; !known {
			return nil, badRequest("Invalid access_control: service type '%s' knows %v, not %s", svc.kind.name, slices.Sorted(maps.Keys(out)), key)
		}
		out[key] = sent[key]
	}
	if in == nil || svc.kind.checkAccess == nil {
		return out, nil
	}
	return out, svc.kind.checkAccess(in)
}

// keysOf are the keys that a request sets, with their values.
func keysOf(in *client.AccessControlIn) map[string]any {
	keys := map[string]any{}
	if body, err := json.Marshal(in); err != nil || json.Unmarshal(body, &keys) != nil {
		return nil
	}
	return keys
}

func (s *Server) setAccess(c *call, in *client.AccessControlIn) *apiError {
	if in == nil {
		return badRequest("Invalid input: access_control is required")
	}
	svc, fail := s.service(c)
	if fail != nil {
		return fail
	}
	access, fail := svc.accessControl(in)
	if fail != nil {
		return fail
	}
	return s.edit(c, "setting access control", edit{
		check: userExists(c.param("user")),
		do: func(svc *service, i engine.Instance) error {
			credential := svc.user(c.param("user")).credential()
			credential.Access = engineAccess(access)
			return setRole(svc, i, credential)
		},
		apply: func(svc *service) { svc.user(c.param("user")).access = access },
	})
}

// setRole gives the real role its access, and its password if it is known. A type without access control has nothing to
// give.
func setRole(svc *service, i engine.Instance, credential engine.Credential) error {
	if svc.kind.access == nil {
		return nil
	}
	ctx, cancel := engineContext()
	defer cancel()
	return i.Users().Set(ctx, credential)
}

// engineAccess is access control as engines take it.
func engineAccess(access map[string]any) engine.Access {
	var in client.AccessControlIn
	if body, err := json.Marshal(access); err != nil || json.Unmarshal(body, &in) != nil {
		return engine.Access{} // only the console sets values of another type, which allow nothing
	}
	return engine.Access{
		Replication: in.PGAllowReplication != nil && *in.PGAllowReplication,
		Keys:        given(in.ValkeyAclKeys), Channels: given(in.ValkeyAclChannels),
		Categories: given(in.ValkeyAclCategories), Commands: given(in.ValkeyAclCommands),
	}
}

func given(list *[]string) []string {
	if list == nil {
		return nil
	}
	return *list
}

// usualLogin is how users prove who they are where the request doesn't choose; empty where it can't.
func (k *kind) usualLogin() string {
	if len(k.logins) == 0 {
		return ""
	}
	return k.logins[0]
}

// chosenLogin is how a user proves who it is: as it was, unless the request says so.
func (k *kind) chosenLogin(asked client.AuthenticationType, was string) (string, *apiError) {
	if asked == "" || asked == client.AuthenticationTypeNull {
		return was, nil
	}
	if !slices.Contains(k.logins, string(asked)) {
		return was, badRequest("Invalid authentication '%s': service type '%s' knows %v", asked, k.name, k.logins)
	}
	return string(asked), nil
}
