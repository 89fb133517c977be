package deletion

import (
	"errors"
	"fmt"
	"testing"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestWhatADeletionReturnedDecidesHowItGoesOn(t *testing.T) {
	down := errors.New("connection refused")
	rejected := avngen.Error{Status: 401, Message: "Invalid token"}
	refusal := avngen.Error{Status: 400, OperationID: "Set", Message: "It is managed elsewhere."}
	const remedy = ". Remove the cause, or set the annotation controllers.aiven.io/deletion-policy=Orphan"
	owns := avngen.Error{Status: 409, Message: "The user owns things"}
	for name, tc := range map[string]struct {
		err  error
		want Outcome
	}{
		"nothing is left":                   {nil, Outcome{Done: true}},
		"Aiven works on it":                 {fmt.Errorf("deleting: %w", ErrPending), Outcome{Pending: true}},
		"the kind names what is in the way": {fmt.Errorf("deleting: %w", &BlockedError{Reason: "a pool"}), Outcome{Blocked: "a pool"}},
		"Aiven names what is in the way":    {owns, Outcome{Blocked: fault.Of(owns).Message}},
		"Aiven refuses for good":            {Refused(fmt.Errorf("resetting: %w", refusal)), Outcome{Blocked: fault.Of(refusal).Message + remedy}},
		"a rejected token":                  {rejected, Outcome{Err: rejected}},
		"an error":                          {down, Outcome{Err: down}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, Of(tc.err)) })
	}
}
