package localaiven_test

import (
	"net/http"
	"strings"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/aiven/go-client-codegen/handler/vpc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/admin"
)

const vpcsPath = "/v1/project/" + proj + "/vpcs"

func (h *harness) createVPC(t *testing.T, cidr string) *vpc.VpcCreateOut {
	t.Helper()
	out, err := h.client.VpcCreate(t.Context(), proj, &vpc.VpcCreateIn{
		CloudName: "google-europe-west1", NetworkCidr: cidr, PeeringConnections: []vpc.PeeringConnectionIn{},
	})
	require.NoError(t, err)
	return out
}

// activeVPC returns the id of a VPC that is ready.
func (h *harness) activeVPC(t *testing.T) string {
	t.Helper()
	made := h.createVPC(t, "10.0.0.0/24")
	h.clock.Advance(provision)
	return made.ProjectVpcId
}

func (h *harness) vpcState(t *testing.T, id string) string {
	t.Helper()
	got, err := h.client.VpcGet(t.Context(), proj, id)
	require.NoError(t, err)
	return string(got.State)
}

func TestLifeOfAVPC(t *testing.T) {
	h := start(t, localaiven.Options{ProvisionTime: provision})
	ctx := t.Context()
	made := h.createVPC(t, "10.0.0.0/24")
	id := made.ProjectVpcId
	assert.Len(t, id, 36)
	assert.EqualValues(t, "APPROVED", made.State)
	assert.Equal(t, []localaiven.Resource{{Type: "project_vpc", ID: proj + "/google-europe-west1/10.0.0.0/24#" + id}}, h.Resources())
	h.clock.Advance(provision)
	assert.Equal(t, "ACTIVE", h.vpcState(t, id))
	list, err := h.client.VpcList(ctx, proj)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, []any{id, "10.0.0.0/24", "google-europe-west1", vpc.VpcStateTypeActive},
		[]any{list[0].ProjectVpcId, list[0].NetworkCidr, list[0].CloudName, list[0].State})

	gone, err := h.client.VpcDelete(ctx, proj, id)
	require.NoError(t, err)
	assert.EqualValues(t, "DELETING", gone.State)
	h.clock.Advance(provision / 2)
	_, err = h.client.VpcDelete(ctx, proj, id)
	require.NoError(t, err, "deleting it again neither fails nor starts another deletion")
	assert.Equal(t, "DELETING", h.vpcState(t, id))
	h.clock.Advance(provision / 2)
	_, err = h.client.VpcGet(ctx, proj, id)
	assert.True(t, aiven.IsNotFound(err))
	list, err = h.client.VpcList(ctx, proj)
	require.NoError(t, err)
	assert.Empty(t, list)
	assert.Empty(t, h.Resources())
	assert.NotEqual(t, id, h.createVPC(t, "10.0.0.0/24").ProjectVpcId, "its network is free again")
}

func TestServicesMoveIntoAVPCAndOut(t *testing.T) {
	h := running(t, localaiven.Options{})
	id := h.activeVPC(t)
	h.update(t, service.ServiceUpdateIn{ProjectVpcId: &id})
	assert.Equal(t, "REBALANCING", h.state(t))
	h.clock.Advance(provision)
	assert.Equal(t, id, h.get(t).ProjectVpcId)
	assertRefused(t, h, "x", badCall{del, vpcsPath + "/" + id, "", 409, svcName})
	assert.Equal(t, "ACTIVE", h.vpcState(t, id))

	require.NoError(t, h.PatchVPC(proj, id, "DELETING"))
	h.update(t, service.ServiceUpdateIn{ProjectVpcId: &id, TerminationProtection: ptr(false)})
	assert.Equal(t, "RUNNING", h.state(t), "one that is there stays, whatever becomes of the VPC")
	h.update(t, service.ServiceUpdateIn{})
	assert.Equal(t, "REBALANCING", h.state(t), "no VPC is out of it")
	_, err := h.client.VpcDelete(t.Context(), proj, id)
	require.NoError(t, err)
}

func TestServicesNeedAnActiveVPC(t *testing.T) {
	h := running(t, localaiven.Options{})
	id := h.createVPC(t, "10.0.0.0/24").ProjectVpcId
	with := func(id string) string {
		return `{"service_name":"other","service_type":"kafka","plan":"business-4","project_vpc_id":"` + id + `"}`
	}
	assertRefused(t, h, "x", badCall{post, servicesPath, with(id), 409, "APPROVED"})
	assertRefused(t, h, "x", badCall{put, servicePath, `{"project_vpc_id":"` + id + `"}`, 409, "APPROVED"})
	assertRefused(t, h, "x", badCall{post, servicesPath, with("nope"), 404, "VPC does not exist"})
	h.clock.Advance(provision)
	status, _ := h.send(t, post, servicesPath, "x", with(id))
	assert.Equal(t, 200, status)
}

func TestRefusedVPCs(t *testing.T) {
	with := func(cidr string) string {
		return `{"cloud_name":"google-europe-west1","network_cidr":"` + cidr + `","peering_connections":[]}`
	}
	for name, c := range map[string]badCall{
		"no network":                 {post, vpcsPath, with("home"), 400, "home"},
		"a network of IPv6":          {post, vpcsPath, with("fd00::/24"), 400, "IPv4"},
		"an address with host bits":  {post, vpcsPath, with("10.1.0.1/24"), 400, "host bits"},
		"a public network":           {post, vpcsPath, with("8.8.8.0/24"), 400, "private"},
		"more than a private one":    {post, vpcsPath, with("192.0.0.0/8"), 400, "private"},
		"the network of another":     {post, vpcsPath, with("10.0.0.0/24"), 409, "overlaps"},
		"a part of another's":        {post, vpcsPath, with("10.0.0.128/25"), 409, "overlaps"},
		"another's as a part":        {post, vpcsPath, with("10.0.0.0/16"), 409, "overlaps"},
		"an unknown cloud":           {post, vpcsPath, strings.Replace(with("10.1.0.0/24"), "google", "mars", 1), 400, "mars"},
		"a peering connection":       {post, vpcsPath, strings.Replace(with("10.1.0.0/24"), "[]", `[{"peer_vpc":"x"}]`, 1), 501, "peering"},
		"an unknown key":             {post, vpcsPath, `{"colour":1}`, 400, "colour"},
		"reading an unknown VPC":     {get, vpcsPath + "/nope", "", 404, "VPC does not exist"},
		"deleting an unknown VPC":    {del, vpcsPath + "/nope", "", 404, "VPC does not exist"},
		"patching an unknown VPC":    {http.MethodPatch, "/_local" + vpcsPath[3:] + "/nope", `{"state":"ACTIVE"}`, 404, "VPC does not exist"},
		"patching without a state":   {http.MethodPatch, "/_local" + vpcsPath[3:] + "/nope", `{}`, 400, "state"},
		"patching an unknown field":  {http.MethodPatch, "/_local" + vpcsPath[3:] + "/nope", `{"cloud":""}`, 400, "cloud"},
		"VPCs of an unknown project": {get, "/v1/project/nope/vpcs", "", 404, "Project does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t, localaiven.Options{Projects: []string{proj}})
			h.createVPC(t, "10.0.0.0/24")
			assertRefused(t, h, "x", c)
		})
	}
	t.Run("the same network in another cloud is fine", func(t *testing.T) {
		h := start(t, localaiven.Options{})
		h.createVPC(t, "10.0.0.0/24")
		status, _ := h.send(t, post, vpcsPath, "x", strings.Replace(with("10.0.0.0/24"), "google", "aws", 1))
		assert.Equal(t, 200, status)
	})
}

func TestAStateOfAVPCFromTheConsoleStays(t *testing.T) {
	h := start(t, localaiven.Options{ProvisionTime: provision})
	id := h.createVPC(t, "10.0.0.0/24").ProjectVpcId
	console := admin.Client{URL: h.url}
	require.NoError(t, console.PatchVPC(t.Context(), proj, id, "APPROVED"))
	h.clock.Advance(10 * provision)
	assert.Equal(t, "APPROVED", h.vpcState(t, id))
	require.NoError(t, console.PatchVPC(t.Context(), proj, id, ""))
	assert.Equal(t, "ACTIVE", h.vpcState(t, id))
	assert.Error(t, h.PatchVPC(proj, "nope", "ACTIVE"))
}
