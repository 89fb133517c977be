package controlplane

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/keyutil"
)

const (
	adminName = "admin"
	// adminGroup is allowed everything, whatever RBAC says.
	adminGroup = "system:masters"
)

// pkiFile is the path of a certificate or key.
func (c *ControlPlane) pkiFile(name string) string { return filepath.Join(c.data.pki(), name) }

// writePKI creates the authority and writes what the programs read: the
// authority, the server's certificate, the key for service account tokens, and
// the token of the admin.
func (c *ControlPlane) writePKI() error {
	var err error
	if c.authority, err = newAuthority(); err != nil {
		return err
	}
	root, err := c.authority.root()
	if err != nil {
		return err
	}
	servingCert, servingKey, err := c.authority.serving()
	if err != nil {
		return err
	}
	tokenKey, err := newKey()
	if err != nil {
		return err
	}
	tokenPEM, err := keyutil.MarshalPrivateKeyToPEM(tokenKey)
	if err != nil {
		return fmt.Errorf("encoding the key for service accounts: %w", err)
	}
	c.adminToken = rand.Text()
	return errors.Join(
		writeSecret(c.pkiFile(caFile), root),
		writeSecret(c.pkiFile(servingCertFile), servingCert),
		writeSecret(c.pkiFile(servingKeyFile), servingKey),
		writeSecret(c.pkiFile(tokenKeyFile), tokenPEM),
		writeSecret(c.pkiFile(tokensFile), fmt.Appendf(nil, "%s,%s,%[2]s,%s\n", c.adminToken, adminName, adminGroup)),
	)
}

// RESTConfig returns a new configuration for a client that may do everything.
// Its requests aren't throttled on the client's side.
func (c *ControlPlane) RESTConfig() *rest.Config { return rest.CopyConfig(c.admin) }

// Kubeconfig returns the kubeconfig (YAML) of the user that may do everything.
// It holds a token.
func (c *ControlPlane) Kubeconfig() []byte { return slices.Clone(c.adminAccess) }

// User returns the configuration of a client that the API server knows by this
// name and these groups, besides system:authenticated. It may do what RBAC
// grants to them: nothing much until a role is bound.
func (c *ControlPlane) User(name string, groups ...string) (*rest.Config, error) {
	certPEM, keyPEM, err := c.authority.client(name, groups)
	if err != nil {
		return nil, err
	}
	user, err := c.anonymous()
	if err != nil {
		return nil, err
	}
	user.CertData, user.KeyData = certPEM, keyPEM
	return user, nil
}

// anonymous returns the configuration of a client without credentials.
func (c *ControlPlane) anonymous() (*rest.Config, error) {
	root, err := c.authority.root()
	if err != nil {
		return nil, err
	}
	// The API server has its own, fairer ways to defend itself.
	return &rest.Config{Host: c.endpoint, TLSClientConfig: rest.TLSClientConfig{CAData: root}, QPS: -1}, nil
}

// kubeconfig renders a client configuration as a kubeconfig with one context.
func kubeconfig(cfg *rest.Config) ([]byte, error) {
	const name = "aero"
	out := clientcmdapi.NewConfig()
	out.Clusters[name] = &clientcmdapi.Cluster{Server: cfg.Host, CertificateAuthorityData: cfg.CAData}
	out.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: cfg.BearerToken, ClientCertificateData: cfg.CertData, ClientKeyData: cfg.KeyData}
	out.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: "default"}
	out.CurrentContext = name
	content, err := clientcmd.Write(*out)
	if err != nil {
		return nil, fmt.Errorf("encoding a kubeconfig: %w", err)
	}
	return content, nil
}
