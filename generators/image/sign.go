package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/json"
	"fmt"
	"os"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"github.com/secure-systems-lab/go-securesystemslib/signerverifier"
)

// readKey reads a private or a public key. There is one type, which cosign's keys have, too.
func readKey(file string) (key *signerverifier.ECDSASignerVerifier, private bool, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, false, fmt.Errorf("--key: reading the key: %w", err)
	}
	refused := fmt.Errorf("--key: %s has no ECDSA P-256 key in PEM without a password", file)
	loaded, err := signerverifier.LoadKey(content)
	if err != nil || loaded.KeyType != signerverifier.ECDSAKeyType {
		return nil, false, refused
	}
	key, err = signerverifier.NewECDSASignerVerifierFromSSLibKey(loaded)
	if err != nil {
		return nil, false, refused
	}
	if public, ok := key.Public().(*ecdsa.PublicKey); !ok || public.Curve != elliptic.P256() {
		return nil, false, refused
	}
	return key, loaded.KeyVal.Private != "", nil
}

// sign puts a statement into an envelope with its signature (DSSE).
func sign(ctx context.Context, key dsse.Signer, statement []byte) ([]byte, error) {
	signer, err := dsse.NewEnvelopeSigner(key)
	if err != nil {
		return nil, fmt.Errorf("signing the provenance: %w", err)
	}
	envelope, err := signer.SignPayload(ctx, provenanceType, statement)
	if err != nil {
		return nil, fmt.Errorf("signing the provenance: %w", err)
	}
	return json.Marshal(envelope)
}
