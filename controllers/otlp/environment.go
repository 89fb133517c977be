package otlp

import (
	"fmt"
	"os"
	"strings"
)

// validateEnvironment checks variables that the library would only log, or misread. Errors have no values: headers hold tokens.
func validateEnvironment(tls bool) error {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		for pair := range strings.SplitSeq(os.Getenv(name), ",") {
			if strings.TrimSpace(pair) != "" && strings.Index(pair, "=") < 1 {
				return fmt.Errorf("%s must be a list of key=value, separated by commas", name)
			}
		}
	}
	for _, name := range []string{"CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"} {
		for _, name := range []string{"OTEL_EXPORTER_OTLP_" + name, "OTEL_EXPORTER_OTLP_TRACES_" + name} {
			path := os.Getenv(name)
			if path == "" {
				continue
			}
			if !tls {
				return fmt.Errorf("%s requires TLS: remove it, or use https:// in --tracing-endpoint", name)
			}
			if _, err := os.ReadFile(path); err != nil {
				return fmt.Errorf("%s must name a file: %w", name, err)
			}
		}
	}
	return nil
}
