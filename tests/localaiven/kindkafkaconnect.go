package localaiven

import "strconv"

func kafkaConnect() *kind {
	return &kind{
		name: kindKafkaConnect, description: "Kafka Connect - Open Source Data Integration Framework",
		families: nodes(1, 3, 6), fixedDisk: true, noBackups: true,
		ports: []string{kindKafkaConnect}, connect: (*service).connectKafkaConnect,
	}
}

// kindKafkaConnect is a type of service, and the component and key of user_config that a service of Kafka may have instead.
const kindKafkaConnect = "kafka_connect"

type kafkaConnectInfo struct {
	KafkaConnect []string `json:"kafka_connect"`
}

func (svc *service) connectKafkaConnect(b *serviceBody, secrets bool) {
	at := svc.endpoints[kindKafkaConnect]
	admin := svc.admin()
	uri := webURI(admin.name, admin.shown(secrets), at)
	b.ServiceURI, b.ServiceURIParams = &uri, map[string]string{
		"host": at.Host, "port": strconv.Itoa(at.Port), "user": admin.name, "password": admin.shown(secrets),
	}
	b.ConnectionInfo = kafkaConnectInfo{[]string{uri}}
	b.Components = append(b.Components, newComponent(kindKafkaConnect, at))
}
