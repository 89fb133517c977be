package localaiven

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Variants are switches for what Aiven does in some cases only, or may do: clients have to get along with either. The zero
// value is the usual behaviour.
type Variants struct {
	// OmitACLs leaves acl, kafka_acl and schema_registry_acl out of ServiceGet and ServiceList.
	OmitACLs bool
	// NoBackups are types of services that have no backups, besides kafka_connect, which never has any.
	NoBackups []string
	// NullConnectionInfo are fields of connection_info that are null; "all" is the whole of it.
	NullConnectionInfo []string
	// EndpointNamesByType lets integration endpoints of different types have the same name.
	EndpointNamesByType bool
	// RedactEndpoints redacts secrets of integration endpoints also where include_secrets asks for them.
	RedactEndpoints bool
	// MergeQuotas keeps the limits of a quota that a request leaves out, instead of replacing the quota as a whole.
	MergeQuotas bool
	// DuplicateSteps accepts a step of the upgrade pipeline that is identical to another one.
	DuplicateSteps bool
	// ExtendedACL shows extended_acl with the ACLs of OpenSearch, which the public client doesn't know.
	ExtendedACL bool
	// OmitBilling shows projects without billing_address, billing_currency, billing_extra_text and country_code.
	OmitBilling bool
}

// switches are the variants that are on or off, by their names on the command line.
var switches = map[string]func(*Variants) *bool{
	"duplicate-steps":        func(v *Variants) *bool { return &v.DuplicateSteps },
	"endpoint-names-by-type": func(v *Variants) *bool { return &v.EndpointNamesByType },
	"extended-acl":           func(v *Variants) *bool { return &v.ExtendedACL },
	"merge-quotas":           func(v *Variants) *bool { return &v.MergeQuotas },
	"omit-acls":              func(v *Variants) *bool { return &v.OmitACLs },
	"omit-billing":           func(v *Variants) *bool { return &v.OmitBilling },
	"redact-endpoints":       func(v *Variants) *bool { return &v.RedactEndpoints },
}

// VariantNames are the names that Enable knows, in order.
func VariantNames() []string { return slices.Sorted(maps.Keys(switches)) }

// Enable turns a variant on, by its name on the command line.
func (v *Variants) Enable(name string) error {
	field, known := switches[name]
	if !known {
		return fmt.Errorf("unknown variant %q: have %s", name, strings.Join(VariantNames(), ", "))
	}
	*field(v) = true
	return nil
}

// allConnectionInfo in Variants.NullConnectionInfo is connection_info itself.
const allConnectionInfo = "all"

// apply changes how a service is shown.
func (v *Variants) apply(b *serviceBody) {
	if v.OmitACLs {
		b.ACL, b.KafkaACL, b.SchemaRegistryACL = nil, nil, nil
	}
	if len(v.NullConnectionInfo) > 0 {
		b.ConnectionInfo = v.connectionInfo(b.ConnectionInfo)
	}
}

// connectionInfo is connection_info with some of its fields null.
func (v *Variants) connectionInfo(info any) any {
	var fields map[string]any
	body, err := json.Marshal(info)
	if err != nil || json.Unmarshal(body, &fields) != nil || slices.Contains(v.NullConnectionInfo, allConnectionInfo) {
		return nil
	}
	for _, name := range v.NullConnectionInfo {
		if _, known := fields[name]; known {
			fields[name] = nil
		}
	}
	return fields
}

// noBackups reports whether services of the type have no backups.
func (v *Variants) noBackups(k *kind) bool {
	return k.noBackups || slices.Contains(v.NoBackups, k.name)
}
