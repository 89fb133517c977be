package connect

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAClientGetsNoValueOfAnotherForm(t *testing.T) {
	installs(t, map[string]string{"psql": "", "mysql": "", "valkey-cli": "", "kcat": ""})
	const again = ". Delete the Secret, and the operator publishes it again"
	host, port := "X_HOST in the Secret s isn't a host name or an IP address"+again, "X_PORT in the Secret s isn't a number from 1 to 65535"+again
	name := " in the Secret s isn't a name without control or format characters and a dash at its beginning" + again
	for key, tc := range map[string]struct {
		values []string
		want   string
	}{
		"HOST": {[]string{
			"-h", "--host=x", "/tmp", "@socket", "a,b", "a b", "a\nssl.ca.location=/x", "host=x", "a\x00", "a:1", "[::1]", "fe80::1%-x", "a\u202eb", "a_b", "a..b",
		}, host},
		"PORT":     {[]string{"0", "65536", "-1", "+1", "1,2", "1\n", "x", "1 -x"}, port},
		"USER":     {[]string{"-x", "a\nb", "\x1b[2J", "a\u009bb", "\xff", "a\u202eb", "a\u2028b", "a\u2029b"}, "X_USER" + name},
		"USERNAME": {[]string{"--tls"}, "X_USERNAME" + name},
		"DATABASE": {[]string{"-x", "a\x00"}, "X_DATABASE" + name},
		"NAME":     {[]string{"-x", "a\r"}, "X_NAME" + name},
		"PASSWORD": {[]string{"a\n", "\x00", "a\x7fb", "a\u200bb"}, "X_PASSWORD in the Secret s isn't text without control or format characters. Set another password"},
	} {
		for _, value := range tc.values {
			for _, kind := range []string{"PostgreSQL", "MySQL", "Valkey", "Kafka"} {
				d := full()
				d.Data["X_"+key] = []byte(value)
				client, _ := ForKind(kind)
				_, err := client.Session(t.Context(), d, "/folder")
				require.EqualError(t, err, tc.want, "%s %q", kind, value)
			}
		}
	}
}

func TestValuesOfAivenPass(t *testing.T) {
	installs(t, map[string]string{"psql": ""})
	for key, values := range map[string][]string{
		"HOST":     {"pg-1.p.aivencloud.com", "PG.example.com", "localhost", "127.0.0.1", "::1", "2001:db8::1"},
		"PORT":     {"1", "65535"},
		"USER":     {"avnadmin", "orders app", "a_b.c@d"},
		"DATABASE": {"orders_2", "Bücher"},
		"PASSWORD": {password, "-x", "ü €", "AVNS_x-Y"},
	} {
		for _, value := range values {
			d := full()
			d.Data["X_"+key] = []byte(value)
			sessionOf(t, "PostgreSQL", d)
		}
	}
}
