package localaiven

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/aero-operator/aero/tests/localaiven/userconfig"
)

// redacted stands in for a secret, in the journal and in answers that may not show it.
const redacted = userconfig.Redacted

// secretWords make a key's value a secret when its name contains one; URIs are, as they carry credentials.
var secretWords = []string{
	"password", "secret", "token", "credential", "private_key", "access_key", "api_key", "access_cert", "_uri", "_url",
	"connection_string", "client_key", "account_key", "deployment_key", "signing_key",
	// of connectors
	"jaas", "user_info", "headers_authorization", "master_key", "keystore_key", "keyfile",
}

// secretSettings are names that are secrets inside a user_config only.
var secretSettings = []string{"key", "url"}

// plainKeys have the dots and dashes of connectors' keys like all others.
var plainKeys = strings.NewReplacer(".", "_", "-", "_")

// identified is where SQL has a password.
var identified = regexp.MustCompile(`(?is)(\bIDENTIFIED\b[^']*\bBY\s*)'(?:[^'\\]|\\.|'')*'`)

// redact returns body with the values of secret keys replaced. A body that isn't JSON is replaced as a whole.
func redact(body []byte) json.RawMessage {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		value = "<not JSON>"
	}
	clean, err := json.Marshal(withoutSecrets(value))
	if err != nil {
		return nil
	}
	return clean
}

// withoutSecrets returns a copy of a decoded JSON value. A secret null stays: it says that there is none.
func withoutSecrets(value any) any { return strip(value, false) }

// strip is withoutSecrets outside of a user_config, and inside.
func strip(value any, setting bool) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			if item != nil && (isSecret(key) || setting && slices.Contains(secretSettings, key)) {
				out[key] = redacted
				continue
			}
			out[key] = strip(item, setting || key == "user_config")
			if query, ok := item.(string); ok && key == "query" {
				out[key] = identified.ReplaceAllString(query, "$1'"+redacted+"'")
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = strip(item, setting)
		}
		return out
	}
	return value
}

// isSecret goes by the name. An object under a secret name is a secret as a whole, but a switch is none.
func isSecret(key string) bool {
	key = plainKeys.Replace(strings.ToLower(key))
	if key == "password_encryption" || key == "operation" {
		return false
	}
	for _, word := range secretWords {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}

// tokenHash distinguishes tokens without showing them.
func tokenHash(token string) string {
	if token == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:4])
}
