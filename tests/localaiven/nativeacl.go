package localaiven

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	client "github.com/aiven/go-client-codegen/handler/kafka"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// nativeACL is an ACL entry in the terms of Kafka itself. Other than Aiven's own it can also deny.
type nativeACL struct {
	Host           string `json:"host"`
	ID             string `json:"id"`
	Operation      string `json:"operation"`
	PatternType    string `json:"pattern_type"`
	PermissionType string `json:"permission_type"`
	Principal      string `json:"principal"`
	ResourceName   string `json:"resource_name"`
	ResourceType   string `json:"resource_type"`
}

// maxACLText bounds host, principal and resource name, in bytes.
const maxACLText = 256

var aclPrincipal = regexp.MustCompile(`^[A-Za-z]+:.+$`)

func (a nativeACL) same(b nativeACL) bool {
	b.ID = a.ID
	return a == b
}

// natural is what the entry is, in messages.
func (a nativeACL) natural() string {
	return fmt.Sprintf("%s/%s/%s/%s/%s/%s/%s",
		a.Principal, a.Host, a.ResourceType, a.PatternType, a.ResourceName, a.Operation, a.PermissionType)
}

// check names the first field that is wrong.
func (a nativeACL) check() *apiError {
	for _, field := range []struct {
		key, value string
		choices    []string
	}{
		{"operation", a.Operation, client.OperationTypeChoices()},
		{"pattern_type", a.PatternType, client.PatternTypeChoices()},
		{"permission_type", a.PermissionType, client.ServiceKafkaNativeAclPermissionTypeChoices()},
		{"resource_type", a.ResourceType, client.ResourceTypeChoices()},
	} {
		if !slices.Contains(field.choices, field.value) {
			return badRequest("Invalid %s '%s': must be one of %v", field.key, field.value, field.choices)
		}
	}
	for _, field := range []struct{ key, value string }{
		{"host", a.Host}, {"principal", a.Principal}, {"resource_name", a.ResourceName},
	} {
		if n := len(field.value); n == 0 || n > maxACLText {
			return badRequest("Invalid %s '%s': must be 1 to %d characters long", field.key, field.value, maxACLText)
		}
	}
	if !aclPrincipal.MatchString(a.Principal) {
		return badRequest("Invalid principal '%s': must have the form PrincipalType:name, such as User:alice", a.Principal)
	}
	return nil
}

// nativeACLList answers with the entries of both kinds.
func (s *Server) nativeACLList(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	return map[string]any{"acl": listOf(svc.acls), "kafka_acl": listOf(svc.kafka.nativeACLs)}, nil
}

func (s *Server) nativeACLGet(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	for _, a := range svc.kafka.nativeACLs {
		if a.ID == c.param("acl") {
			return map[string]any{"acl": a}, nil
		}
	}
	return nil, notFound("Kafka-native ACL entry")
}

func (s *Server) nativeACLAdd(c *call) (any, *apiError) {
	var in client.ServiceKafkaNativeAclAddIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	added := nativeACL{
		"*", "", string(in.Operation), string(in.PatternType), string(in.PermissionType), in.Principal, in.ResourceName, string(in.ResourceType),
	}
	if in.Host != nil {
		added.Host = *in.Host
	}
	if fail := added.check(); fail != nil {
		return nil, fail
	}
	added.ID = "acl" + digest(fmt.Sprintf("native acl %d", s.sequence.Add(1)), 11)
	fail := s.editNativeACLs(c, "adding the Kafka-native ACL entry", func(acls []nativeACL) ([]nativeACL, *apiError) {
		if slices.ContainsFunc(acls, added.same) {
			return nil, &apiError{409, "Identical ACL entry already exists"}
		}
		return append(slices.Clone(acls), added), nil
	})
	if fail != nil {
		return nil, fail
	}
	return map[string]any{"acl": added}, nil
}

func (s *Server) nativeACLDelete(c *call) (any, *apiError) {
	return nil, s.editNativeACLs(c, "deleting the Kafka-native ACL entry", func(acls []nativeACL) ([]nativeACL, *apiError) {
		left := slices.DeleteFunc(slices.Clone(acls), func(a nativeACL) bool { return a.ID == c.param("acl") })
		if len(left) == len(acls) {
			return nil, notFound("Kafka-native ACL entry")
		}
		return left, nil
	})
}

func (s *Server) editNativeACLs(c *call, doing string, change func([]nativeACL) ([]nativeACL, *apiError)) *apiError {
	var next []nativeACL
	return s.edit(c, doing, edit{
		check: func(svc *service) (fail *apiError) {
			next, fail = change(svc.kafka.nativeACLs)
			return fail
		},
		do: func(_ *service, i engine.Instance) error {
			return withKafka(i, func(ctx context.Context, k engine.Kafka) error {
				return k.SetNativeACLs(ctx, engineNativeACLs(next))
			})
		},
		apply: func(svc *service) { svc.kafka.nativeACLs = next },
	})
}

func engineNativeACLs(acls []nativeACL) []engine.NativeACL {
	out := make([]engine.NativeACL, 0, len(acls))
	for _, a := range acls {
		out = append(out, engine.NativeACL{
			Principal: a.Principal, Host: a.Host, Operation: a.Operation, Resource: a.ResourceType, Name: a.ResourceName,
			Prefixed: a.PatternType == string(client.PatternTypePrefixed),
			Deny:     a.PermissionType == string(client.ServiceKafkaNativeAclPermissionTypeDeny),
		})
	}
	return out
}
