package otlp

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// defaultTimeout bounds the export of a batch, retries included, as OpenTelemetry's specification has it.
const defaultTimeout = 10 * time.Second

// settings come from the environment variables that OpenTelemetry defines for its exporters.
type settings struct {
	headers map[string]string
	tls     *tls.Config
	gzip    bool
	timeout time.Duration
}

// variable returns the value of a variable and its full name. The one for traces takes precedence over the one for all signals.
func variable(name string) (fullName, value string) {
	for _, prefix := range []string{"OTEL_EXPORTER_OTLP_TRACES_", "OTEL_EXPORTER_OTLP_"} {
		fullName = prefix + name
		if value = os.Getenv(fullName); value != "" {
			break
		}
	}
	return fullName, value
}

// readSettings reads the environment. Errors have no values of headers, which hold tokens.
func readSettings(secure bool) (settings, error) {
	s := settings{timeout: defaultTimeout}
	var err error
	if s.headers, err = readHeaders(); err != nil {
		return s, err
	}
	if s.tls, err = readTLS(secure); err != nil {
		return s, err
	}
	switch name, value := variable("COMPRESSION"); value {
	case "", "none":
	case "gzip":
		s.gzip = true
	default:
		return s, fmt.Errorf("%s must be gzip or none, not %q", name, value)
	}
	if name, value := variable("TIMEOUT"); value != "" {
		milliseconds, err := strconv.Atoi(value)
		if err != nil || milliseconds <= 0 {
			return s, fmt.Errorf("%s must be a number of milliseconds above 0, not %q", name, value)
		}
		s.timeout = time.Duration(milliseconds) * time.Millisecond
	}
	return s, nil
}

// readHeaders reads pairs of key=value whose values are percent-encoded.
func readHeaders() (map[string]string, error) {
	name, list := variable("HEADERS")
	headers := map[string]string{}
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, _ := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); err != nil || key == "" || !strings.Contains(pair, "=") {
			return nil, fmt.Errorf("%s must be a list of key=value, separated by commas, with percent-encoded values", name)
		}
		headers[key] = value
	}
	return headers, nil
}

// readTLS reads the files of certificates. It returns nil if there are none.
func readTLS(secure bool) (*tls.Config, error) {
	files := map[string][]byte{}
	for _, name := range []string{"CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"} {
		fullName, path := variable(name)
		if path == "" {
			continue
		}
		if !secure {
			return nil, fmt.Errorf("%s requires TLS: remove it, or use https:// in --tracing-endpoint", fullName)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s must name a file: %w", fullName, err)
		}
		files[name] = content
	}
	if len(files) == 0 {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca := files["CERTIFICATE"]; ca != nil {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(ca) {
			name, _ := variable("CERTIFICATE")
			return nil, fmt.Errorf("%s must name a file with a certificate in PEM", name)
		}
	}
	if files["CLIENT_CERTIFICATE"] != nil || files["CLIENT_KEY"] != nil {
		pair, err := tls.X509KeyPair(files["CLIENT_CERTIFICATE"], files["CLIENT_KEY"])
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY must name a certificate and its key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
