package credentials

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// Problem is why there is no usable token.
type Problem string

// The problems.
const (
	NoneConfigured Problem = "NoneConfigured" // no spec.authSecretRef, and the operator has no default token
	SecretMissing  Problem = "SecretMissing"  // the Secret doesn't exist
	KeyMissing     Problem = "KeyMissing"     // the Secret has no such key
	Empty          Problem = "Empty"          // the value is empty, or white space
	Malformed      Problem = "Malformed"      // white space, control or non-ASCII characters within the token
)

// MissingError means that an object has no usable token, and that a user has to provide one.
type MissingError struct {
	// Secret and Key are where the token should be; zero if it is the operator's default token.
	Secret types.NamespacedName
	Key    string
	// Problem is what is wrong there.
	Problem Problem
}

// Error names the problem and what to do. It never holds anything of the value.
func (e *MissingError) Error() string {
	place := placeOf(e.Secret, e.Key)
	switch e.Problem {
	case SecretMissing:
		return fmt.Sprintf("Secret %s doesn't exist: create it with the Aiven token under the key %q, or change spec.authSecretRef", e.Secret, e.Key)
	case KeyMissing:
		// No colon after the quoted key: it would read like a value that has to be redacted.
		return fmt.Sprintf("Secret %s has no key %q, so add it with the Aiven token, or change spec.authSecretRef.key", e.Secret, e.Key)
	case Empty:
		return place + " is empty: put an Aiven token there"
	case Malformed:
		return place + " isn't a token, it has white space, control or non-ASCII characters within: put one Aiven token there and nothing else"
	default:
		return "no Aiven token: set spec.authSecretRef, or configure a default token for the operator"
	}
}

// placeOf is where a token is, for messages. No Secret means the default token.
func placeOf(secret types.NamespacedName, key string) string {
	if secret.Name == "" {
		return "the operator's default token"
	}
	return fmt.Sprintf("key %q of Secret %s", key, secret)
}

// with completes the error with its problem.
func (e MissingError) with(problem Problem) error {
	e.Problem = problem
	return &e
}
