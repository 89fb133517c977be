package aiven_test

import (
	"context"
	"errors"
	"testing"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// What users read names the operation at its end, and nothing of this project's own.
func TestErrorsOfListsAreFitForConditions(t *testing.T) {
	answer := func(status int, text string) error {
		return avngen.Error{OperationID: "VpcList", Status: status, Message: text}
	}
	for name, tc := range map[string]struct {
		err  error // nil: an answer without the list
		want string
	}{
		"refused":            {answer(403, "Not a member"), "Aiven denied access: Not a member (403 VpcList)"},
		"failed":             {answer(500, "oops"), "Aiven failed: oops (500 VpcList)"},
		"an unknown project": {answer(404, "Project does not exist"), `the project is unknown, or the token may not see it: Project does not exist. Correct spec.project, which is "p", or use another token (404 VpcList)`},
		"no network":         {errors.New("dial tcp: no route to host"), "dial tcp: no route to host (VpcList)"},
		"no list":            {nil, "unclear answer: a 200 with the wrong shape: it holds no list (VpcList)"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, newCloud(), func(v *view) {
				none := aiven.ListSource[[]string]{
					Read:  func(context.Context) ([]string, error) { return nil, tc.err },
					Items: func([]string) map[string]any { return nil },
				}
				_, err := aiven.List(v.t.Context(), v.Client, vpcs, none)
				assert.Equal(v.t, tc.want, fault.Of(err).Message)
			})
		})
	}
	inBubble(t, newCloud(), func(v *view) {
		missing := &inventory{err: avngen.Error{OperationID: "X", Status: 404, Message: "Service does not exist"}}
		_, err := aiven.List(v.t.Context(), v.Client, chUsers, missing.source())
		assert.Equal(v.t, "unclear answer: a list can't be missing: Service does not exist (404 "+chUsers.Operation+")", fault.Of(err).Message)
	})
}
