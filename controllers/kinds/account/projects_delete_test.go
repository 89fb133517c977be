package account

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
)

func TestADeletionOfAProject(t *testing.T) {
	unknown, empty := aiventest.Refused(404, "Project does not exist"), aiventest.OK(aiventest.Object{"services": []any{}})
	noNetworks, ok, no := aiventest.OK(aiventest.Object{"vpcs": []any{}}), aiventest.OK(nil), aiventest.Refused(403, "no")
	pg := aiventest.OK(aiventest.Object{"services": []any{aiventest.ServiceFields(nil)}})
	networks := aiventest.OK(aiventest.Object{"vpcs": []any{at("a", "DELETED", nil), at("b", "DELETING", nil)}})
	eachSide(t, func(t *testing.T, s side, _ *world) {
		var again []string // what proves that a project isn't in another organization
		if s.path == "spec.projectId" {
			again = []string{inServices}
		}
		for name, tc := range map[string]struct {
			services, networks, remove, list aiventest.Answer
			later                            aiventest.Answer // of the list of services, if it was answered before
			calls                            []string
			text                             string // of the error; empty for success
			blocked                          bool
		}{
			"done":                        {services: empty, networks: noNetworks, remove: ok, calls: []string{inServices, inNetworks, s.remove}},
			"a service is in it":          {services: pg, networks: noNetworks, calls: []string{inServices, inNetworks}, text: "Project demo has service my-pg in it", blocked: true},
			"a VPC is in it":              {services: empty, networks: networks, calls: []string{inServices, inNetworks}, text: "Project demo has VPC google-europe-west1 10.0.0.0/24 in it. Delete what is in it first", blocked: true},
			"services can't be listed":    {services: aiventest.Refused(500, "oops"), calls: []string{inServices}, text: "listing the services of the project"},
			"services mustn't be listed":  {services: no, calls: []string{inServices}, text: "permission to list the services of project demo", blocked: true},
			"VPCs mustn't be listed":      {services: empty, networks: no, calls: []string{inServices, inNetworks}, text: "permission to list the VPCs of project demo", blocked: true},
			"an answer without services":  {services: aiventest.OK(nil), networks: noNetworks, calls: []string{inServices, inNetworks}, text: "holds no list"},
			"an answer without VPCs":      {services: empty, networks: aiventest.OK(nil), calls: []string{inServices, inNetworks}, text: "holds no list"},
			"it costs money":              {services: empty, networks: noNetworks, remove: aiventest.Refused(403, "Project has an open balance of 12.50 USD"), calls: []string{inServices, inNetworks, s.remove}, text: "open balance of 12.50 USD", blocked: true},
			"Aiven finds something in it": {services: empty, networks: noNetworks, remove: aiventest.Refused(409, "Project has services"), calls: []string{inServices, inNetworks, s.remove}, text: "Project has services", blocked: true},
			"it isn't permitted":          {services: empty, networks: noNetworks, remove: no, calls: []string{inServices, inNetworks, s.remove}, text: "deleting project"},
			"gone already":                {services: unknown, later: unknown, list: s.listed(), calls: append([]string{inServices, s.list}, again...)},
			"gone, but still listed":      {services: unknown, remove: ok, list: s.listed(s.one(nil)), calls: []string{inServices, s.list}, text: "in progress"},
			"VPCs that are hidden":        {services: empty, networks: unknown, remove: ok, list: s.listed(s.one(nil)), calls: []string{inServices, inNetworks, s.list}, text: "in progress"},
			"gone in between":             {services: empty, networks: noNetworks, remove: unknown, later: unknown, list: s.listed(), calls: append([]string{inServices, inNetworks, s.remove, s.list}, again...)},
			"unknown, and no list":        {services: unknown, list: aiventest.Refused(500, "oops"), calls: []string{inServices, s.list}, text: "oops"},
			"unknown, list not permitted": {services: unknown, list: no, calls: []string{inServices, s.list}, text: "permission to list projects", blocked: true},
		} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				w.On(inServices, tc.services, tc.later)
				w.On(inNetworks, tc.networks)
				w.On(s.remove, tc.remove)
				w.On(s.list, tc.list)
				b := s.bind(w.client)
				b.object().SetDeletionTimestamp(&metav1.Time{Time: w.now})
				err := b.delete(t)
				assert.Equal(t, tc.calls, w.Calls())
				assert.Equal(t, tc.blocked, deletion.Of(err).Blocked != "", "%v", err)
				if tc.text == "" {
					require.NoError(t, err)
					return
				}
				assert.ErrorContains(t, err, tc.text)
			})
		}
	})
}

func TestAProjectThatAnotherOrganizationHasIsNotGone(t *testing.T) {
	empty, s := aiventest.OK(aiventest.Object{"services": []any{}}), sides["OrganizationProject"]
	for name, tc := range map[string]struct {
		later aiventest.Answer
		says  string
		want  bool // that it is blocked
	}{
		"it is listed there": {
			later: empty, want: true, says: "Organization org1 doesn't have project demo, and Aiven still lists its services: it was moved to another organization. " +
				"Move it back, or set the annotation controllers.aiven.io/deletion-policy=Orphan to keep it",
		},
		"the token may not list it": {later: aiventest.Refused(403, "no"), want: true, says: "permission to list the services of project demo"},
		"Aiven fails to list it":    {later: aiventest.Refused(503, "later"), says: "later"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.On(inServices, empty, tc.later)
			w.On(inNetworks, aiventest.OK(aiventest.Object{"vpcs": []any{}}))
			w.On(s.remove, aiventest.Refused(404, "Project does not exist"))
			w.On(s.list, s.listed())
			b := s.bind(w.client)
			b.object().SetDeletionTimestamp(&metav1.Time{Time: w.now})
			err := b.delete(t)
			require.ErrorContains(t, err, tc.says)
			assert.Equal(t, tc.want, deletion.Of(err).Blocked != "")
		})
	}
}
