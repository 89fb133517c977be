// Package connectionsecret tests the kind ConnectionSecret on a real control plane: its Secret follows what the source connects with, and
// applications log in with nothing else. The control plane serves ReferenceGrants of the Gateway API.
package connectionsecret
