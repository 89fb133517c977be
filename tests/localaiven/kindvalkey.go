package localaiven

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	client "github.com/aiven/go-client-codegen/handler/service"
)

func valkey() *kind {
	return &kind{
		name: kindValkey, description: "Valkey - In-Memory Data Store",
		families: nodes(1, 2, 3).with(small), fixedDisk: true, versionKey: "valkey_version", version: "9.0", primary: "master", dump: "scan", linked: true,
		reserved: []string{"default"},
		ports:    []string{kindValkey},
		access:   valkeyAccess, checkAccess: checkValkeyAccess,
		connect: (*service).connectValkey,
	}
}

type valkeyInfo struct {
	Valkey   []string `json:"valkey"`
	Password string   `json:"valkey_password"`
	Slave    []string `json:"valkey_slave"`
}

func (svc *service) connectValkey(b *serviceBody, secrets bool) {
	at, admin := svc.endpoints[kindValkey], svc.admin()
	password := admin.shown(secrets)
	uri := fmt.Sprintf("rediss://%s@%s:%d", login(admin.name, password), at.Host, at.Port)
	b.ServiceURI, b.ServiceURIParams = &uri, map[string]string{
		"host": at.Host, "port": strconv.Itoa(at.Port), "user": admin.name, "password": password, "ssl": "required",
	}
	b.ConnectionInfo = valkeyInfo{[]string{uri}, password, []string{}}
	b.Components = append(b.Components, newComponent(kindValkey, at))
}

// valkeyAccess allows everything. Channels are none if user_config says so, and only version 9.1 knows databases.
func valkeyAccess(config map[string]any, primary bool) map[string]any {
	channels := []string{"*"}
	if !primary && config["valkey_acl_channels_default"] == "resetchannels" {
		channels = []string{}
	}
	access := map[string]any{
		"valkey_acl_categories": []string{"+@all"}, "valkey_acl_channels": channels,
		"valkey_acl_commands": []string{}, "valkey_acl_keys": []string{"*"},
	}
	if !older(config["valkey_version"], "9.1") {
		access["valkey_acl_databases"] = []string{}
	}
	return access
}

// valkeyCategories are Valkey's own, see https://valkey.io/topics/acl/.
var valkeyCategories = []string{
	"admin", "all", "bitmap", "blocking", "connection", "dangerous", "fast", "geo", "hash", "hyperloglog", "keyspace", "list",
	"pubsub", "read", "scripting", "set", "slow", "sortedset", "stream", "string", "transaction", "write",
}

var (
	aclCommand  = regexp.MustCompile(`^[+-][A-Za-z][-_.A-Za-z0-9]*(\|[-_.A-Za-z0-9]+)?$`)
	aclPattern  = regexp.MustCompile(`^[^\s\x00]+$`)
	aclDatabase = regexp.MustCompile(`^(alldbs|resetdbs|[0-9]|[1-9][0-9]|1[01][0-9]|12[0-7])$`)
)

// checkValkeyAccess follows the syntax of Valkey's ACLs.
func checkValkeyAccess(in *client.AccessControlIn) *apiError {
	isCategory := func(rule string) bool {
		name, added := strings.CutPrefix(rule, "+@")
		removed, isRemoved := strings.CutPrefix(rule, "-@")
		return added && slices.Contains(valkeyCategories, name) || isRemoved && slices.Contains(valkeyCategories, removed)
	}
	for _, list := range []struct {
		key    string
		rules  *[]string
		valid  func(string) bool
		remedy string
	}{
		{"valkey_acl_categories", in.ValkeyAclCategories, isCategory, "must be + or - and a category, such as +@read"},
		{"valkey_acl_channels", in.ValkeyAclChannels, aclPattern.MatchString, "must be a pattern without spaces"},
		{"valkey_acl_commands", in.ValkeyAclCommands, aclCommand.MatchString, "must be + or - and a command, such as +get or -config|set"},
		{"valkey_acl_databases", in.ValkeyAclDatabases, aclDatabase.MatchString, "must be alldbs, resetdbs, or a number from 0 to 127"},
		{"valkey_acl_keys", in.ValkeyAclKeys, aclPattern.MatchString, "must be a pattern without spaces"},
	} {
		for _, rule := range given(list.rules) {
			if !list.valid(rule) {
				return badRequest("Invalid access_control.%s '%s': %s", list.key, rule, list.remedy)
			}
		}
	}
	return nil
}
