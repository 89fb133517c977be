package account

import (
	"maps"
	"testing"
	"time"

	avnvpc "github.com/aiven/go-client-codegen/handler/vpc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

const (
	list     = "GET vpcs"
	create   = "POST vpcs"
	created  = create + ` {"cloud_name":"google-europe-west1","network_cidr":"10.0.0.0/24","peering_connections":[]}`
	remove   = "DELETE vpcs/ours"
	services = "GET service"
)

func network(id string) *v1alpha1.ProjectVPC {
	obj := &v1alpha1.ProjectVPC{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-vpc"}}
	obj.Spec.Project, obj.Spec.CloudName, obj.Spec.NetworkCidr = aiventest.Project, "google-europe-west1", "10.0.0.0/24"
	obj.Status.ID = id
	return obj
}

// at is a network at Aiven that has the cloud and the addresses of the object, with some fields changed.
func at(id, state string, changes aiventest.Object) any {
	fields := aiventest.Object{
		"project_vpc_id": id, "state": state, "cloud_name": "google-europe-west1", "network_cidr": "10.0.0.0/24",
		"create_time": "2026-01-01T00:00:00Z", "update_time": "2026-01-01T00:00:00Z",
	}
	maps.Copy(fields, changes)
	return fields
}

func listed(networks ...any) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"vpcs": append([]any{}, networks...)})
}

func observe(t *testing.T, a *aiventest.Aiven, obj *v1alpha1.ProjectVPC) (controllers.Observation, error) {
	return VPC.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
}

func TestVPCObserve(t *testing.T) {
	elsewhere := at("elsewhere", "ACTIVE", aiventest.Object{"cloud_name": "aws-eu-west-1"})
	other := at("other", "ACTIVE", aiventest.Object{"network_cidr": "10.1.0.0/24"})
	for name, tc := range map[string]struct {
		had       string // status.id
		at        []any
		remote    status.Remote
		holds     bool
		id, state string // of the status afterwards
	}{
		"of use":                              {had: "ours", at: []any{other, at("ours", "ACTIVE", nil)}, remote: status.Remote{Exists: true, Active: true, State: "ACTIVE"}, id: "ours", state: "ACTIVE"},
		"being built":                         {had: "ours", at: []any{at("ours", "APPROVED", nil)}, remote: status.Remote{Exists: true, State: "APPROVED", Message: "Waiting for Aiven to build the VPC: it is APPROVED"}, id: "ours", state: "APPROVED"},
		"known by what it is":                 {at: []any{elsewhere, other, at("ours", "ACTIVE", nil)}, remote: status.Remote{Exists: true, Active: true, State: "ACTIVE"}, id: "ours", state: "ACTIVE"},
		"created again at the console":        {had: "gone", at: []any{at("ours", "ACTIVE", nil)}, remote: status.Remote{Exists: true, Active: true, State: "ACTIVE"}, id: "ours", state: "ACTIVE"},
		"none":                                {had: "gone", at: []any{elsewhere, other}},
		"one that only a status leads to":     {had: "other", at: []any{elsewhere, other}},
		"one that was deleted":                {had: "ours", at: []any{at("ours", "DELETED", nil)}},
		"one that is being deleted":           {had: "ours", at: []any{at("ours", "DELETING", nil)}, holds: true, id: "ours", state: "DELETING"},
		"another one that is being deleted":   {at: []any{at("theirs", "DELETING", nil)}, holds: true, state: "DELETING"},
		"one that stays beside one that goes": {at: []any{at("theirs", "DELETING", nil), at("ours", "ACTIVE", nil)}, remote: status.Remote{Exists: true, Active: true, State: "ACTIVE"}, id: "ours", state: "ACTIVE"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(list, listed(tc.at...))
			obj := network(tc.had)
			o, err := observe(t, a, obj)
			require.NoError(t, err)
			if tc.holds {
				tc.remote.Message = o.WaitFor
			}
			assert.Equal(t, tc.remote, o.Remote)
			assert.Equal(t, tc.holds, o.WaitFor != "")
			assert.Equal(t, tc.id, obj.Status.ID)
			assert.Equal(t, tc.state, obj.Status.State)
			assert.Equal(t, []string{list}, a.Calls())
		})
	}
}

func TestVPCThatCannotBeRead(t *testing.T) {
	a := aiventest.New(t)
	a.On(list, aiventest.Refused(503, "try later"))
	obj := network("ours")
	_, err := observe(t, a, obj)
	assert.Equal(t, fault.Server, fault.Of(err).Class)
	assert.ErrorContains(t, err, "VpcList")
	assert.Equal(t, "ours", obj.Status.ID, "what is known isn't forgotten")
}

func TestVPCCreate(t *testing.T) {
	a := aiventest.New(t)
	a.On(list, listed())
	a.On(create, aiventest.OK(at("ours", "APPROVED", aiventest.Object{"peering_connections": []any{}})), aiventest.Refused(400, "no such cloud"))
	obj := network("")
	c := VPC.New(controllers.Env{Client: a.Client()})
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	o, err := c.Create(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, []string{list, created}, a.Calls())
	assert.True(t, o.Remote.Exists)
	assert.False(t, o.Remote.Active)
	assert.Equal(t, []string{"ours", "APPROVED"}, []string{obj.Status.ID, obj.Status.State})

	_, err = c.Create(t.Context(), obj)
	assert.Equal(t, fault.Rejected, fault.Of(err).Class)
	assert.ErrorContains(t, err, "creating VPC")
}

func TestVPCUpdateHasNothingToDo(t *testing.T) {
	a := aiventest.New(t)
	seen := controllers.Observation{Remote: status.Remote{Exists: true, Active: true}}
	o, err := VPC.New(controllers.Env{Client: a.Client()}).Update(t.Context(), network("ours"), seen)
	require.NoError(t, err)
	assert.Equal(t, seen, o)
	assert.Empty(t, a.Calls())
}

func TestVPCDelete(t *testing.T) {
	ours, ok := listed(at("ours", "ACTIVE", nil)), aiventest.OK(at("ours", "DELETING", nil))
	inside := func(vpcs map[string]string) aiventest.Answer {
		var all []any
		for _, name := range []string{"my-kafka", "my-pg", "my-valkey"} {
			all = append(all, aiventest.ServiceFields(aiventest.Object{"service_name": name, "project_vpc_id": vpcs[name]}))
		}
		return aiventest.OK(aiventest.Object{"services": all})
	}
	empty := inside(map[string]string{"my-pg": "another"})
	for name, tc := range map[string]struct {
		had                  string
		list, inside, remove aiventest.Answer
		calls                []string
		class                fault.Class
		text                 string
	}{
		"accepted":                  {had: "ours", list: ours, inside: empty, remove: ok, calls: []string{list, services, remove}, text: "in progress"},
		"without a status":          {list: ours, inside: empty, remove: ok, calls: []string{list, services, remove}, text: "in progress"},
		"under way":                 {had: "ours", list: listed(at("ours", "DELETING", nil)), calls: []string{list}, text: "in progress"},
		"done":                      {had: "ours", list: listed(at("ours", "DELETED", nil)), calls: []string{list, list}},
		"gone":                      {had: "ours", list: listed(), calls: []string{list, list}},
		"in an answer without it":   {had: "ours", list: aiventest.OK(nil), calls: []string{list}, text: "it holds no list"},
		"gone a moment ago":         {had: "ours", list: ours, inside: empty, remove: aiventest.Refused(404, "VPC does not exist"), calls: []string{list, services, remove}, text: "in progress"},
		"in an unknown project":     {had: "ours", list: aiventest.Refused(404, "Project does not exist"), calls: []string{list}, text: "Aiven doesn't know project demo"},
		"blocked by what is in it":  {had: "ours", list: ours, inside: inside(map[string]string{"my-kafka": "ours", "my-pg": "another", "my-valkey": "ours"}), calls: []string{list, services}, text: "The VPC has services in it: my-kafka, my-valkey. Delete them, or move them to another VPC, first"},
		"refused":                   {had: "ours", list: ours, inside: empty, remove: aiventest.Refused(403, "no"), calls: []string{list, services, remove}, class: fault.Forbidden, text: "deleting VPC"},
		"services can't be listed":  {had: "ours", list: ours, inside: aiventest.Refused(500, "oops"), calls: []string{list, services}, class: fault.Server, text: "listing services"},
		"the token can't list VPCs": {had: "ours", list: aiventest.Refused(403, "no"), calls: []string{list}, class: fault.Forbidden, text: "VpcList"},
		"networks can't be listed":  {had: "ours", list: aiventest.Refused(500, "oops"), calls: []string{list}, class: fault.Server, text: "VpcList"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(list, tc.list)
			a.On(services, tc.inside)
			a.On(remove, tc.remove)
			err := VPC.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), network(tc.had))
			assert.Equal(t, tc.calls, a.Calls())
			if tc.class != "" {
				assert.Equal(t, tc.class, fault.Of(err).Class)
			}
			if tc.text == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tc.text)
		})
	}
}

func TestADeletionOfAVPCGoesByItsIDIfTheStatusHasOne(t *testing.T) {
	theirs, theirsGoing := at("theirs", "ACTIVE", nil), at("theirs", "DELETING", nil)
	for name, tc := range map[string]struct {
		had   string
		list  aiventest.Answer
		calls []string
		text  string
	}{
		"another client has made the same network":       {had: "ours", list: listed(theirs), calls: []string{list, list}},
		"beside ours, which is deleted":                  {had: "ours", list: listed(at("ours", "DELETED", nil), theirs), calls: []string{list, list}},
		"and is deleting it":                             {had: "ours", list: listed(theirsGoing), calls: []string{list, list}},
		"beside ours, which is there":                    {had: "ours", list: listed(theirs, at("ours", "ACTIVE", nil)), calls: []string{list, services, remove}, text: "in progress"},
		"without an id, the network is all that's known": {list: listed(at("ours", "ACTIVE", nil)), calls: []string{list, services, remove}, text: "in progress"},
		"an id that leads to another network":            {had: "other", list: listed(at("other", "ACTIVE", aiventest.Object{"network_cidr": "10.1.0.0/24"}), theirs), calls: []string{list}, text: "another network"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(list, tc.list)
			a.On(remove, aiventest.OK(at("ours", "DELETING", nil)))
			obj := network(tc.had)
			obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			err := VPC.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), obj)
			assert.Equal(t, tc.calls, a.Calls())
			if tc.text == "" {
				require.NoError(t, err)
				assert.Equal(t, tc.had, obj.Status.ID, "a later attempt goes by it, too")
				return
			}
			assert.ErrorContains(t, err, tc.text)
		})
	}
}

func TestAVPCThatAivenMayNotShowYetIsNotGone(t *testing.T) {
	a := aiventest.New(t)
	a.On(list, listed())
	a.On(create, aiventest.OK(at("ours", "APPROVED", aiventest.Object{"peering_connections": []any{}})))
	env, obj := controllers.Env{Client: a.Client()}, network("")
	c := VPC.New(env)
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	_, err = c.Create(t.Context(), obj)
	require.NoError(t, err)
	err = VPC.New(env).Delete(t.Context(), obj)
	assert.ErrorContains(t, err, "Waiting for Aiven to show what was written")
}

func TestTheIdentityOfAVPC(t *testing.T) {
	assert.Equal(t, "demo/google-europe-west1/10.0.0.0/24", VPC.Identity(network("ours")).Name)
}

// Otherwise two objects would own one VPC, and each delete it.
func TestTwoSpellingsOfANetworkAreOneIdentity(t *testing.T) {
	at := avnvpc.VpcOut{ProjectVpcId: "ours", CloudName: "google-europe-west1", NetworkCidr: "10.0.0.0/24", State: avnvpc.VpcStateTypeActive}
	for _, spelling := range [][2]string{{"google-europe-west1", "10.0.0.7/24"}, {"Google-Europe-West1", "10.0.0.0/24"}} {
		other := network("")
		other.Spec.CloudName, other.Spec.NetworkCidr = spelling[0], spelling[1]
		found, err := chooseVPC(other, []avnvpc.VpcOut{at})
		require.NoError(t, err)
		require.NotNil(t, found)
		assert.Equal(t, VPC.Identity(network("")), VPC.Identity(other))
		assert.Equal(t, vpcItem(network("")), vpcItem(other))
	}
	other := network("")
	other.Spec.NetworkCidr = "10.0.1.0/24"
	assert.NotEqual(t, VPC.Identity(network("")), VPC.Identity(other))
}
