package connectionsecret

import "fmt"

// GrantError means that an object may not read another one. It says nothing about whether that exists.
type GrantError struct {
	// Field is the one in the spec, Kind that of the object it names, in the group aiven.io.
	Field, Kind string
	// Namespace is that of the object it names, From that of the ConnectionSecret.
	Namespace, From string
	// Unserved means that the cluster doesn't serve grants.
	Unserved bool
}

// Error names the grant that is needed.
func (e *GrantError) Error() string {
	text := fmt.Sprintf("%s needs a ReferenceGrant in the namespace %s, from ConnectionSecret of aero-operator.io in the namespace %s to %s of aiven.io",
		e.Field, e.Namespace, e.From, e.Kind)
	if e.Unserved {
		text += ". The cluster doesn't serve ReferenceGrants: install the Gateway API"
	}
	return text
}

// MissingError means that an object or a key doesn't exist that the spec names.
type MissingError struct {
	// Field is the one in the spec, Target what it names: "ServiceUser data/orders".
	Field, Target string
}

// Error names both.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s: %s doesn't exist. Create it, or correct the name", e.Field, e.Target)
}

// ConflictError means that another object already manages what the spec names.
type ConflictError struct {
	// Field is the one in the spec, Target what it names: "ServiceUser data/orders". By is the object that changes it, Remedy what to do.
	Field, Target, By, Remedy string
}

// Error names both.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: %s is already managed by %s. %s", e.Field, e.Target, e.By, e.Remedy)
}

// WaitError means that a later reconcile will find what is missing now. What changes enqueues the object, unless it is unwatched.
type WaitError struct {
	// For completes the sentence "Waiting for".
	For string
	// Observed means that it was there before, or wasn't yet, and is known not to be now. After a restart, nothing is known.
	Observed bool
	// Unwatched means that nothing enqueues the object then.
	Unwatched bool
}

// Error names what is waited for.
func (e *WaitError) Error() string { return "Waiting for " + e.For }

// GoneError is an error of an object whose Secret was published, and isn't there any longer.
type GoneError struct{ Err error }

// Error is that of the error.
func (e *GoneError) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *GoneError) Unwrap() error { return e.Err }
