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
	// former is the one before, while that is valid, too, and previousUntil is its end; both are empty otherwise.
	former, previousUntil string
}

// certify gives a user a certificate of the project's CA, where the type of service has them.
func (svc *service) certify(u *user) (err error) {
	if svc.kind.certified {
		u.certificate, err = svc.issue(u.name, time.Time{})
	}
	return err
}

// issue makes a certificate with an end; the zero time is the usual one.
func (svc *service) issue(name string, until time.Time) (*certificate, error) {
	ca, err := svc.project.ca()
	if err != nil {
		return nil, fmt.Errorf("making the project CA: %w", err)
	}
	cert, key, err := ca.IssueUntil(until, name)
	if err != nil {
		return nil, fmt.Errorf("issuing a certificate: %w", err)
	}
	block, _ := pem.Decode([]byte(cert))
	if block == nil {
		return nil, errors.New("reading a new certificate: no PEM")
	}
	parsed, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading a new certificate: %w", err)
	}
	return &certificate{cert: cert, key: key, until: timestamp(parsed.NotAfter)}, nil
}

// shown is the certificate for an answer.
func (c *certificate) shown(secrets bool) certificate {
	if secrets {
		return *c
	}
	return certificate{cert: redacted, key: redacted, until: c.until, previousUntil: c.previousUntil}
}
