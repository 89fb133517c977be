package impact

// access is who may do what.
var access = []row{
	{of("KafkaACL"), "spec.permission", nil, does(AccessLost), operator, "the rule is replaced: its clients have the former permission no longer"},
	{of("KafkaACL"), "spec.topic", nil, does(AccessLost), operator, "the rule is replaced: its clients have no permission for the former topics"},
	{of("KafkaACL"), "spec.username", nil, does(AccessLost), operator, "the rule is replaced: the former user has the permission no longer"},
	{of("ServiceUser"), "spec.accessControl*", nil, does(AccessLost), operator, "the user has only the permissions that are in the spec"},
	{of("ServiceUser"), "spec.authentication", nil, does(AccessLost), assumed, "clients that don't know the method can't log in"},
	{of("ServiceUser", "ClickhouseUser"), "spec.connInfoSecretSource*", nil, does(AccessLost), operator, "clients can't log in with the former password"},
	{of("ClickhouseGrant"), "spec.privilegeGrants*", revoked, does(AccessLost), operator, "a privilege is revoked"},
	{of("ClickhouseGrant"), "spec.roleGrants*", revoked, does(AccessLost), operator, "a role is revoked"},
	{of("OpenSearchACLConfig"), "spec.enabled", to(true), does(AccessLost), described, "users have only the permissions that rules give them"},
	{of("OpenSearchACLConfig"), "spec.acls*", removed, does(AccessLost), operator, "a rule is removed or changed: the user has the former permission no longer"},
	{of("ConnectionPool"), "spec.poolMode", nil, does(Restart), assumed, "connections of the pool are cut, and sessions may lose what they have set"},
	{of("ConnectionPool"), "spec.poolSize", less, does(AccessLost), product, "clients wait for a connection sooner"},
}

// revoked is a statement that Aiven has, and the spec doesn't.
func revoked(_, to any) bool { return to == nil }

// account is what is outside of services.
var account = []row{
	{of("Project"), "spec.cardId", nil, does(Cost), documented, billed},
	{of("Project"), "spec.billingCurrency", nil, does(Cost), documented, billed},
	{of("OrganizationProject"), "spec.billingGroupId", nil, does(Cost), documented, billed},
	{of("Project"), "spec.accountId", nil, does(AccessLost, Cost), documented, moved},
	{of("OrganizationProject"), "spec.parentId", nil, does(AccessLost), documented, moved},
}

const (
	billed = "services are charged elsewhere"
	moved  = "the project moves, and with it who may use it"
)
