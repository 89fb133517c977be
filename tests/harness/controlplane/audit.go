package controlplane

import (
	"fmt"
	"os"
	"path/filepath"
)

// auditPolicy records every request, and the bodies of those for aiven.io. The
// RequestReceived stage would only double the lines. The first rule that
// matches counts.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Request
    resources:
      - group: aiven.io
  - level: Metadata
`

// auditMaxMegabytes keeps the audit log in one file: readers of it don't
// expect a rotation.
const auditMaxMegabytes = "10240"

// auditArgs returns the API server's flags for an audit log at path, having
// written the policy: without one it would record nothing.
func (c *ControlPlane) auditArgs(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding the audit log: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("creating the folder of the audit log: %w", err)
	}
	policy := c.data.File("audit-policy.yaml")
	if err := writeSecret(policy, []byte(auditPolicy)); err != nil {
		return nil, err
	}
	return []string{
		"--audit-policy-file=" + policy,
		"--audit-log-path=" + path,
		// An answer is given only once its event is in the file.
		"--audit-log-mode=blocking",
		"--audit-log-maxsize=" + auditMaxMegabytes,
	}, nil
}
