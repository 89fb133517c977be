package localaiven

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	client "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"

	"github.com/aero-operator/aero/tests/localaiven/schemaregistry"
)

// registryACL is what users may do in the Schema Registry of a service.
type registryACL struct {
	ID         string `json:"id"`
	Permission string `json:"permission"`
	// Resource is a pattern: Config: is the configuration of the whole registry, Subject:NAME is one subject.
	Resource string `json:"resource"`
	Username string `json:"username"`
}

// defaultRegistryACLs are those of a new service.
func defaultRegistryACLs() []registryACL {
	write := string(client.PermissionTypeSchemaRegistryWrite)
	return []registryACL{
		{"default-sr-admin-config", write, schemaregistry.Config, adminName},
		{"default-sr-admin-subject", write, schemaregistry.Subject + "*", adminName},
	}
}

var registryResource = regexp.MustCompile(`^(Config:|Subject:[^/]{1,241})$`)

func (a registryACL) builtin() bool { return slices.Contains(defaultRegistryACLs(), a) }

// allows reports whether the entry lets a user do that; who may write may read, too.
func (a registryACL) allows(username, resource string, write bool) bool {
	if write && a.Permission != string(client.PermissionTypeSchemaRegistryWrite) {
		return false
	}
	return fits(a.Username, username) && fits(a.Resource, resource)
}

// fits reports whether a name matches a pattern, in which * is any number of characters and ? is one.
func fits(pattern, name string) bool {
	expression := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile(`^(?s:` + expression + `)$`).MatchString(name)
}

func (s *Server) registryACLList(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	return registryACLAnswer(svc.kafka.registryACLs), nil
}

func registryACLAnswer(acls []registryACL) map[string]any {
	return map[string]any{"acl": append([]registryACL{}, acls...)}
}

// registryACLAdd checks neither the user nor the subject: both are patterns. An entry that is identical to another one gets an
// id of its own.
func (s *Server) registryACLAdd(c *call) (any, *apiError) {
	var in client.ServiceSchemaRegistryAclAddIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	switch {
	case !slices.Contains(client.PermissionTypeChoices(), string(in.Permission)):
		return nil, badRequest("Invalid permission '%s': must be one of %v", in.Permission, client.PermissionTypeChoices())
	case !registryResource.MatchString(in.Resource):
		return nil, badRequest("Invalid resource '%s': must be Config: or Subject: with a name or pattern, "+
			"and be at most 249 characters long", in.Resource)
	case !aclUsername.MatchString(in.Username):
		return nil, badRequest("Invalid username '%s': must consist of letters, digits, dots, underscores, dashes and the "+
			"wildcards * and ?, and be 1 to 64 characters long", in.Username)
	}
	added := registryACL{"", string(in.Permission), in.Resource, in.Username}
	added.ID = "acl" + digest(fmt.Sprintf("registry acl %d", s.sequence.Add(1)), 11)
	return s.editRegistryACLs(c, "adding the Schema Registry ACL entry", func(acls []registryACL) ([]registryACL, *apiError) {
		return append(slices.Clone(acls), added), nil
	})
}

func (s *Server) registryACLDelete(c *call) (any, *apiError) {
	return s.editRegistryACLs(c, "deleting the Schema Registry ACL entry", func(acls []registryACL) ([]registryACL, *apiError) {
		left := slices.DeleteFunc(slices.Clone(acls), func(a registryACL) bool { return a.ID == c.param("acl") })
		if len(left) == len(acls) {
			return nil, notFound("Schema Registry ACL entry")
		}
		return left, nil
	})
}

// editRegistryACLs replaces the list, and answers with the new one.
func (s *Server) editRegistryACLs(c *call, doing string, change func([]registryACL) ([]registryACL, *apiError)) (any, *apiError) {
	var next []registryACL
	fail := s.edit(c, doing, edit{
		check: func(svc *service) (fail *apiError) {
			next, fail = change(svc.kafka.registryACLs)
			return fail
		},
		apply: func(svc *service) { svc.kafka.registryACLs = next },
	})
	return registryACLAnswer(next), fail
}
