package keystore_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"software.sslmate.com/src/go-pkcs12"

	"github.com/aero-operator/aero/controllers/internal/keystore"
)

const password = "s3cr3t-pässword"

// signed makes a certificate of a key, by its own signature.
func signed(t *testing.T, name string, key crypto.Signer) string {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func newKey(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

func pkcs8(t *testing.T, key crypto.Signer) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// login is what a user of Kafka has.
func login(t *testing.T) keystore.Contents {
	t.Helper()
	key := newKey(t)
	return keystore.Contents{Cert: signed(t, "joe", key), Key: pkcs8(t, key), CA: signed(t, "ca", newKey(t))}
}

func TestTheKeyStoresHoldWhatTheyAreMadeOf(t *testing.T) {
	contents := login(t)
	chain := contents.Cert + contents.CA
	made, err := keystore.PKCS12(keystore.Contents{Cert: chain, Key: contents.Key, CA: contents.CA}, password)
	require.NoError(t, err)
	key, cert, others, err := pkcs12.DecodeChain(made[keystore.KeyStore], password)
	require.NoError(t, err)
	assert.Equal(t, contents.Key, pkcs8(t, key.(crypto.Signer)))
	assert.Equal(t, "joe", cert.Subject.CommonName)
	require.Len(t, others, 1)
	assert.Equal(t, "ca", others[0].Subject.CommonName)
	trusted, err := pkcs12.DecodeTrustStore(made[keystore.TrustStore], password)
	require.NoError(t, err)
	require.Len(t, trusted, 1)
	assert.Equal(t, "ca", trusted[0].Subject.CommonName)
}

func TestAKeyStoreChangesOnlyWithItsContents(t *testing.T) {
	contents := login(t)
	other := login(t)
	before, err := keystore.PKCS12(contents, password)
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		contents            keystore.Contents
		password            string
		sameKeys, sameTrust bool
	}{
		"the same":            {contents, password, true, true},
		"another CA":          {keystore.Contents{Cert: contents.Cert, Key: contents.Key, CA: other.CA}, password, true, false},
		"another CA as well":  {keystore.Contents{Cert: contents.Cert, Key: contents.Key, CA: contents.CA + other.CA}, password, true, false},
		"another certificate": {keystore.Contents{Cert: other.Cert, Key: other.Key, CA: contents.CA}, password, false, true},
		"a longer chain":      {keystore.Contents{Cert: contents.Cert + contents.CA, Key: contents.Key, CA: contents.CA}, password, false, true},
		"another password":    {contents, "another", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := keystore.PKCS12(tc.contents, tc.password)
			require.NoError(t, err)
			assert.Equal(t, tc.sameKeys, bytes.Equal(before[keystore.KeyStore], after[keystore.KeyStore]))
			assert.Equal(t, tc.sameTrust, bytes.Equal(before[keystore.TrustStore], after[keystore.TrustStore]))
		})
	}
}

// TestJavaReadsTheKeyStores with the JDK's own program. CAs of one subject have a name each, or Java would keep one of them.
func TestJavaReadsTheKeyStores(t *testing.T) {
	keytool, err := exec.LookPath("keytool")
	if err != nil {
		t.Skip("no JDK is installed")
	}
	contents := login(t)
	contents.CA += signed(t, "ca", newKey(t))
	made, err := keystore.PKCS12(contents, "s3cr3t-password")
	require.NoError(t, err)
	for name, wanted := range map[string][]string{
		keystore.KeyStore: {"1 entry", "PrivateKeyEntry"}, keystore.TrustStore: {"2 entries", "ca-0", "ca-1", "trustedCertEntry"},
	} {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, made[name], 0o600))
		printed, err := exec.CommandContext(t.Context(), keytool, "-J-Duser.language=en", "-list", "-keystore", file, "-storepass", "s3cr3t-password").CombinedOutput()
		require.NoError(t, err, string(printed))
		for _, word := range wanted {
			assert.Contains(t, string(printed), word)
		}
	}
}

func TestLongChainsHaveSaltsToo(t *testing.T) {
	var many string
	for range 20 {
		many += signed(t, "ca", newKey(t))
	}
	made, err := keystore.PKCS12(keystore.Contents{CA: many}, password)
	require.NoError(t, err)
	trusted, err := pkcs12.DecodeTrustStore(made[keystore.TrustStore], password)
	require.NoError(t, err)
	assert.Len(t, trusted, 20)
}

func TestOnlyTheStoresThatHaveContentsAreMade(t *testing.T) {
	contents := login(t)
	made, err := keystore.PKCS12(keystore.Contents{CA: contents.CA}, password)
	require.NoError(t, err)
	assert.Len(t, made, 1)
	assert.NotEmpty(t, made[keystore.TrustStore])
	made, err = keystore.PKCS12(keystore.Contents{Cert: contents.Cert, Key: contents.Key}, password)
	require.NoError(t, err)
	assert.Len(t, made, 1)
	assert.NotEmpty(t, made[keystore.KeyStore])
}

func TestKeysOfOlderFormsAreRead(t *testing.T) {
	ec := newKey(t)
	der, err := x509.MarshalECPrivateKey(ec.(*ecdsa.PrivateKey))
	require.NoError(t, err)
	small, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	for name, contents := range map[string]keystore.Contents{
		"elliptic curve": {Cert: signed(t, "joe", ec), Key: string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))},
		"RSA":            {Cert: signed(t, "joe", small), Key: string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(small)}))},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := keystore.PKCS12(contents, password)
			require.NoError(t, err)
			_, cert, _, err := pkcs12.DecodeChain(made[keystore.KeyStore], password)
			require.NoError(t, err)
			assert.Equal(t, "joe", cert.Subject.CommonName)
		})
	}
}

func TestWhatIsNoLoginIsAnErrorWithoutItsContents(t *testing.T) {
	contents := login(t)
	broken := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("s3cr3t")}))
	for name, tc := range map[string]struct {
		contents keystore.Contents
		password string
		says     string
	}{
		"no password":                     {contents, "", "the password of the key stores is empty"},
		"a password that Java can't read": {contents, "s3cr3t\U0001F511", "making keystore.p12"},
		"such a one for a CA":             {keystore.Contents{CA: contents.CA}, "s3cr3t\U0001F511", "making truststore.p12"},
		"no certificate":                  {keystore.Contents{Cert: "s3cr3t", Key: contents.Key}, password, "the certificate isn't PEM"},
		"a key as a certificate":          {keystore.Contents{Cert: contents.Key, Key: contents.Key}, password, "the certificate isn't PEM"},
		"a broken certificate":            {keystore.Contents{Cert: broken, Key: contents.Key}, password, "the certificate can't be read"},
		"a broken CA":                     {keystore.Contents{CA: broken}, password, "the CA can't be read"},
		"no key":                          {keystore.Contents{Cert: contents.Cert, Key: "s3cr3t"}, password, "the private key isn't PEM"},
		"a broken key":                    {keystore.Contents{Cert: contents.Cert, Key: broken}, password, "the private key can't be read"},
		"a key of another certificate":    {keystore.Contents{Cert: contents.CA, Key: contents.Key}, password, "the private key doesn't belong to the certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := keystore.PKCS12(tc.contents, tc.password)
			require.ErrorContains(t, err, tc.says)
			assert.NotContains(t, err.Error(), "s3cr3t")
		})
	}
}
