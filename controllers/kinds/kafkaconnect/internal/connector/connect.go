package connector

import (
	avnconnect "github.com/aiven/go-client-codegen/handler/kafkaconnect"
	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// Pending returns what Kafka Connect waits for in a service, and whether it is without a Kafka. What an answer leaves out
// isn't off. One that is switched off keeps its connectors in a topic of its Kafka.
func Pending(service *aiven.Service) (waits string, off bool) {
	name := service.Project + "/" + service.Name
	switch {
	case service.Type == aiven.TypeKafka && service.UserConfig != nil && service.UserConfig["kafka_connect"] != true:
		return "Waiting for Kafka Connect: set spec.userConfig.kafka_connect of service " + name + " to true", false
	case service.Type == aiven.TypeKafka, service.Integrations == nil:
		return "", false
	}
	off = true
	for _, integration := range service.Integrations {
		ours := integration.IntegrationType == avnservice.IntegrationTypeKafkaConnect &&
			integration.DestProject == service.Project && ptr.Deref(integration.DestService, "") == service.Name
		health := ptr.Deref(integration.IntegrationStatus, avnservice.IntegrationStatusOut{}).State.Status
		if ours && integration.Active && health != avnservice.IntegrationStatusTypeFailed {
			return "", false
		}
		off = off && !ours
	}
	return "Waiting for Kafka Connect: service " + name + " needs an active integration of type kafka_connect. Create a ServiceIntegration, or see to its status", off
}

// ByName indexes the connectors of a service, those that couldn't be loaded as well.
func ByName(all *avnconnect.ServiceKafkaConnectListOut) map[string]any {
	if all.Connectors == nil {
		return nil
	}
	items := map[string]any{}
	for _, failed := range all.FailedConnectors {
		items[failed.Name] = failed
	}
	for _, loaded := range all.Connectors {
		items[loaded.Name] = loaded
	}
	return items
}

// Choose returns nil if there is none. One that Kafka Connect couldn't load exists, too.
func Choose(obj *v1alpha1.KafkaConnector, all *avnconnect.ServiceKafkaConnectListOut) *Remote {
	for _, c := range all.Connectors {
		if p := c.Plugin; c.Name == obj.Name {
			return &Remote{Config: c.Config, Plugin: &v1alpha1.KafkaConnectorPluginStatus{
				Author: p.Author, Class: p.Class, DocURL: p.DocUrl, Title: p.Title, Type: string(p.Type), Version: p.Version,
			}}
		}
	}
	for _, c := range all.FailedConnectors {
		if c.Name == obj.Name {
			known := map[string]string{keyName: c.Name, keyClass: c.Config.ConnectorClass}
			return &Remote{Config: known, Partial: true, State: stateFailed, Error: c.Error}
		}
	}
	return nil
}
