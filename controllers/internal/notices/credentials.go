package notices

import (
	"crypto/x509"
	"encoding/pem"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// OfCredentials returns the dates of the credentials in connection details, whose keys are without a prefix: the certificates in them,
// and what Aiven reports of the user; nil if none is known. user is nil for details without one.
func OfCredentials(details map[string]string, user *aiven.User) *v1alpha1.Credentials {
	c := v1alpha1.Credentials{CertificateNotAfter: notAfter(details["ACCESS_CERT"]), CANotAfter: notAfter(details["CA_CERT"])}
	if user != nil {
		c.PasswordUpdatedAt = timeOf(user.PasswordUpdatedTime)
	}
	if user != nil && details["ACCESS_CERT"] != "" {
		c.ExpiringCertificateNotAfter = timeOf(user.ExpiringCertNotValidAfterTime)
		if c.CertificateNotAfter == nil {
			c.CertificateNotAfter = timeOf(user.AccessCertNotValidAfterTime)
		}
	}
	if c == (v1alpha1.Credentials{}) {
		return nil
	}
	return &c
}

// notAfter is the earliest end of the certificates in a PEM: clients verify all of a chain. It is nil if the text has none, or one that
// can't be read.
func notAfter(text string) *metav1.Time {
	var earliest time.Time
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return timeOf(&earliest)
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil
		}
		if earliest.IsZero() || certificate.NotAfter.Before(earliest) {
			earliest = certificate.NotAfter
		}
	}
}
