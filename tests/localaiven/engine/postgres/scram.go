package postgres

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/secure/precis"
)

const scramIterations = 4096

// verifier is what PostgreSQL stores for a password (RFC 5803). Made here, the
// password itself never is in a statement, so no log and no view can show it.
func verifier(password string) (string, error) {
	salt := make([]byte, 16)
	// Never fails: it ends the program instead.
	_, _ = rand.Read(salt)
	return derive(password, salt, scramIterations)
}

// verifies reports whether the stored verifier is one of this password.
func verifies(stored, password string) bool {
	parts := strings.FieldsFunc(stored, func(r rune) bool { return r == '$' || r == ':' })
	if len(parts) != 5 {
		return false
	}
	iterations, err := strconv.Atoi(parts[1])
	if err != nil {
		return false
	}
	salt, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil {
		return false
	}
	derived, err := derive(password, salt, iterations)
	return err == nil && subtle.ConstantTimeCompare([]byte(stored), []byte(derived)) == 1
}

func derive(password string, salt []byte, iterations int) (string, error) {
	// As PostgreSQL does it: a password that can't be normalized is used as it is.
	if normalized, err := precis.OpaqueString.String(password); err == nil {
		password = normalized
	}
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("hashing the password: %w", err)
	}
	stored := sha256.Sum256(sign(salted, "Client Key"))
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, encode(salt), encode(stored[:]), encode(sign(salted, "Server Key"))), nil
}

func sign(key []byte, message string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(message))
	return mac.Sum(nil)
}
