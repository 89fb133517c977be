package kafkaconnect

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/service"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkaconnects,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkaconnects/status,verbs=patch

const serviceType = "kafka_connect"

// Service is an Aiven for Apache Kafka Connect service.
var Service = service.Definition[*v1alpha1.KafkaConnect]{
	Type:      serviceType,
	Options:   func(obj *v1alpha1.KafkaConnect) any { return obj.Spec.UserConfig },
	NoBackups: true,
}.Kind(&v1alpha1.KafkaConnect{})
