package conformance_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	grafanaconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/grafana"
	kafkaconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/kafka"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// foreignSecrets are secrets that another client writes at Aiven, by kind: into options of which only the name says that they are
// secrets, and into an address. set puts such an option into the spec.
var foreignSecrets = map[string]struct {
	set   func(testenv.Object)
	write func(e *testenv.Env, marker string)
}{
	"Grafana": {
		set: func(obj testenv.Object) {
			obj.(*v1alpha1.Grafana).Spec.UserConfig.ExternalImageStorage = &grafanaconfig.ExternalImageStorage{
				AccessKey: "OURS", BucketUrl: "https://bucket.example.com", Provider: "s3", SecretKey: "OursToo",
			}
		},
		write: func(e *testenv.Env, marker string) {
			configure(e, grafanaName, "external_image_storage", map[string]any{
				"access_key": marker, "bucket_url": "https://bucket.example.com", "provider": "s3", "secret_key": "OursToo",
			})
		},
	},
	"Kafka": {
		set: func(obj testenv.Object) {
			obj.(*v1alpha1.Kafka).Spec.UserConfig.KafkaConnectSecretProviders = []*kafkaconfig.KafkaConnectSecretProviders{
				{Name: "aws", Aws: &kafkaconfig.Aws{AccessKey: new("OURS"), AuthMethod: "credentials", Region: "eu-west-1"}},
			}
		},
		write: func(e *testenv.Env, marker string) {
			configure(e, kafkaName, "kafka_connect_secret_providers", []any{map[string]any{
				"name": "aws", "aws": map[string]any{"access_key": marker, "auth_method": "credentials", "region": "eu-west-1"},
			}})
		},
	},
	"KafkaConnector": {
		set: func(obj testenv.Object) { obj.(*v1alpha1.KafkaConnector).Spec.UserConfig["api.key"] = "ours" },
		write: func(e *testenv.Env, marker string) {
			editConnector(e, "api.key", marker)
			editConnector(e, "http.url", "https://orders:"+marker+"@orders.example.com")
		},
	},
	"ServiceIntegrationEndpoint": {
		set:   func(testenv.Object) {},
		write: func(e *testenv.Env, marker string) { setEndpoint(e, endpointSecret(e), marker) },
	},
}

func hasForeignSecret(k kind) bool { return foreignSecrets[k.name].write != nil }

// configure sets an option of a service at the console.
func configure(e *testenv.Env, name, option string, value any) {
	_, err := e.Aiven.Console.ServiceUpdate(e.T.Context(), e.Project, name, &service.ServiceUpdateIn{UserConfig: &map[string]any{option: value}})
	require.NoError(e.T, err)
}

// marker is a new value of capitals and digits, which is planted: no log, event, status, span, metric or cache may have it.
func (s *testCase) marker() string {
	s.marks++
	text := fmt.Sprintf("MARKER%dOF%s", s.marks, strings.ToUpper(strings.ReplaceAll(s.Namespace, "-", "")))
	s.Plant(text)
	return text
}

// hidesForeignSecrets has another client's secret reported, and then corrected. That it is shown nowhere is what each environment checks.
func (s *testCase) hidesForeignSecrets() {
	foreignSecrets[s.kind.name].set(s.obj)
	s.begin()
	mark := s.Aiven.Mark()
	s.Annotate(s.obj, driftPolicy, "Report")
	foreignSecrets[s.kind.name].write(s.Env, s.marker())
	s.Wait(s.obj, testenv.Condition("Drifted", metav1.ConditionTrue, "ReportOnly"))
	s.Annotate(s.obj, driftPolicy, "Correct")
	s.Until(func() bool { return len(s.Aiven.Writes(mark)) > 0 }, func() string { return "the drift isn't corrected" })
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	corrected := func(event eventsv1.Event) bool {
		return strings.HasPrefix(event.Note, "Corrected drift at Aiven: ") || strings.HasPrefix(event.Note, "Updated ")
	}
	s.Until(func() bool { return slices.ContainsFunc(s.Events(s.obj), corrected) }, func() string { return "there is no event of the correction" })
}
