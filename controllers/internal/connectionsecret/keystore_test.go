package connectionsecret_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// pair makes a certificate and its key.
func pair(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func TestKeystoresHoldWhatTheEndpointUses(t *testing.T) {
	cert, key := pair(t)
	ca, _ := pair(t)
	broken := kafka() // its certificates are no certificates
	withCerts := func(s connectionsecret.Source) connectionsecret.Source {
		s.CACert, s.AccessCert, s.AccessKey = ca, cert, key
		return s
	}
	for name, tc := range map[string]struct {
		source   connectionsecret.Source
		selector selector
		password string
		want     []string
		says     string
	}{
		"by certificate":           {withCerts(kafka()), selector{}, "a", []string{"keystore.p12", "truststore.p12"}, ""},
		"by password":              {withCerts(kafka()), selector{KafkaAuthentication: "sasl"}, "a", []string{"truststore.p12"}, ""},
		"PostgreSQL":               {withCerts(postgres()), selector{}, "a", []string{"truststore.p12"}, ""},
		"a project":                {withCerts(sources()["project"]), selector{}, "a", []string{"truststore.p12"}, ""},
		"a public CA":              {withCerts(kafka()), selector{KafkaAuthentication: "sasl", Route: "public"}, "a", nil, "there is nothing to put into a key store"},
		"Valkey":                   {withCerts(sources()["valkey"]), selector{}, "a", nil, "there is nothing to put into a key store"},
		"no password":              {withCerts(kafka()), selector{}, "", nil, "spec.keystore: the password of the key stores is empty"},
		"what isn't a certificate": {broken, selector{}, "a", nil, "spec.keystore: the certificate can't be read"},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := connectionsecret.ValuesOf(tc.source, &aero.SecretContents{Endpoint: &tc.selector}, "")
			require.NoError(t, err)
			stores, err := values.Keystores(tc.password)
			if tc.says != "" {
				require.ErrorContains(t, err, tc.says)
				assert.True(t, fault.Is(err, fault.Invalid))
				return
			}
			require.NoError(t, err)
			assert.Len(t, stores, len(tc.want))
			for _, key := range tc.want {
				assert.NotEmpty(t, stores[key])
			}
			again, err := values.Keystores(tc.password)
			require.NoError(t, err)
			assert.Equal(t, stores, again)
		})
	}
}
