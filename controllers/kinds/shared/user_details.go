package shared

import (
	"context"
	"maps"
	"strconv"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/resource"
)

// userDetails are empty while Aiven doesn't tell the password: half a Secret helps nobody.
func userDetails(ctx context.Context, s resource.Scope, _ *v1alpha1.ServiceUser, user *aiven.User) (connection.Details, error) {
	address, reachable := s.Service.Component(s.Service.Type)
	if !reachable || user.Password == "" {
		return connection.Details{}, nil
	}
	ca, err := s.Client.CA(ctx, s.Project)
	if err != nil {
		return connection.Details{}, err
	}
	details := map[string]string{
		"HOST":        address.Host,
		"PORT":        strconv.Itoa(address.Port),
		"USERNAME":    user.Username,
		"PASSWORD":    user.Password,
		"ACCESS_CERT": ptr.Deref(user.AccessCert, ""),
		"ACCESS_KEY":  ptr.Deref(user.AccessKey, ""),
		"CA_CERT":     ca,
	}
	if s.Service.Type == aiven.TypeKafka {
		maps.Copy(details, kafkaDetails(s.Service))
	}
	return connection.Details{Prefixed: details}, nil
}

// kafkaDetails are the addresses that only Kafka has: empty, but there, while what they lead to is off.
func kafkaDetails(s *aiven.Service) map[string]string {
	details := map[string]string{
		"SASL_HOST": "", "SASL_PORT": "", "SCHEMA_REGISTRY_HOST": "", "SCHEMA_REGISTRY_PORT": "",
	}
	if sasl, enabled := s.SASL(); enabled {
		details["SASL_HOST"], details["SASL_PORT"] = sasl.Host, strconv.Itoa(sasl.Port)
	}
	if registry, on := s.Component("schema_registry"); on {
		details["SCHEMA_REGISTRY_HOST"], details["SCHEMA_REGISTRY_PORT"] = registry.Host, strconv.Itoa(registry.Port)
	}
	return details
}
