package credentials

import (
	"fmt"
	"log/slog"
)

const redacted = "[redacted]"

// Token is an Aiven token that only Reveal returns. The zero value is the empty token.
type Token struct {
	// reveal is a function because fmt, and the printers of test libraries, print unexported fields of a struct without
	// calling its methods: of a function they print the address only.
	reveal func() string
}

// NewToken wraps a token.
func NewToken(secret string) Token {
	return Token{reveal: func() string { return secret }}
}

// Reveal returns the token itself, for the one place that sends it to Aiven.
func (t Token) Reveal() string {
	if t.reveal == nil {
		return ""
	}
	return t.reveal()
}

// Format writes a placeholder, whatever the verb.
func (t Token) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprint(state, redacted)
}

// String returns a placeholder.
func (t Token) String() string { return redacted }

// MarshalText returns a placeholder; encoding/json and YAML libraries use it.
func (t Token) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue returns a placeholder.
func (t Token) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalLog returns a placeholder, for loggers behind logr.
func (t Token) MarshalLog() any { return redacted }
