// Package isolation checks the isolation rule: a tenant with the role edit, in a namespace that is limited to projects or that the
// default token isn't open to, reaches no project, token, Secret or resource beyond what its namespace allows, whatever it writes. The
// threats and the boundaries are in docs/user/security.md.
//
// Tenants are generated, see tests/harness/tenant. Most live at the engine: all controllers on a fake API server, where each call of
// Aiven is known to be on account of one object (tests/harness/fakecluster). Some live on a real control plane, where the API server
// refuses what it refuses, watches enqueue, and the journal of Aiven and the audit log are the witnesses.
//
// Leases, the deletion of a Namespace and what a message has of an object in another namespace aren't drawn: they have tests of their
// own, in tests/suites/startup, tests/suites/conformance and controllers/internal/reference.
package isolation
