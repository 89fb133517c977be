package controlplane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// certLifetime is far longer than any control plane here lives.
const certLifetime = 365 * 24 * time.Hour

// authority signs the API server's certificate and those of its users.
type authority struct {
	key  crypto.Signer
	cert *x509.Certificate
}

func newAuthority() (*authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	root, err := cert.NewSelfSignedCACert(cert.Config{CommonName: "aero-control-plane"}, key)
	if err != nil {
		return nil, fmt.Errorf("creating the certificate authority: %w", err)
	}
	return &authority{key: key, cert: root}, nil
}

// serving returns the PEM certificate and key of a server on loopback.
func (a *authority) serving() (certPEM, keyPEM []byte, err error) {
	return a.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: apiServerName},
		DNSNames:    []string{"localhost", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.ParseIP(loopback)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

// client returns the PEM certificate and key by which the API server knows a
// user: the name is the subject's common name, the groups its organizations.
func (a *authority) client(name string, groups []string) (certPEM, keyPEM []byte, err error) {
	return a.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: name, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// root returns the authority's own certificate as PEM.
func (a *authority) root() ([]byte, error) {
	out, err := cert.EncodeCertificates(a.cert)
	if err != nil {
		return nil, fmt.Errorf("encoding the certificate authority: %w", err)
	}
	return out, nil
}

func (a *authority) sign(template *x509.Certificate) (certPEM, keyPEM []byte, err error) {
	key, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, fmt.Errorf("choosing a serial number: %w", err)
	}
	template.SerialNumber = serial
	// The past hour forgives clocks that differ.
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().Add(certLifetime)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, nil, fmt.Errorf("signing the certificate of %q: %w", template.Subject.CommonName, err)
	}
	signed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the certificate of %q: %w", template.Subject.CommonName, err)
	}
	if certPEM, err = cert.EncodeCertificates(signed); err != nil {
		return nil, nil, fmt.Errorf("encoding the certificate of %q: %w", template.Subject.CommonName, err)
	}
	if keyPEM, err = keyutil.MarshalPrivateKeyToPEM(key); err != nil {
		return nil, nil, fmt.Errorf("encoding the key of %q: %w", template.Subject.CommonName, err)
	}
	return certPEM, keyPEM, nil
}

func newKey() (crypto.Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("creating a key: %w", err)
	}
	return key, nil
}
