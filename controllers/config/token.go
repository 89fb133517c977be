package config

import (
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/credentials"
)

// ReadDefaultToken reads the file with the default token for the first time.
func (c *Config) ReadDefaultToken() (err error) {
	switch {
	case c.DefaultTokenFile == "" && c.DefaultTokenOptional:
		return errors.New("--default-token-optional requires --default-token-file")
	case c.DefaultTokenFile == "":
		return nil
	case c.DefaultToken != "":
		return errors.New("DEFAULT_AIVEN_TOKEN and --default-token-file are both set: remove one of them")
	}
	if c.defaultToken, err = credentials.ReadDefault(c.DefaultTokenFile, c.DefaultTokenOptional); err != nil {
		return fmt.Errorf("--default-token-file: %w", err)
	}
	return nil
}

// Tokens resolves tokens by the configuration.
func (c *Config) Tokens(live client.Reader, cache *credentials.Cache) credentials.Resolver {
	byDefault := c.defaultToken
	if byDefault == nil {
		byDefault = credentials.NewDefault(c.DefaultToken)
	}
	return credentials.Resolver{
		Reader: live, Cache: cache, Default: byDefault, Open: c.DefaultTokenFor.Matches, Fallback: c.DefaultTokenFallback,
		Namespace: c.OperatorNamespace,
	}
}
