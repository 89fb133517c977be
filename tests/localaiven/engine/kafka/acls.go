package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// grant is one rule of the broker: what a principal may do with one thing, or with all whose names begin like that.
type grant struct {
	principal, host string
	resource        kmsg.ACLResourceType
	name            string
	pattern         kmsg.ACLResourcePatternType
	operation       kmsg.ACLOperation
	permission      kmsg.ACLPermissionType
}

// allowed is a rule that lets a user do something with one thing.
func allowed(user string, resource kmsg.ACLResourceType, name string, operation kmsg.ACLOperation) grant {
	return grant{
		"User:" + user, everything, resource, name, kmsg.ACLResourcePatternTypeLiteral, operation, kmsg.ACLPermissionTypeAllow,
	}
}

// native is the rule of a Kafka-native ACL; false where it is about what kfake doesn't have: delegation tokens and users.
func native(acl engine.NativeACL) (grant, bool) {
	resource, err := kmsg.ParseACLResourceType(acl.Resource)
	if err != nil || resource > kmsg.ACLResourceTypeTransactionalId {
		return grant{}, false
	}
	operation, err := kmsg.ParseACLOperation(acl.Operation)
	if err != nil || operation > kmsg.ACLOperationIdempotentWrite {
		return grant{}, false
	}
	g := grant{
		acl.Principal, acl.Host, resource, acl.Name, kmsg.ACLResourcePatternTypeLiteral, operation, kmsg.ACLPermissionTypeAllow,
	}
	if acl.Prefixed {
		g.pattern = kmsg.ACLResourcePatternTypePrefixed
	}
	if acl.Deny {
		g.permission = kmsg.ACLPermissionTypeDeny
	}
	return g, true
}

// everything is a name that matches all.
const everything = "*"

// operations are what a permission of Aiven's allows on a topic.
var operations = map[string][]kmsg.ACLOperation{
	"admin":     {kmsg.ACLOperationAll},
	"read":      {kmsg.ACLOperationRead, kmsg.ACLOperationDescribe},
	"write":     {kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe},
	"readwrite": {kmsg.ACLOperationRead, kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe},
}

// grant brings the broker's rules in line: first what is new, then what is no longer there, so that no user is shut out
// in between. The caller holds the lock.
func (c *cluster) grant(ctx context.Context) error {
	want := c.wanted()
	for g := range want {
		if !c.granted[g] {
			if err := c.allow(ctx, g); err != nil {
				return err
			}
			c.granted[g] = true
		}
	}
	for _, g := range slices.Collect(maps.Keys(c.granted)) {
		if !want[g] {
			if err := c.revoke(ctx, g); err != nil {
				return err
			}
			delete(c.granted, g)
		}
	}
	return nil
}

// wanted are the rules for the users and topics that there are, and the Kafka-native ones.
func (c *cluster) wanted() map[grant]bool {
	want := map[grant]bool{}
	for _, acl := range c.native {
		if g, ok := native(acl); ok {
			want[g] = true
		}
	}
	for _, acl := range c.acls {
		for user := range c.users {
			if !matches(acl.Username, user) {
				continue
			}
			for topic := range c.topics {
				if matches(acl.Topic, topic) {
					for _, operation := range operations[acl.Permission] {
						want[allowed(user, kmsg.ACLResourceTypeTopic, topic, operation)] = true
					}
				}
			}
			if acl.Permission != "write" { // who reads does so in groups of any name
				want[allowed(user, kmsg.ACLResourceTypeGroup, everything, kmsg.ACLOperationAll)] = true
			}
			if acl.Permission != "read" { // and who writes, in transactions of any name
				want[allowed(user, kmsg.ACLResourceTypeTransactionalId, everything, kmsg.ACLOperationAll)] = true
			}
		}
	}
	return want
}

// matches reports whether a name fits a pattern, in which * is any number of characters and ? is one.
func matches(pattern, name string) bool {
	// Names have no slashes, but may have what path.Match takes for more than it is.
	fits, err := path.Match(strings.NewReplacer(`\`, `\\`, `[`, `\[`).Replace(pattern), name)
	return err == nil && fits
}

func (c *cluster) allow(ctx context.Context, g grant) error {
	creation := kmsg.NewCreateACLsRequestCreation()
	creation.ResourceType, creation.ResourceName, creation.ResourcePatternType = g.resource, g.name, g.pattern
	creation.Principal, creation.Host = g.principal, g.host
	creation.Operation, creation.PermissionType = g.operation, g.permission
	request := kmsg.NewPtrCreateACLsRequest()
	request.Creations = []kmsg.CreateACLsRequestCreation{creation}
	answer, err := request.RequestWith(ctx, c.client)
	if err == nil {
		for _, result := range answer.Results {
			err = errors.Join(err, kerr.ErrorForCode(result.ErrorCode))
		}
	}
	if err != nil {
		return fmt.Errorf("setting a rule about %s: %w", g.principal, err)
	}
	return nil
}

func (c *cluster) revoke(ctx context.Context, g grant) error {
	filter := kmsg.NewDeleteACLsRequestFilter()
	filter.ResourceType, filter.ResourceName, filter.ResourcePatternType = g.resource, &g.name, g.pattern
	filter.Principal, filter.Host = &g.principal, &g.host
	filter.Operation, filter.PermissionType = g.operation, g.permission
	request := kmsg.NewPtrDeleteACLsRequest()
	request.Filters = []kmsg.DeleteACLsRequestFilter{filter}
	answer, err := request.RequestWith(ctx, c.client)
	if err == nil {
		for _, result := range answer.Results {
			err = errors.Join(err, kerr.ErrorForCode(result.ErrorCode))
		}
	}
	if err != nil {
		return fmt.Errorf("lifting a rule about %s: %w", g.principal, err)
	}
	return nil
}
