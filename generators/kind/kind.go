package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Places that are no type of service.
const (
	inProject      = "project"
	inOrganization = "organization"
	inService      = "service" // the kind is a service
	anywhere       = "anywhere"
)

// product is what Aiven sells as one service: a type of service, and its kind.
type product struct{ serviceType, kind, folder, title, plan string }

var products = []product{
	{"clickhouse", "Clickhouse", "clickhouse", "Aiven for ClickHouse", "startup-16"},
	{"flink", "Flink", "flink", "Aiven for Apache Flink", "business-4"},
	{"grafana", "Grafana", "grafana", "Aiven for Grafana", "startup-1"},
	{"kafka", "Kafka", "kafka", "Aiven for Apache Kafka", "business-4"},
	{"kafka_connect", "KafkaConnect", "kafkaconnect", "Aiven for Apache Kafka Connect", "startup-4"},
	{"mysql", "MySQL", "mysql", "Aiven for MySQL", "startup-4"},
	{"opensearch", "OpenSearch", "opensearch", "Aiven for OpenSearch", "startup-4"},
	{"pg", "PostgreSQL", "postgres", "Aiven for PostgreSQL", "startup-4"},
	{"valkey", "Valkey", "valkey", "Aiven for Valkey", "startup-4"},
}

// Where kinds outside of services are: those whose names begin with that of integrations, and all others.
var (
	integrations = product{kind: "ServiceIntegration", folder: "integration", title: "service integrations"}
	account      = product{folder: "account"}
)

// group is a struct that specs embed. The recorded schema of its example has its fields as they are in Go.
type group struct {
	name, example string
	fields        []string
}

// groups are in the order in which specs embed them. The first that fits wins over those with a part of its fields.
var groups = []group{
	{"ServiceCommonSpec", "PostgreSQL", slices.Concat(base, []string{"disk_space"}, secret)},
	{"BaseServiceFields", "PostgreSQL", base},
	{"ServiceDependant", "Database", []string{"project", "authSecretRef", "serviceName"}},
	{"ProjectDependant", "Database", []string{"project", "authSecretRef"}},
	{"AuthSecretRefField", "Database", []string{"authSecretRef"}},
	{"SecretFields", "ServiceUser", secret},
}

var (
	secret = []string{"connInfoSecretTarget", "connInfoSecretTargetDisabled"}
	base   = []string{
		"project", "authSecretRef", "plan", "cloudName", "projectVpcId", "projectVPCRef", "maintenanceWindowDow",
		"maintenanceWindowTime", "terminationProtection", "tags", "serviceIntegrations", "technicalEmails", "powered",
	}
)

// kind is the kind to write.
type kind struct {
	*recorded
	in      string
	product product
	embeds  []string // groups of the spec
	own     *schema  // the spec without them
}

func newKind(root, name, in string) (*kind, error) {
	r, err := readRecorded(root, name)
	if err != nil {
		return nil, err
	}
	k := &kind{recorded: r, in: in, own: &schema{}, product: account}
	*k.own = *r.Spec
	k.own.Properties = maps.Clone(r.Spec.Properties)
	if err := k.embed(root); err != nil {
		return nil, err
	}
	return k, k.place()
}

// place finds the product, and refuses a place that the spec doesn't name.
func (k *kind) place() error {
	needed := map[string]string{inProject: "project", inOrganization: "organizationId", inService: "plan", anywhere: "authSecretRef"}[k.in]
	known := []string{inService, inProject, inOrganization, anywhere}
	if strings.HasPrefix(k.Names.Kind, integrations.kind) {
		k.product = integrations
	}
	for _, p := range products {
		known = append(known, p.serviceType)
		switch {
		case k.in == inService && p.kind == k.Names.Kind:
			k.product = p
		case k.in == p.serviceType:
			k.product, needed = p, "serviceName"
		}
	}
	if !slices.Contains(known, k.in) {
		return fmt.Errorf("unknown place %q: the known ones are %s", k.in, strings.Join(known, ", "))
	}
	if k.Spec.Properties[needed] == nil {
		return fmt.Errorf("%s can't be in %q: it has no spec.%s", k.Names.Kind, k.in, needed)
	}
	if k.isService() && k.product.serviceType == "" {
		return fmt.Errorf("unknown service %s: add its type, folder, title and a plan to products in generators/kind/kind.go", k.Names.Kind)
	}
	return nil
}

// embed takes the shared groups out of the spec.
func (k *kind) embed(root string) error {
	for _, g := range groups {
		example, err := readRecorded(root, g.example)
		if err != nil {
			return err
		}
		fits := !slices.ContainsFunc(g.fields, func(name string) bool {
			own := k.own.Properties[name]
			return own == nil || !same(own, example.Spec.Properties[name])
		})
		if !fits {
			continue
		}
		k.embeds = append(k.embeds, g.name)
		for _, name := range g.fields {
			delete(k.own.Properties, name)
		}
		k.own.Required = slices.DeleteFunc(slices.Clone(k.own.Required), func(name string) bool { return slices.Contains(g.fields, name) })
		k.own.Rules = slices.DeleteFunc(slices.Clone(k.own.Rules), func(r rule) bool {
			return slices.ContainsFunc(g.fields, func(name string) bool { return r.Rule == "has(oldSelf."+name+") == has(self."+name+")" })
		})
	}
	return nil
}

func (k *kind) isService() bool { return k.in == inService }

// inAService reports whether the kind lives in a service.
func (k *kind) inAService() bool { return !k.isService() && k.product.serviceType != "" }

// has reports whether the spec embeds one of some groups.
func (k *kind) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(k.embeds, name) })
}

// publishes reports whether the kind has a connection Secret.
func (k *kind) publishes() bool { return k.has("SecretFields", "ServiceCommonSpec") }

// short is the name in the package of the product, which it doesn't repeat.
func (k *kind) short() string {
	if k.isService() {
		return "Service"
	}
	if k.product == account {
		return k.Names.Kind
	}
	name, words := k.Names.Kind, splitWords(k.Names.Kind)
	for i, word := range splitWords(k.product.kind) {
		if i >= len(words)-1 || words[i] != word {
			break
		}
		name = name[len(word):]
	}
	return name
}

// file is the name of the controller's file.
func (k *kind) file() string {
	return "controllers/kinds/" + k.product.folder + "/" + strings.ToLower(k.short()) + ".go"
}

// object is the name of the example's object.
func (k *kind) object() string {
	parts := splitWords(k.short())
	if k.isService() {
		return "my-" + k.Names.Singular
	}
	return "my-" + strings.Join(parts, "-")
}

// splitWords returns the words of a name in camel case, in lower case: SchemaRegistryACL has three.
func splitWords(name string) []string {
	var out []string
	letters := []rune(name)
	for i, r := range letters {
		begins := i == 0 || unicode.IsUpper(r) &&
			(unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
		if begins {
			out = append(out, "")
		}
		out[len(out)-1] += string(unicode.ToLower(r))
	}
	return out
}
