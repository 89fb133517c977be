// Package metricsserver configures the metrics endpoint: plain HTTP, HTTPS with authorization by the API server, or HTTPS
// with client certificates.
//
//	options.go  flags, and the server's options
//	access.go   authentication and authorization by the API server
package metricsserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// The files in the directory of --metrics-cert-dir, as a Secret of type kubernetes.io/tls mounts them.
const (
	certFile = "tls.crt"
	keyFile  = "tls.key"
)

// AddressFlag is the flag of the server's address.
const AddressFlag = "metrics-bind-address"

// Options of the metrics endpoint.
type Options struct {
	Address  string // "0" for none
	Secure   bool   // HTTPS
	CertDir  string // "" for a self-signed certificate
	ClientCA string // "" for authorization by the API server
}

// BindFlags adds the flags of the metrics endpoint.
func (o *Options) BindFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.Address, AddressFlag, ":8080", "Address of the metrics endpoint. 0 disables it.")
	fs.BoolVar(&o.Secure, "metrics-secure", false, "HTTPS for metrics, for clients with permission to get /metrics. Without it, metrics are served over plain HTTP to all clients.")
	fs.StringVar(&o.CertDir, "metrics-cert-dir", "", "Directory with "+certFile+" and "+keyFile+
		" for --metrics-secure, reloaded when they change. Defaults to a self-signed certificate.")
	fs.StringVar(&o.ClientCA, "metrics-client-ca", "",
		"File with CA certificates for --metrics-secure. Clients authenticate by a certificate of theirs instead of a permission.")
}

// Validate returns an error that names the first invalid flag.
func (o *Options) Validate() error {
	switch {
	case !o.Secure && o.CertDir != "":
		return errors.New("--metrics-cert-dir requires --metrics-secure: without it, metrics are served over plain HTTP")
	case !o.Secure && o.ClientCA != "":
		return errors.New("--metrics-client-ca requires --metrics-secure: without it, metrics are public")
	}
	if o.CertDir != "" {
		// Without the files, the server would use a self-signed certificate.
		if _, err := tls.LoadX509KeyPair(filepath.Join(o.CertDir, certFile), filepath.Join(o.CertDir, keyFile)); err != nil {
			return fmt.Errorf("--metrics-cert-dir must have a certificate and its key in %s and %s: %w", certFile, keyFile, err)
		}
	}
	if o.ClientCA != "" {
		if _, err := readCAs(o.ClientCA); err != nil {
			return fmt.Errorf("--metrics-client-ca: %w", err)
		}
	}
	return nil
}

// Server returns the options of controller-runtime's metrics server.
func (o *Options) Server() server.Options {
	s := server.Options{BindAddress: o.Address, SecureServing: o.Secure, CertDir: o.CertDir, CertName: certFile, KeyName: keyFile}
	switch {
	case !o.Secure:
	case o.ClientCA != "":
		s.TLSOpts = append(s.TLSOpts, o.requireClientCertificate)
	default:
		s.FilterProvider = newFilter
	}
	return s
}

// Serve serves metrics in the background until ctx is done, also while there is no manager. stop gets the error of a server that
// ends by itself.
func (o *Options) Serve(ctx context.Context, config *rest.Config, stop context.CancelCauseFunc) error {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return fmt.Errorf("making a client for the reviews of metrics requests: %w", err)
	}
	served, err := server.NewServer(o.Server(), config, client)
	if err != nil || served == nil { // the address is 0
		return err
	}
	go func() {
		if err := served.Start(ctx); err != nil {
			stop(fmt.Errorf("serving metrics: %w", err))
		}
	}()
	return nil
}

// requireClientCertificate accepts clients with a certificate of a CA in the file. The file is read for each connection:
// scrapers open few, and the CA is replaced some day.
func (o *Options) requireClientCertificate(config *tls.Config) {
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		pool, err := readCAs(o.ClientCA)
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
