package connection

import "strings"

// Value is one value of an Info; empty where Aiven returns none.
type Value func(Info) string

// The values that a Layout may have, as text. Those of components are HostOf and PortOf.
var (
	Host        Value = func(i Info) string { return i.Address.Host }
	Port        Value = func(i Info) string { return i.Address.Port }
	Nodes       Value = func(i Info) string { return strings.Join(i.Nodes, ",") }
	User        Value = func(i Info) string { return i.User }
	Password    Value = func(i Info) string { return i.Password }
	Database    Value = func(i Info) string { return i.Database }
	Pool        Value = func(i Info) string { return i.Pool }
	TLSMode     Value = func(i Info) string { return i.TLSMode }
	URI         Value = func(i Info) string { return i.URI }
	ReplicaURI  Value = func(i Info) string { return i.ReplicaURI }
	RESTURI     Value = func(i Info) string { return i.RESTURI }
	RegistryURI Value = func(i Info) string { return i.RegistryURI }
	CACert      Value = func(i Info) string { return i.CACert }
	AccessCert  Value = func(i Info) string { return i.AccessCert }
	AccessKey   Value = func(i Info) string { return i.AccessKey }
)

// HostOf is the host of a component.
func HostOf(component string) Value {
	return func(i Info) string { return i.Components[component].Host }
}

// PortOf is the port of a component.
func PortOf(component string) Value {
	return func(i Info) string { return i.Components[component].Port }
}
