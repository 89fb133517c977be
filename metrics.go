package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// The files in the folder of --metrics-cert-dir, as a Secret of type kubernetes.io/tls mounts them.
const (
	certFile = "tls.crt"
	keyFile  = "tls.key"
)

// metricsOptions say how metrics are served.
type metricsOptions struct {
	address  string
	secure   bool
	certDir  string // "" for a certificate that the manager signs itself
	clientCA string // "" to ask the API server who may read
}

func (m *metricsOptions) bindFlags(fs *flag.FlagSet) {
	fs.StringVar(&m.address, "metrics-bind-address", ":8080", "address of the metrics endpoint, 0 for none")
	fs.BoolVar(&m.secure, "metrics-secure", false, "serve metrics by HTTPS, to those whom the API server lets get /metrics")
	fs.StringVar(&m.certDir, "metrics-cert-dir", "",
		"with --metrics-secure: folder of "+certFile+" and "+keyFile+", read anew when they change; without, the manager signs a certificate itself")
	fs.StringVar(&m.clientCA, "metrics-client-ca", "",
		"with --metrics-secure: file of CA certificates; who has a client certificate of theirs may read metrics, and the API server isn't asked")
}

// validate names the first flag that can't be right.
func (m *metricsOptions) validate() error {
	switch {
	case !m.secure && m.certDir != "":
		return errors.New("--metrics-cert-dir needs --metrics-secure: without it, metrics are served by plain HTTP")
	case !m.secure && m.clientCA != "":
		return errors.New("--metrics-client-ca needs --metrics-secure: without it, everybody may read metrics")
	}
	if m.certDir != "" {
		// The server would sign a certificate itself if there were none.
		if _, err := tls.LoadX509KeyPair(filepath.Join(m.certDir, certFile), filepath.Join(m.certDir, keyFile)); err != nil {
			return fmt.Errorf("--metrics-cert-dir must have a certificate and its key in %s and %s: %w", certFile, keyFile, err)
		}
	}
	if m.clientCA != "" {
		if _, err := readCAs(m.clientCA); err != nil {
			return fmt.Errorf("--metrics-client-ca: %w", err)
		}
	}
	return nil
}

// server is what controller-runtime makes of it.
func (m *metricsOptions) server() metricsserver.Options {
	o := metricsserver.Options{BindAddress: m.address, SecureServing: m.secure, CertDir: m.certDir, CertName: certFile, KeyName: keyFile}
	switch {
	case !m.secure:
	case m.clientCA != "":
		o.TLSOpts = append(o.TLSOpts, m.askForCertificate)
	default:
		o.FilterProvider = newAccess
	}
	return o
}

// askForCertificate lets those in who show a certificate of a CA in the file. It is read for each connection: a scraper
// makes few, and a CA is replaced some day.
func (m *metricsOptions) askForCertificate(config *tls.Config) {
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		pool, err := readCAs(m.clientCA)
		if err != nil {
			return nil, err
		}
		strict := config.Clone()
		strict.ClientAuth, strict.ClientCAs = tls.RequireAndVerifyClientCert, pool
		return strict, nil
	}
}

func readCAs(path string) (*x509.CertPool, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading CA certificates: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("%s has no certificate in PEM", path)
	}
	return pool, nil
}
