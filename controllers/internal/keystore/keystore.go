// Package keystore makes key stores for Java from certificates and keys in PEM.
//
// A key store usually has random salts, and so other bytes each time it is made: each reconcile would write the Secret. Those of this
// package depend on the contents.
package keystore

import (
	"bytes"
	"crypto"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strconv"

	"software.sslmate.com/src/go-pkcs12"
)

// The keys of a Secret with key stores.
const (
	KeyStore   = "keystore.p12"   // the certificate and the key of the client
	TrustStore = "truststore.p12" // the CA of the server
)

// Contents are what the key stores hold, in PEM. What there is none of is empty.
type Contents struct {
	// Cert is that of the client, maybe with those that signed it behind it, and Key belongs to it.
	Cert, Key string
	// CA signs the certificates of servers.
	CA string
}

// PKCS12 returns the key stores by their keys in the Secret, as far as there are contents for them. It is pure: the same input gives the
// same bytes, so a Secret is written only when the contents or the password change.
//
// Its errors hold nothing of the contents, and no password.
func PKCS12(contents Contents, password string) (map[string][]byte, error) {
	if password == "" {
		return nil, errors.New("the password of the key stores is empty")
	}
	made := map[string][]byte{}
	if contents.Cert != "" {
		store, err := keyStore(contents, password)
		if err != nil {
			return nil, err
		}
		made[KeyStore] = store
	}
	if contents.CA != "" {
		store, err := trustStore(contents.CA, password)
		if err != nil {
			return nil, err
		}
		made[TrustStore] = store
	}
	return made, nil
}

func keyStore(contents Contents, password string) ([]byte, error) {
	chain, err := certificates("certificate", contents.Cert)
	if err != nil {
		return nil, err
	}
	key, err := privateKey(contents.Key)
	if err != nil {
		return nil, err
	}
	if public, has := chain[0].PublicKey.(interface{ Equal(crypto.PublicKey) bool }); !has || !public.Equal(key.Public()) {
		return nil, errors.New("the private key doesn't belong to the certificate")
	}
	store, err := encoder(KeyStore, chain).Encode(key, chain[0], chain[1:], password)
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", KeyStore, err)
	}
	return store, nil
}

// trustStore names each CA by its number: Java keeps one of each name, and the CAs of a project have one subject while they rotate.
func trustStore(ca, password string) ([]byte, error) {
	trusted, err := certificates("CA", ca)
	if err != nil {
		return nil, err
	}
	entries := make([]pkcs12.TrustStoreEntry, len(trusted))
	for i, one := range trusted {
		entries[i] = pkcs12.TrustStoreEntry{Cert: one, FriendlyName: "ca-" + strconv.Itoa(i)}
	}
	store, err := encoder(TrustStore, trusted).EncodeTrustStoreEntries(entries, password)
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", TrustStore, err)
	}
	return store, nil
}

// encoder takes salts from the certificates, which are public and determine the private key. So a salt isn't used for other contents,
// and nothing of the key or the password can be computed from it.
//
// With a random salt, one would compare with what is published. That would decrypt what a user may have put into the Secret, with as many
// iterations as it asks for.
func encoder(name string, certificates []*x509.Certificate) *pkcs12.Encoder {
	digest := sha256.New()
	for _, one := range certificates {
		digest.Write(one.Raw)
	}
	salts, err := hkdf.Expand(sha256.New, digest.Sum(nil), name, 1<<10)
	if err != nil {
		panic(err) // only for a length beyond 255 digests
	}
	return pkcs12.Modern2023.WithRand(bytes.NewReader(salts))
}

// certificates reads at least one certificate. The name is for errors.
func certificates(name, text string) ([]*x509.Certificate, error) {
	var found []*x509.Certificate
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		one, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("the %s can't be read", name) // an error of the parser may quote it
		}
		found = append(found, one)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("the %s isn't PEM", name)
	}
	return found, nil
}

// privateKey reads a key in the form PKCS#8, which Aiven returns, or in the older ones of RSA and elliptic curves.
func privateKey(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the private key isn't PEM")
	}
	for _, parse := range []func([]byte) (any, error){
		x509.ParsePKCS8PrivateKey,
		func(der []byte) (any, error) { return x509.ParsePKCS1PrivateKey(der) },
		func(der []byte) (any, error) { return x509.ParseECPrivateKey(der) },
	} {
		if key, err := parse(block.Bytes); err == nil {
			if signer, is := key.(crypto.Signer); is {
				return signer, nil
			}
		}
	}
	return nil, errors.New("the private key can't be read")
}
