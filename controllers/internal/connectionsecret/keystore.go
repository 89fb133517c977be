package connectionsecret

import (
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/keystore"
)

// Keystores returns the key stores of a login, by their keys in the Secret: that of the client, if it logs in with a certificate, and
// that of the CA, if the endpoint has a certificate of the project's. The same input gives the same bytes.
//
// Error: a fault.InvalidSpec, if there is nothing to put into one, or the password can't be used. It holds no value.
func (v Values) Keystores(password string) (map[string][]byte, error) {
	contents := keystore.Contents{CA: v.CACert}
	if v.byCertificate() {
		contents.Cert, contents.Key = v.AccessCert, v.AccessKey
	}
	if contents == (keystore.Contents{}) {
		return nil, fault.InvalidSpec("spec.keystore", "there is nothing to put into a key store: clients log in with a password, "+
			"and the certificate of the endpoint is of a public CA. Remove the field, or change spec.endpoint")
	}
	stores, err := keystore.PKCS12(contents, password)
	if err != nil {
		return nil, fault.InvalidSpec("spec.keystore", err.Error())
	}
	return stores, nil
}
