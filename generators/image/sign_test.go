package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/generators/internal/compile"
)

// pair writes a private key and its public one in PEM.
func pair(t *testing.T, private crypto.Signer) (privateFile, publicFile string) {
	t.Helper()
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	open, err := x509.MarshalPKIXPublicKey(private.Public())
	require.NoError(t, err)
	folder := t.TempDir()
	write := func(name, header string, content []byte) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: header, Bytes: content}), 0o600))
		return path
	}
	return write("key.pem", "PRIVATE KEY", secret), write("key.pub", "PUBLIC KEY", open)
}

func newKey(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	require.NoError(t, err)
	return key
}

func TestASignedImageIsVerifiedByItsPublicKey(t *testing.T) {
	private, public := pair(t, newKey(t, elliptic.P256()))
	_, other := pair(t, newKey(t, elliptic.P256()))
	for name, knowsReferrers := range map[string]bool{
		"from a registry that lists referrers":    true,
		"from a registry that knows only of tags": false,
	} {
		t.Run(name, func(t *testing.T) {
			host := serve(t, registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(knowsReferrers)))
			module, signed, unsigned := standIn(t, 0), host+"/aero:signed", host+"/aero:unsigned"
			out := build(t, module, "--key", private, "--push", signed)
			var said bytes.Buffer
			require.NoError(t, run(t.Context(), []string{"verify", "--key", public, signed}, &said))
			index, _ := open(t, out)
			digest, err := index.Digest()
			require.NoError(t, err)
			assert.Equal(t, "verified "+host+"/aero@"+digest.String()+"\nversion  "+version+"\ncommit   "+revision+
				"\nbuilder  "+source+"/tree/main/generators/image\n", said.String())

			require.ErrorIs(t, run(t.Context(), []string{"verify", "--key", other, signed}, io.Discard), errUnsigned)
			build(t, module, "--platforms", "linux/amd64", "--push", unsigned)
			require.ErrorIs(t, run(t.Context(), []string{"verify", "--key", public, unsigned}, io.Discard), errUnsigned)
		})
	}
}

// Who may push to a repository can attach anything to its images.
func TestAnAttachmentThatCanNotBeReadHidesNoSignature(t *testing.T) {
	private, public := pair(t, newKey(t, elliptic.P256()))
	signer, _, err := readKey(private)
	require.NoError(t, err)
	host := serve(t, registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(true)))
	statement, err := newProvenance(options{release: release{version: version, revision: revision}, builder: source}, small(t), []compile.Program{{Platform: platforms[0], Info: info()}})
	require.NoError(t, err)
	for name, signed := range map[string]bool{"signed": true, "unsigned": false} {
		t.Run(name, func(t *testing.T) {
			built := small(t)
			descriptor, err := partial.Descriptor(built.index)
			require.NoError(t, err)
			require.NoError(t, built.attach(envelopeType, []byte("{"), *descriptor, release{}))
			if signed {
				require.NoError(t, built.attach(envelopeType, sealed(t, signer, provenanceType, statement), *descriptor, release{}))
			}
			target := host + "/" + name + ":v1"
			require.NoError(t, push(t.Context(), parseTag(t, target), built))
			err = run(t.Context(), []string{"verify", "--key", public, target}, io.Discard)
			if signed {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, errUnsigned)
			require.ErrorContains(t, err, "skipped sha256:")
		})
	}
}

func TestASignatureOfAnotherImageCountsAsNone(t *testing.T) {
	private, public := pair(t, newKey(t, elliptic.P256()))
	host := serve(t, registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(true)))
	signer, _, err := readKey(private)
	require.NoError(t, err)
	digest, err := small(t).index.Digest()
	require.NoError(t, err)
	statement, err := newProvenance(options{release: release{version: version, revision: revision}, builder: source}, small(t), []compile.Program{{Platform: platforms[0], Info: info()}})
	require.NoError(t, err)
	require.Contains(t, string(statement), digest.Hex)
	for name, seal := range map[string]func() []byte{
		"a statement about another digest": func() []byte {
			other := bytes.ReplaceAll(statement, []byte(digest.Hex), bytes.Repeat([]byte("ab"), 32))
			return sealed(t, signer, provenanceType, other)
		},
		"another type of document": func() []byte { return sealed(t, signer, "text/plain", statement) },
		"a payload that was changed": func() []byte {
			return tampered(t, sealed(t, signer, provenanceType, statement), func(e *dsse.Envelope) {
				e.Payload = base64.StdEncoding.EncodeToString(append(statement, ' '))
			})
		},
		"no signature": func() []byte {
			return tampered(t, sealed(t, signer, provenanceType, statement), func(e *dsse.Envelope) { e.Signatures = nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			built := small(t)
			descriptor, err := partial.Descriptor(built.index)
			require.NoError(t, err)
			require.NoError(t, built.attach(envelopeType, seal(), *descriptor, release{}))
			target := host + "/other/" + filepath.Base(t.TempDir()) + ":v1"
			require.NoError(t, push(t.Context(), parseTag(t, target), built))
			require.ErrorIs(t, run(t.Context(), []string{"verify", "--key", public, target}, io.Discard), errUnsigned)
		})
	}
}

func TestOneTypeOfKeySigns(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	wide, _ := pair(t, newKey(t, elliptic.P384()))
	other, _ := pair(t, rsaKey)
	_, public := pair(t, newKey(t, elliptic.P256()))
	text := filepath.Join(t.TempDir(), "key.txt")
	require.NoError(t, os.WriteFile(text, []byte("no key"), 0o600))
	for name, test := range map[string]struct{ file, says string }{
		"P-384":        {wide, "has no ECDSA P-256 key"},
		"RSA":          {other, "has no ECDSA P-256 key"},
		"a text":       {text, "has no ECDSA P-256 key"},
		"a public key": {public, "the private one signs"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), arguments(t.TempDir(), t.TempDir(), "--key", test.file), io.Discard)
			require.ErrorContains(t, err, "--key: "+test.file)
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestWhatCanNotBeVerifiedIsNamed(t *testing.T) {
	_, public := pair(t, newKey(t, elliptic.P256()))
	host := serve(t, registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"no image":                  {[]string{"--key", public}, "set IMAGE to REGISTRY/NAME:TAG"},
		"an image without a tag":    {[]string{"--key", public, host + "/aero"}, "set IMAGE to REGISTRY/NAME:TAG"},
		"no key":                    {[]string{host + "/aero:v1"}, "--key: reading the key"},
		"an image that isn't there": {[]string{"--key", public, host + "/aero:v1"}, "finding " + host + "/aero:v1"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ErrorContains(t, run(t.Context(), append([]string{"verify"}, test.args...), io.Discard), test.says)
		})
	}
}

func sealed(t *testing.T, key dsse.Signer, payloadType string, payload []byte) []byte {
	t.Helper()
	signer, err := dsse.NewEnvelopeSigner(key)
	require.NoError(t, err)
	envelope, err := signer.SignPayload(t.Context(), payloadType, payload)
	require.NoError(t, err)
	raw, err := json.Marshal(envelope)
	require.NoError(t, err)
	return raw
}

func tampered(t *testing.T, raw []byte, change func(*dsse.Envelope)) []byte {
	t.Helper()
	envelope := new(dsse.Envelope)
	require.NoError(t, json.Unmarshal(raw, envelope))
	change(envelope)
	raw, err := json.Marshal(envelope)
	require.NoError(t, err)
	return raw
}

func TestKeysOfOpenSSLSign(t *testing.T) {
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl isn't installed")
	}
	folder := t.TempDir()
	private, public := filepath.Join(folder, "key.pem"), filepath.Join(folder, "key.pub")
	for _, args := range [][]string{
		{"genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", private},
		{"pkey", "-in", private, "-pubout", "-out", public},
	} {
		output, err := exec.CommandContext(t.Context(), openssl, args...).CombinedOutput()
		require.NoError(t, err, string(output))
	}
	signer, _, err := readKey(private)
	require.NoError(t, err)
	signed, err := sign(t.Context(), signer, []byte("a statement"))
	require.NoError(t, err)
	envelope := new(dsse.Envelope)
	require.NoError(t, json.Unmarshal(signed, envelope))

	// openssl itself verifies what is signed, which the format has as PAE.
	payload, signature := filepath.Join(folder, "payload"), filepath.Join(folder, "signature")
	raw, err := base64.StdEncoding.DecodeString(envelope.Signatures[0].Sig)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(signature, raw, 0o600))
	require.NoError(t, os.WriteFile(payload, []byte("DSSEv1 28 application/vnd.in-toto+json 11 a statement"), 0o600))
	output, err := exec.CommandContext(t.Context(), openssl, "dgst", "-sha256", "-verify", public, "-signature", signature, payload).CombinedOutput()
	require.NoError(t, err, string(output))
	assert.Contains(t, string(output), "Verified OK")
}
