package localaiven

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	client "github.com/aiven/go-client-codegen/handler/kafka"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// acl is an ACL entry of Aiven's kind, as opposed to a Kafka-native one.
type acl struct {
	ID         string `json:"id"`
	Permission string `json:"permission"`
	Topic      string `json:"topic"`
	Username   string `json:"username"`
}

// defaultACL is the one of a new service.
var defaultACL = acl{ID: "default", Permission: "admin", Topic: "*", Username: adminName}

var (
	aclUsername = regexp.MustCompile(`^[-._?*A-Za-z0-9]{1,64}$`)
	aclTopic    = regexp.MustCompile(`^[-._?*A-Za-z0-9]{1,249}$`)
)

// same reports whether both allow the same.
func (a acl) same(b acl) bool {
	b.ID = a.ID
	return a == b
}

// listOf is a list for ServiceGet, which is [] where it is empty.
func listOf[T any](items []T) *[]T {
	out := append([]T{}, items...)
	return &out
}

func aclAnswer(acls []acl) map[string]any { return map[string]any{"acl": append([]acl{}, acls...)} }

func (s *Server) aclList(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	return aclAnswer(svc.acls), nil
}

// aclAdd doesn't ask whether the user or the topic is there: both are patterns.
func (s *Server) aclAdd(c *call) (any, *apiError) {
	var in client.ServiceKafkaAclAddIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	switch {
	case !slices.Contains(client.PermissionTypeChoices(), string(in.Permission)):
		return nil, badRequest("Invalid permission '%s'", in.Permission)
	case !aclTopic.MatchString(in.Topic):
		return nil, badRequest("Invalid topic '%s': must consist of letters, digits, dots, underscores, dashes and the "+
			"wildcards * and ?, and be 1 to 249 characters long", in.Topic)
	case !aclUsername.MatchString(in.Username):
		return nil, badRequest("Invalid username '%s': must consist of letters, digits, dots, underscores, dashes and the "+
			"wildcards * and ?, and be 1 to 64 characters long", in.Username)
	}
	added := acl{"", string(in.Permission), in.Topic, in.Username}
	added.ID = "acl" + digest(fmt.Sprintf("acl %d", s.sequence.Add(1)), 11)
	return s.editACLs(c, "adding the ACL entry", func(acls []acl) ([]acl, *apiError) {
		if slices.ContainsFunc(acls, added.same) {
			return nil, &apiError{409, "Identical ACL entry already exists"}
		}
		return append(slices.Clone(acls), added), nil
	})
}

func (s *Server) aclDelete(c *call) (any, *apiError) {
	return s.editACLs(c, "deleting the ACL entry", func(acls []acl) ([]acl, *apiError) {
		left := slices.DeleteFunc(slices.Clone(acls), func(a acl) bool { return a.ID == c.param("acl") })
		if len(left) == len(acls) {
			return nil, notFound("ACL entry")
		}
		return left, nil
	})
}

// editACLs replaces the list, and answers with the new one.
func (s *Server) editACLs(c *call, doing string, change func([]acl) ([]acl, *apiError)) (any, *apiError) {
	var next []acl
	fail := s.edit(c, doing, edit{
		check: func(svc *service) (fail *apiError) {
			next, fail = change(svc.acls)
			return fail
		},
		do: func(_ *service, i engine.Instance) error {
			return withKafka(i, func(ctx context.Context, k engine.Kafka) error { return k.SetACLs(ctx, engineACLs(next)) })
		},
		apply: func(svc *service) { svc.acls = next },
	})
	return aclAnswer(next), fail
}

func engineACLs(acls []acl) []engine.ACL {
	out := make([]engine.ACL, 0, len(acls))
	for _, a := range acls {
		out = append(out, engine.ACL{Username: a.Username, Topic: a.Topic, Permission: a.Permission})
	}
	return out
}
