package localaiven

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// saslEndpoint is the key of service.endpoints for Kafka's second port. The other keys are names of components, the first
// of which is that of the service type.
const saslEndpoint = "kafka-sasl"

// kafkaExtras are the components that no engine runs: they are ports without a listener, except the Schema Registry of a
// service with an engine (see serveRegistry). The keys of user_config that enable them have the same names.
var kafkaExtras = []string{"kafka_rest", "schema_registry", "kafka_connect"}

func apacheKafka() *kind {
	return &kind{
		name: kindKafka, description: "Kafka - High-Throughput Distributed Messaging System",
		families: nodes(3, 3, 6).with(families{"free": small["free"]}), versionKey: "kafka_version", version: "4.2", certified: true,
		ports: []string{kindKafka, saslEndpoint}, extras: kafkaExtras,
		prepare: (*Server).prepareKafka,
		connect: (*service).connectKafka,
		show: func(svc *service, b *serviceBody, now time.Time) {
			b.ACL, b.KafkaACL, b.SchemaRegistryACL = listOf(svc.acls), listOf(svc.kafka.nativeACLs), listOf(svc.kafka.registryACLs)
			b.Topics = svc.topicBodies(now)
		},
	}
}

type kafkaInfo struct {
	Kafka             []string `json:"kafka"`
	AccessCert        string   `json:"kafka_access_cert"`
	AccessKey         string   `json:"kafka_access_key"`
	ConnectURI        *string  `json:"kafka_connect_uri,omitempty"`
	RestURI           string   `json:"kafka_rest_uri"`
	SchemaRegistryURI string   `json:"schema_registry_uri"`
}

// connectKafka has a component for each way to log in that user_config allows and that is served. The service's URI is
// the first of them.
func (svc *service) connectKafka(b *serviceBody, secrets bool) {
	for _, method := range []struct{ name, endpoint string }{{"certificate", kindKafka}, {"sasl", saslEndpoint}} {
		at := svc.endpoints[method.endpoint]
		if at.Port == 0 || !svc.accepts(method.name) {
			continue
		}
		c := newComponent(kindKafka, at)
		c.AuthenticationMethod = method.name
		b.Components = append(b.Components, c)
	}
	admin := svc.admin()
	if len(b.Components) > 0 {
		first := b.Components[0]
		uri := net.JoinHostPort(first.Host, strconv.Itoa(first.Port))
		b.ServiceURI, b.ServiceURIParams = &uri, map[string]string{
			"host": first.Host, "port": strconv.Itoa(first.Port), "user": admin.name, "password": admin.shown(secrets),
		}
	}
	uris := map[string]string{}
	for _, name := range kafkaExtras {
		uris[name] = webURI(admin.name, admin.shown(secrets), svc.endpoints[name])
		if svc.enables(name) {
			b.Components = append(b.Components, newComponent(name, svc.endpoints[name]))
		}
	}
	shown := admin.certificate.shown(secrets)
	info := kafkaInfo{[]string{}, shown.cert, shown.key, nil, uris["kafka_rest"], uris["schema_registry"]}
	if b.ServiceURI != nil {
		info.Kafka = append(info.Kafka, *b.ServiceURI)
	}
	if uri := uris["kafka_connect"]; svc.enables("kafka_connect") {
		info.ConnectURI = &uri
	}
	b.ConnectionInfo = info
}

// setLogins lets clients of Kafka log in as user_config says. The caller holds the backing's logins.
func (svc *service) setLogins(instance engine.Instance) error {
	if svc.kind.name != kindKafka {
		return nil
	}
	svc.mu.RLock()
	accepted := engine.Logins{Certificates: svc.accepts("certificate"), Passwords: svc.accepts("sasl")}
	svc.mu.RUnlock()
	return withKafka(instance, func(ctx context.Context, k engine.Kafka) error { return k.SetLogins(ctx, accepted) })
}

// relog applies a change of user_config to a broker that serves. One that starts asks for itself.
func (s *Server) relog(svc *service) {
	b := svc.backing
	if b == nil {
		return
	}
	b.logins.Lock()
	defer b.logins.Unlock()
	instance := b.get()
	if instance == nil {
		return
	}
	if err := svc.setLogins(instance); err != nil {
		s.log.Error("changing how clients log in", "service", svc.name, "error", err)
	}
}

// accepts reports whether users of Kafka may log in like that. By default they show certificates.
func (svc *service) accepts(method string) bool {
	methods, _ := svc.userConfig["kafka_authentication_methods"].(map[string]any)
	if on, set := methods[method].(bool); set {
		return on
	}
	return method == "certificate"
}

// withKafka lets an instance of Kafka do something.
func withKafka(i engine.Instance, do func(context.Context, engine.Kafka) error) error {
	k, ok := i.(engine.Kafka)
	if !ok {
		return errors.New("the engine is none of Kafka")
	}
	ctx, cancel := engineContext()
	defer cancel()
	return do(ctx, k)
}
