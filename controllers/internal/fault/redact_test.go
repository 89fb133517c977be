package fault_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestK09_RedactHidesSecretsAndKeepsTheRest(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----"
	for name, row := range map[string]struct{ in, want string }{
		"the password of a URI":               {"postgres://avnadmin:p4ss@h:1/db?sslmode=require", "postgres://avnadmin:***@h:1/db?sslmode=require"},
		"a URI without a user":                {"redis://:p4ss@h:1", "redis://:***@h:1"},
		"a password with a slash and @":       {"mysql://u:a/b@c@h/db", "mysql://u:***@h/db"},
		"a token as the user":                 {"https://ghp_abc@h/x", "https://***@h/x"},
		"two URIs":                            {"a://u:p@h b://v:q@i", "a://u:***@h b://v:***@i"},
		"the scheme of Aiven":                 {"Authorization: aivenv1 AbC+/=123 end", "Authorization: aivenv1 *** end"},
		"a bearer token":                      {"Bearer eyJhbGciOi.J9.x-1 end", "Bearer *** end"},
		"a generated password":                {"user has AVNS_x-Y_z9 set", "user has AVNS_*** set"},
		"a private key":                       {"key " + key + " end", "key (private key) end"},
		"a private key in JSON":               {`{"k":"-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\n"}`, `{"k":"(private key)\n"}`},
		"a private key that was cut":          {"-----BEGIN EC PRIVATE KEY-----\nMIIEow", "(private key)"},
		"password=":                           {"host=h password=abc user=u", "host=h password=*** user=u"},
		"password= with quotes":               {`host=h password="a b" user=u`, `host=h password=*** user=u`},
		"token= in a query":                   {"/x?access_token=abc&y=1", "/x?access_token=***&y=1"},
		"a password in JSON":                  {`{"password": "a\"b", "x": 1}`, `{"password": ***, "x": 1}`},
		"a password in quoted JSON":           {`"{\"new_password\":\"abc\",\"x\":1}"`, `"{\"new_password\":***,\"x\":1}"`},
		"a password in JSON that was cut":     {`{"password": "abc`, `{"password": ***`},
		"a value after a colon":               {"token: abcdefgh12345678", "token: ***"},
		"a long value after a space":          {"invalid token abcdefghijklmnopqrstuvwxyzabcdefghijklm", "invalid token ***"},
		"words about a password":              {"password: must be longer than 8 characters", "password: must be longer than 8 characters"},
		"words about a token":                 {"Invalid token: expired", "Invalid token: expired"},
		"words about basic things":            {"basic authentication failed", "basic authentication failed"},
		"the name of a Secret":                {`secrets "conn-12345678" not found`, `secrets "conn-12345678" not found`},
		"a mail address":                      {"mail me@example.org", "mail me@example.org"},
		"a URI without userinfo":              {"https://h:443/a/b and https://h/a@b", "https://h:443/a/b and https://h/a@b"},
		"a certificate":                       {"-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----"},
		"an answer of the API":                {"Service does not exist (404 ServiceGet)", "Service does not exist (404 ServiceGet)"},
		"H2 a quoted word after new_password": {"Invalid input for new_password: 'CorrectHorseBattery' is not allowed", "Invalid input for new_password: *** is not allowed"},
		"H2 a quoted word after password":     {`password "CorrectHorseBattery" was used before`, "password *** was used before"},
		"H2 a value before its path":          {"Value 'Tr0ub4dor&3' at 'migration.password' is too short", "Value *** at 'migration.password' is too short"},
		"a field that Kubernetes refuses":     {`spec.datadog.datadog_api_key: Invalid value: "a\"b-c": must match`, `spec.datadog.datadog_api_key: Invalid value: ***: must match`},
		"a list that Kubernetes refuses":      {`spec.users[0].password: Duplicate value: "abc"`, `spec.users[0].password: Duplicate value: ***`},
		"another field that is refused":       {`spec.plan: Invalid value: "x": no such plan`, `spec.plan: Invalid value: "x": no such plan`},
		"a name with dots":                    {"aws.secret.access.key=abc y=1", "aws.secret.access.key=*** y=1"},
		"a name with dashes in JSON":          {`{"api-key": "abc"}`, `{"api-key": ***}`},
		"the user info of a registry":         {"basic.auth.user.info=u:p y=1", "basic.auth.user.info=*** y=1"},
		"a login in JAAS":                     {`"sasl.jaas.config": "x required password=\"p\";"`, `"sasl.jaas.config": ***`},
		"a value before its dotted name":      {"Value 'CorrectHorse' at 'aws.secret.access.key' is too short", "Value *** at 'aws.secret.access.key' is too short"},
		"a switch":                            {"adopt-secret=true, x.token=false, token=truer", "adopt-secret=true, x.token=false, token=***"},
		"nothing":                             {"", ""},
		"what was redacted already stays":     {"postgres://u:***@h password=*** AVNS_***", "postgres://u:***@h password=*** AVNS_***"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, row.want, fault.Redact(row.in)) })
	}
}

func TestNamesOfSecretsInEveryNotation(t *testing.T) {
	for name, want := range map[string]bool{
		"spec.userConfig.aws.secret.access.key":    true,
		"aws_secret_access_key":                    true,
		"awsSecretAccessKey":                       true,
		"spec.userConfig.connection.password":      true,
		"database.password":                        true,
		"database-password":                        true,
		"sasl.jaas.config":                         true,
		"consumer.override.sasl.jaas.config":       true,
		"ssl.keystore.password":                    true,
		"ssl.keystore.key":                         true,
		"basic.auth.user.info":                     true,
		"schema.registry.basic.auth.user.info":     true,
		"basic.auth.credentials":                   true,
		"api.key":                                  true,
		"apiKey":                                   true,
		"token":                                    true,
		"splunk.hec.token":                         true,
		"client.secret":                            true,
		"oauth2.client-secret":                     true,
		"azure.storage.account.key":                true,
		"snowflake.private.key.passphrase":         true,
		"gcs.credentials.json":                     true,
		"spec.userConfig.replicas[0].password":     true,
		"spec.userConfig.topics":                   false,
		"spec.userConfig.connection.url":           false,
		"spec.userConfig.pg.password_encryption":   false,
		"spec.userConfig.innodb_ft_max_token_size": false,
		"spec.userConfig.key.converter":            false,
		"spec.userConfig.ssl.key.location":         false,
		"spec.connInfoSecretSource":                false,
		"spec.plan":                                false,
		"":                                         false,
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, want, fault.NamesSecret(name)) })
	}
}

func TestAPrintedMapHoldsASecretByTheNamesOfItsOptions(t *testing.T) {
	for text, want := range map[string]bool{
		"map[access_key:AKIA region:eu]":                  true,
		"[map[name:a] map[aws:map[access_key:AKIA] n:b]]": true,
		"map[name:a\nb api_key:x]":                        true,
		"map[name:a topics:[b c]]":                        false,
		"map[password_encryption:md5]":                    false,
		"see access_key:x":                                false,
		"":                                                false,
	} {
		t.Run(text, func(t *testing.T) { assert.Equal(t, want, fault.HoldsSecret(text)) })
	}
}

// places are texts in which a secret, at the %, stands as it does in real errors.
var places = []string{
	"connecting to postgres://avnadmin:%@host:5432/db failed",
	"urls redis://:%@a:1,redis://:%@b:2 are down",
	"Authorization: aivenv1 % was refused",
	"user has AVNS_% as its password",
	"-----BEGIN PRIVATE KEY-----\n%\n-----END PRIVATE KEY-----",
	"dsn host=h password=% user=u",
	`body {"password":"%","username":"u"}`,
	`body {\"access_token\":\"%\"}`,
	"GET /v1?token=%&limit=999",
	"sasl.jaas.config=x username='u' password='%';",
}

func FuzzRedact(f *testing.F) {
	for _, secret := range []string{"hunter2secret", "AbC123/+=xyz", "p@ss:w0rd", "QUJDREVGRw==", "с3крет-пароль", "a.b-c_d~e!f"} {
		f.Add(secret, "before ", " after")
		f.Add(secret, "https://x:", "@y")
		f.Add(secret, `"token": "`, `"`)
	}
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		// What ends a value in its place can't be part of it, and a short one may be found in any text.
		if len(secret) < 6 || strings.ContainsAny(secret, " \t\r\n\v\f\\\"'<>,;&{}()[]*") || strings.Contains(before+after+hiddenForms, secret) {
			t.Skip("no secret that could stand in these places")
		}
		for _, place := range places {
			if strings.Contains(place, secret) {
				continue
			}
			if strings.HasPrefix(place, "user has AVNS_") && strings.Trim(secret, generatedAlphabet) != "" {
				continue
			}
			text := before + "\n" + strings.ReplaceAll(place, "%", secret) + "\n" + after
			got := fault.Redact(text)
			assert.NotContains(t, got, secret, "in %q", text)
		}
	})
}

const (
	generatedAlphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	hiddenForms       = "(private key)***"
)
