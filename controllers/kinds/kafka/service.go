package kafka

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/service"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkas,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkas/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkas/finalizers,verbs=update

const serviceType = aiven.TypeKafka

// Service is a Kafka service.
var Service = service.Definition[*v1alpha1.Kafka]{
	Type:    serviceType,
	Options: func(obj *v1alpha1.Kafka) any { return obj.Spec.UserConfig },
	Details: details,
	NeedsCA: true,

	OffLosesData: "powering off deletes all messages, which have no backup",
}.Kind(&v1alpha1.Kafka{})
