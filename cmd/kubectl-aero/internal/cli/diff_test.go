package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/preview"
)

func TestTheExitCodeOfADiffIsThatOfTheWorstObject(t *testing.T) {
	t.Parallel()
	disruptive := preview.Result{Action: preview.Update, Changes: []preview.Change{{Path: "spec.plan", Impacts: []preview.Impact{"NodesReplaced"}}}}
	only := func(action preview.Action) preview.Result { return preview.Result{Action: action} }
	for name, tc := range map[string]struct {
		objects []preview.Result
		want    error
	}{
		"nothing would be changed":       {[]preview.Result{only(preview.Nothing), only(preview.Leave)}, nil},
		"something would be created":     {[]preview.Result{only(preview.Nothing), only(preview.Create)}, exitError(1)},
		"something would be changed":     {[]preview.Result{only(preview.Update), only(preview.Leave)}, exitError(1)},
		"something is disruptive":        {[]preview.Result{only(preview.Create), disruptive}, exitError(2)},
		"something couldn't be compared": {[]preview.Result{disruptive, only(preview.Unknown)}, exitError(3)},
		"something would be refused":     {[]preview.Result{only(preview.Nothing), only(preview.Refuse)}, exitError(3)},
		"refused beside what is changed": {[]preview.Result{disruptive, only(preview.Refuse), only(preview.Create)}, exitError(3)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, differences{Objects: tc.objects}.status())
		})
	}
}
