package credentials

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// Problem is why there is no usable token.
type Problem string

// The problems.
const (
	NoneConfigured Problem = "NoneConfigured" // no spec.authSecretRef, and the operator has no default token
	SecretMissing  Problem = "SecretMissing"  // the Secret doesn't exist
	KeyMissing     Problem = "KeyMissing"     // the Secret has no such key
	Empty          Problem = "Empty"          // the value is empty, or white space
	NotOpen        Problem = "NotOpen"        // no spec.authSecretRef, and the default token isn't for the object's Namespace
	NoNamespace    Problem = "NoNamespace"    // the Secret is in the operator's namespace, which isn't known
	Malformed      Problem = "Malformed"      // white space, control or non-ASCII characters within the token
)

// MissingError means that an object has no usable token, and that a user has to provide one.
type MissingError struct {
	// Secret and Key are where the token should be; zero if it is the operator's default token.
	Secret types.NamespacedName
	Key    string
	// Annotated is the Namespace whose annotation counts, which names the Secret or, if there is none, no Secret; empty if the object does.
	Annotated string
	// Problem is what is wrong there.
	Problem Problem
}

// Error names the problem and what to do. It never holds anything of the value.
func (e *MissingError) Error() string {
	place, by := placeOf(e.Secret, e.Key), "spec.authSecretRef"
	if e.Annotated != "" {
		by = "the annotation " + annotation.TokenSecret + " of Namespace " + e.Annotated
	}
	switch e.Problem {
	case SecretMissing:
		return fmt.Sprintf("Secret %s doesn't exist: create it with the Aiven token under the key %q, or change %s", e.Secret, e.Key, by)
	case KeyMissing:
		// No colon after the quoted key: it would read like a value that has to be redacted.
		return fmt.Sprintf("Secret %s has no key %q, so add it with the Aiven token, or change the key in %s", e.Secret, e.Key, by)
	case Empty:
		return place + " is empty: put an Aiven token there"
	case Malformed:
		return place + " isn't a token, it has white space, control or non-ASCII characters within: put one Aiven token there and nothing else"
	case NoNamespace:
		return fmt.Sprintf("Secret %s is to be in the operator's namespace, which is known in a pod, or by its flag --leader-election-namespace: "+
			"set that, or spec.authSecretRef", e.Secret.Name)
	case NotOpen:
		if e.Annotated != "" {
			return "No Aiven token: " + by + " names no Secret. Set spec.authSecretRef, or ask who administers the Namespace to name one, or to remove the annotation"
		}
		return "No Aiven token: the operator's default token isn't for this namespace. Set spec.authSecretRef, or ask who administers the operator"
	default:
		return "No Aiven token: set spec.authSecretRef, or configure a default token for the operator, or a token Secret for the Namespace"
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
