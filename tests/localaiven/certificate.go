package localaiven

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"
)

// certificate is what a user of Kafka shows to log in, in PEM.
type certificate struct {
	cert, key string
	until     string // its end, as answers show it
	// previousUntil is the end of the one before, while that is valid, too; empty otherwise.
	previousUntil string
}

// certify gives a user a certificate of the project's CA, where the type of service has them.
func (svc *service) certify(u *user) error { return svc.certifyUntil(u, time.Time{}) }

// certifyUntil is certify with an end; the zero time is the usual one.
func (svc *service) certifyUntil(u *user, until time.Time) error {
	if !svc.kind.certified {
		return nil
	}
	ca, err := svc.project.ca()
	if err != nil {
		return fmt.Errorf("making the project CA: %w", err)
	}
	cert, key, err := ca.IssueUntil(until, u.name)
	if err != nil {
		return fmt.Errorf("issuing a certificate: %w", err)
	}
	block, _ := pem.Decode([]byte(cert))
	if block == nil {
		return errors.New("reading a new certificate: no PEM")
	}
	parsed, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return fmt.Errorf("reading a new certificate: %w", err)
	}
	u.certificate = &certificate{cert: cert, key: key, until: timestamp(parsed.NotAfter)}
	return nil
}

// shown is the certificate for an answer.
func (c *certificate) shown(secrets bool) certificate {
	if secrets {
		return *c
	}
	return certificate{redacted, redacted, c.until, c.previousUntil}
}
