package main

import (
	"bytes"
	"encoding/pem"
	"fmt"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// certificates is Mozilla's list of CAs as the Go project keeps it, in PEM. It comes from a module, not from this machine,
// so go.sum says which list it is. CAs that are trusted with conditions are left out: PEM can't say the conditions.
func certificates() ([]byte, error) {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, fmt.Errorf("writing the CA certificates: %w", err)
		}
	}
	return out.Bytes(), nil
}
