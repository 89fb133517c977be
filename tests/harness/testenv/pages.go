package testenv

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everywhere are the conditions that docs/user/status.md has for all kinds.
var everywhere = []string{
	"Ready", "Stalled", "Reconciling", "Paused", "Drifted", "ChangesPending", "ConfigValid", "AuthValid", "DependenciesReachable", "Initialized", "Running", "Error",
}

// unasked are operations that no object asks for: by this one the client finds out which tokens share a rate limit.
var unasked = []string{
	"UserInfo",
	"ProjectServiceTypesGet", "ProjectServicePlanSpecsGet", "ServiceKafkaConnectGetConnectorConfiguration", "VpcGet", // by kubectl aero export alone
}

// pages are those of the kinds in the documentation, by their names. They are read once.
var pages = sync.OnceValues(func() (map[string]string, error) {
	read := map[string]string{}
	for _, kind := range KindNames() {
		page, err := os.ReadFile(filepath.Join(shared.root, "docs/user/kinds", strings.ToLower(kind)+".md"))
		if err != nil {
			return nil, err
		}
		read[kind] = string(page)
	}
	return read, nil
})

// auditPages wants all that a test has seen of a kind on the page of the kind: its conditions, and the operations of Aiven.
func (e *Env) auditPages() {
	read, err := pages()
	require.NoError(e.T, err)
	missing := map[string]bool{}
	for _, h := range e.recorder.histories() {
		for _, seen := range h.states {
			kind := kindName(seen.object)
			for _, c := range seen.object.GetCommonStatus().Conditions {
				if !slices.Contains(everywhere, c.Type) && !strings.Contains(read[kind], "`"+c.Type+"`") {
					missing["condition "+c.Type+" of "+kind+": add it to generators/pages/facts.go"] = true
				}
			}
		}
	}
	serving := ""
	for _, kind := range e.kinds {
		serving += read[kindName(kind.GetObject())]
	}
	for _, call := range e.Aiven.Calls(0) {
		if !slices.Contains(unasked, call.Operation) && !strings.Contains(serving, "`"+call.Operation+"`") {
			missing["operation "+call.Operation+" of the kinds that this test runs: generators/pages/calls doesn't find it"] = true
		}
	}
	assert.Empty(e.T, missing, "not on a page in docs/user/kinds")
}
