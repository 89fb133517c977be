package localaiven

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"time"

	client "github.com/aiven/go-client-codegen/handler/vpc"

	"github.com/aero-operator/aero/tests/localaiven/lifetime"
)

const (
	vpcActive   = "ACTIVE"
	vpcDeleting = "DELETING"
)

var vpcStates = lifetime.States{Creating: "APPROVED", Ready: vpcActive, Removing: vpcDeleting}

// vpc is a private network of a project in one cloud.
type vpc struct {
	id               string
	cloud            string
	network          netip.Prefix
	created, updated time.Time
	life             lifetime.Lifetime
}

type vpcItem struct {
	CloudName    string `json:"cloud_name"`
	CreateTime   string `json:"create_time"`
	NetworkCIDR  string `json:"network_cidr"`
	ProjectVpcID string `json:"project_vpc_id"`
	State        string `json:"state"`
	UpdateTime   string `json:"update_time"`
}

type vpcBody struct {
	vpcItem
	PeeringConnections []any `json:"peering_connections"`
}

func (v *vpc) state(now time.Time) string { return v.life.State(now, vpcStates) }

func (v *vpc) item(now time.Time) vpcItem {
	return vpcItem{v.cloud, timestamp(v.created), v.network.String(), v.id, v.state(now), timestamp(v.updated)}
}

func (v *vpc) body(now time.Time) vpcBody { return vpcBody{v.item(now), []any{}} }

// vpc returns the one of this id. The caller holds mu.
func (p *project) vpc(id string, now time.Time) (*vpc, *apiError) {
	i := slices.IndexFunc(p.vpcs, func(v *vpc) bool { return v.id == id && v.state(now) != lifetime.Removed })
	if i < 0 {
		return nil, notFound("VPC")
	}
	return p.vpcs[i], nil
}

// usable reports whether a service can move to the VPC; none always is. The caller holds mu.
func (p *project) usable(id string, now time.Time) *apiError {
	if id == "" {
		return nil
	}
	v, fail := p.vpc(id, now)
	if fail != nil {
		return fail
	}
	if state := v.state(now); state != vpcActive {
		return &apiError{http.StatusConflict, fmt.Sprintf("VPC %s is not active, its state is %s", id, state)}
	}
	return nil
}

func (s *Server) vpcList(c *call) (any, *apiError) {
	p, fail := s.read(c)
	if fail != nil {
		return nil, fail
	}
	now := s.clock.Now()
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := []vpcItem{}
	for _, v := range p.vpcs {
		if v.state(now) != lifetime.Removed {
			out = append(out, v.item(now))
		}
	}
	return map[string]any{"vpcs": out}, nil
}

func (s *Server) vpcGet(c *call) (any, *apiError) {
	p, fail := s.read(c)
	if fail != nil {
		return nil, fail
	}
	now := s.clock.Now()
	p.mu.RLock()
	defer p.mu.RUnlock()
	v, fail := p.vpc(c.param("vpc"), now)
	if fail != nil {
		return nil, fail
	}
	return v.body(now), nil
}

func (s *Server) vpcCreate(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	var in client.VpcCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if fail := cloud(in.CloudName); fail != nil {
		return nil, fail
	}
	network, fail := privateNetwork(in.NetworkCidr)
	if fail != nil {
		return nil, fail
	}
	if len(in.PeeringConnections) > 0 {
		return nil, &apiError{http.StatusNotImplemented, "The local Aiven does not know peering connections"}
	}
	now := s.clock.Now()
	v := &vpc{
		id: newUUID(fmt.Sprintf("vpc %d", s.sequence.Add(1))), cloud: in.CloudName, network: network,
		created: now, updated: now, life: lifetime.New(now.Add(s.options.ProvisionTime)),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone.Load() {
		return nil, notFound("Project")
	}
	p.vpcs = slices.DeleteFunc(p.vpcs, func(v *vpc) bool { return v.state(now) == lifetime.Removed })
	for _, other := range p.vpcs {
		if other.cloud == v.cloud && other.network.Overlaps(v.network) {
			return nil, &apiError{http.StatusConflict, fmt.Sprintf("network_cidr %s overlaps with %s of another VPC", v.network, other.network)}
		}
	}
	p.vpcs = append(p.vpcs, v)
	p.touched(now)
	return v.body(now), nil
}

var privateRanges = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
}

func privateNetwork(cidr string) (netip.Prefix, *apiError) {
	network, err := netip.ParsePrefix(cidr)
	switch {
	case err != nil || !network.Addr().Is4():
		return network, badRequest("Invalid network_cidr '%s': must be an IPv4 network such as 10.0.0.0/24", cidr)
	case network != network.Masked():
		return network, badRequest("Invalid network_cidr '%s': has host bits set", cidr)
	}
	for _, private := range privateRanges {
		if private.Bits() <= network.Bits() && private.Contains(network.Addr()) {
			return network, nil
		}
	}
	return network, badRequest("Invalid network_cidr '%s': must be a private network", cidr)
}

func (s *Server) vpcDelete(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	now := s.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	v, fail := p.vpc(c.param("vpc"), now)
	if fail != nil {
		return nil, fail
	}
	for _, svc := range p.services {
		if svc.inVPC(v.id) {
			return nil, &apiError{http.StatusConflict, fmt.Sprintf("VPC has services in it: '%s'", svc.name)}
		}
	}
	if v.life.Remove(now.Add(s.options.ProvisionTime)) {
		v.updated = now
	}
	p.touched(now)
	body := v.body(now)
	if body.State == lifetime.Removed {
		body.State = vpcDeleting // it took no time
	}
	return body, nil
}

// inVPC reports whether the service is in the VPC.
func (svc *service) inVPC(vpcID string) bool {
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	return svc.vpcID == vpcID
}
