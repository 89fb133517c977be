package connectionsecret

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

// scram is the mechanism that Aiven enables wherever it enables SASL at all, unless userConfig says otherwise.
const scram = "SCRAM-SHA-256"

// protocol is Kafka's security protocol.
func (v Values) protocol() string {
	if v.byCertificate() {
		return "SSL"
	}
	return "SASL_SSL"
}

// kafkaProperties is a file of Kafka's Java clients that needs no other one: certificates are in it.
func kafkaProperties(v Values) map[string]string {
	properties := map[string]string{
		"bootstrap.servers": hostPort(v.Address), "security.protocol": v.protocol(),
	}
	if v.CACert != "" {
		properties["ssl.truststore.type"], properties["ssl.truststore.certificates"] = "PEM", v.CACert
	}
	if v.byCertificate() {
		properties["ssl.keystore.type"] = "PEM"
		properties["ssl.keystore.certificate.chain"], properties["ssl.keystore.key"] = v.AccessCert, v.AccessKey
	} else {
		properties["sasl.mechanism"] = scram
		properties["sasl.jaas.config"] = fmt.Sprintf("org.apache.kafka.common.security.scram.ScramLoginModule required username=%s password=%s;",
			jaas(v.Username), jaas(v.Password))
	}
	var file strings.Builder
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		file.WriteString(key + "=" + property(properties[key]) + "\n")
	}
	return map[string]string{"client.properties": file.String()}
}

// jaas quotes a text for the configuration of a login module.
func jaas(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// property escapes the value of a property of Java.
func property(value string) string {
	var escaped strings.Builder
	for i, r := range value {
		switch {
		case r == '\n':
			escaped.WriteString(`\n`)
		case r == '\r':
			escaped.WriteString(`\r`)
		case r == '\t':
			escaped.WriteString(`\t`)
		case r == '\\', r == ' ' && i == 0:
			escaped.WriteString(`\` + string(r))
		case r < ' ' || r > '~':
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&escaped, `\u%04x`, unit)
			}
		default:
			escaped.WriteRune(r)
		}
	}
	return escaped.String()
}

// kafkaEnv are variables for clients that read no file of Java. There are none for what the service doesn't have.
func kafkaEnv(v Values) map[string]string {
	keys := map[string]string{
		"KAFKA_BROKERS": hostPort(v.Address), "KAFKA_SECURITY_PROTOCOL": v.protocol(), "KAFKA_CA": v.CACert,
	}
	if v.byCertificate() {
		keys["KAFKA_CERTIFICATE"], keys["KAFKA_PRIVATE_KEY"] = v.AccessCert, v.AccessKey
	} else {
		keys["KAFKA_SASL_MECHANISM"], keys["KAFKA_USERNAME"], keys["KAFKA_PASSWORD"] = scram, v.Username, v.Password
	}
	if v.SchemaRegistry.Host != "" {
		keys["KAFKA_SCHEMA_REGISTRY"] = "https://" + hostPort(v.SchemaRegistry)
		keys["KAFKA_SCHEMA_REGISTRY_USER"], keys["KAFKA_SCHEMA_REGISTRY_PASSWORD"] = v.Username, v.Password
	}
	maps.DeleteFunc(keys, func(_, value string) bool { return value == "" })
	return keys
}
