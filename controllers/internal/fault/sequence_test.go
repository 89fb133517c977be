package fault

import (
	"errors"
	"fmt"
	"testing"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"
)

func TestASequenceKnowsWhetherItsWriteAppliedInPart(t *testing.T) {
	refused := avngen.Error{OperationID: "ServiceUserCredentialsModify", Status: 400, Message: "too short"}
	same := avngen.Error{OperationID: "ServiceIntegrationUpdate", Status: 400, Message: "user config not changed"}
	lost := avngen.Error{OperationID: "ServiceUserCreate", Status: 502, Message: "bad gateway"}
	for name, tc := range map[string]struct {
		calls   []error
		made    int
		class   Class
		partial bool
	}{
		"no call":                                    {class: None},
		"one call that is accepted":                  {calls: []error{nil}, made: 1, class: None},
		"all calls are accepted":                     {calls: []error{nil, nil}, made: 2, class: None},
		"a call that changes nothing doesn't end it": {calls: []error{same, nil, same, nil}, made: 4, class: None},
		"what changes nothing isn't a part of it":    {calls: []error{same, refused}, made: 2, class: Rejected},
		"the first call is refused":                  {calls: []error{refused, nil}, made: 1, class: Rejected},
		"the end of the first call isn't known":      {calls: []error{lost, nil}, made: 1, class: Server},
		"the second call is refused":                 {calls: []error{nil, refused, nil}, made: 2, class: Rejected, partial: true},
		"the end of the second call isn't known":     {calls: []error{nil, lost}, made: 2, class: Server, partial: true},
		"the second call wasn't made, as it's early": {calls: []error{nil, NotYet("a task runs")}, made: 2, class: Conflict, partial: true},
	} {
		t.Run(name, func(t *testing.T) {
			var s Sequence
			made := 0
			for _, err := range tc.calls {
				s.Then("setting password", func() error { made++; return err })
			}
			assert.Equal(t, tc.made, made)
			err := s.Err()
			if err != nil {
				assert.ErrorContains(t, err, "setting password: ")
				err = fmt.Errorf("reconciling: %w", errors.Join(err, nil))
			}
			assert.Equal(t, tc.class, Of(err).Class, "the class is that of the call that failed")
			assert.Equal(t, tc.partial, Partial(err))
			if tc.partial {
				single := fmt.Errorf("setting password: %w", tc.calls[1])
				assert.Equal(t, Of(single), Of(s.Err()), "the text is, too")
				assert.Equal(t, FromAiven(single), FromAiven(err))
			}
		})
	}
}
