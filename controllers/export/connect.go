package export

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	avnconnect "github.com/aiven/go-client-codegen/handler/kafkaconnect"
	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/kafkaconnect"
)

const (
	keyName  = "name"
	keyClass = "connector.class"
)

// connectors exports connectors. Their config is replaced as a whole, so a secret in it becomes a reference to a Secret that the user
// creates.
func connectors(ctx context.Context, e *exporter, s *aiven.Service) {
	if !e.wants("KafkaConnector") || !hasConnect(s) || !e.answers(s, "connectors") {
		return
	}
	all, read := ask(ctx, e, "service "+s.Name+": connectors", func(ctx context.Context) (*avnconnect.ServiceKafkaConnectListOut, error) {
		return e.client.API().ServiceKafkaConnectList(ctx, s.Project, s.Name)
	})
	if !read {
		return
	}
	for _, failed := range all.FailedConnectors {
		e.leave(about(s, "connector", failed.Name).what, "Kafka Connect can't load it, and returns no configuration")
	}
	for _, found := range all.Connectors {
		d := about(s, "connector", found.Name)
		d.fixed = true
		declared, read := ask(ctx, e, d.what, func(ctx context.Context) (map[string]bool, error) {
			return e.passwords(ctx, s, found.Config[keyClass])
		})
		if !read {
			continue // names and values alone don't show all that is secret
		}
		obj, values := exportConnector(found.Name, found.Config, declared)
		obj.Spec.ServiceDependant = in(s)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			e.remember(string(values[key]))
			d.note("spec.userConfig."+key, fmt.Sprintf("may hold a secret: create the Secret %s with the key %s before you apply this", secretOf(found.Name), key))
		}
		d.values = values
		add(e, kafkaconnect.Connector, obj, d)
	}
}

// hasConnect reports whether a service has a Kafka Connect, with a Kafka.
func hasConnect(s *aiven.Service) bool {
	if s.Type == aiven.TypeKafka {
		return s.UserConfig["kafka_connect"] == true
	}
	return slices.ContainsFunc(s.Integrations, func(i aiven.Integration) bool {
		return i.IntegrationType == avnservice.IntegrationTypeKafkaConnect && ptr.Deref(i.DestService, "") == s.Name && i.Active
	})
}

// passwords are the keys that the plugin of a class declares as passwords. It doesn't declare those of transforms and converters, of which
// names and values decide.
func (e *exporter) passwords(ctx context.Context, s *aiven.Service, class string) (map[string]bool, error) {
	declared, err := e.client.API().ServiceKafkaConnectGetConnectorConfiguration(ctx, s.Project, s.Name, class)
	keys := map[string]bool{}
	for _, key := range declared {
		keys[key.Name] = strings.EqualFold(string(key.Type), "PASSWORD")
	}
	return keys, err
}

// hidden is a value that Aiven doesn't show.
var hidden = regexp.MustCompile(`(?i)^(\*+|[<\[](redacted|hidden)[>\]])$`)

// header is a name with a value that may be secret, as in a list of headers.
var header = regexp.MustCompile(`(?i)(?:auth|cookie|credential|passw|secret|signature|token|(?:api|-|_)key)[\w-]*\s*[:=]\s*\S`)

func secretOf(connector string) string { return connector + "-secrets" }

// exportConnector returns the object, and the values that its Secret has to have.
func exportConnector(name string, config map[string]string, passwords map[string]bool) (*v1alpha1.KafkaConnector, map[string][]byte) {
	obj, values := &v1alpha1.KafkaConnector{}, map[string][]byte{}
	obj.Spec.ConnectorClass, obj.Spec.UserConfig = config[keyClass], map[string]string{}
	for key, value := range config {
		switch {
		case key == keyName || key == keyClass:
		case passwords[key], fault.NamesSecret(key), fault.Redact(value) != value, hidden.MatchString(value), header.MatchString(value), strings.Contains(value, "{{"):
			obj.Spec.UserConfig[key] = fmt.Sprintf("{{ fromSecret %q %q }}", secretOf(name), key)
			values[key] = []byte(value)
		default:
			obj.Spec.UserConfig[key] = value
		}
	}
	return obj, values
}
