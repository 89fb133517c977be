package serviceintegration

import (
	"slices"
	"unicode/utf8"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/userconfig"
)

// maxEndpointName is the longest name of an endpoint, in characters.
const maxEndpointName = 36

// Endpoint is something outside of Aiven that services can be integrated with.
type Endpoint struct {
	EndpointConfig map[string]any `json:"endpoint_config"`
	EndpointID     string         `json:"endpoint_id"`
	EndpointName   string         `json:"endpoint_name"`
	EndpointType   string         `json:"endpoint_type"`
	UserConfig     map[string]any `json:"user_config"`
}

// NewEndpoint checks a request to create one, and makes it without its id.
func NewEndpoint(in client.ServiceIntegrationEndpointCreateIn) (*Endpoint, *Error) {
	if n := utf8.RuneCountInString(in.EndpointName); n == 0 || n > maxEndpointName {
		return nil, badRequest("Invalid endpoint_name '%s': must be 1 to %d characters long", in.EndpointName, maxEndpointName)
	}
	name := string(in.EndpointType)
	described := userconfig.OfEndpoint(name)
	if described == nil { // also one of the old types, whose settings Aiven no longer publishes
		return nil, badRequest("Invalid endpoint_type '%s'", name)
	}
	config, err := described.Apply(nil, in.UserConfig)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	return &Endpoint{EndpointConfig: map[string]any{}, EndpointName: in.EndpointName, EndpointType: name, UserConfig: config}, nil
}

// Shown is the endpoint for an answer.
func (e *Endpoint) Shown(secrets bool) Endpoint {
	out := *e
	if !secrets {
		out.UserConfig, _ = userconfig.OfEndpoint(e.EndpointType).Hide(e.UserConfig).(map[string]any)
	}
	return out
}

// Endpoints are those of a project, whose lock guards them. One is never changed in place.
type Endpoints []*Endpoint

// index is that of the one with this id.
func (l Endpoints) index(id string) (int, *Error) {
	i := slices.IndexFunc(l, func(e *Endpoint) bool { return e.EndpointID == id })
	if i < 0 {
		return i, notFound("Integration endpoint")
	}
	return i, nil
}

// Get returns the one with this id.
func (l Endpoints) Get(id string) (*Endpoint, *Error) {
	i, fail := l.index(id)
	if fail != nil {
		return nil, fail
	}
	return l[i], nil
}

// Shown are all of them for an answer, without secrets: Aiven knows include_secrets for single endpoints only.
func (l Endpoints) Shown() []Endpoint {
	out := []Endpoint{}
	for _, e := range l {
		out = append(out, e.Shown(false))
	}
	return out
}

// Add adds one, unless its name is taken: by one of its type if namesByType is set, otherwise by any.
func (l *Endpoints) Add(e *Endpoint, namesByType bool) *Error {
	taken := func(other *Endpoint) bool {
		return e.EndpointName == other.EndpointName && (e.EndpointType == other.EndpointType || !namesByType)
	}
	if slices.ContainsFunc(*l, taken) {
		return conflict("Integration endpoint '%s' already exists", e.EndpointName)
	}
	*l = append(*l, e)
	return nil
}

// Update takes settings as a whole only: what is required has to be there, also where it stays as it is. An update that
// changes nothing is refused.
func (l Endpoints) Update(id string, config map[string]any) (*Endpoint, *Error) {
	i, fail := l.index(id)
	if fail != nil {
		return nil, fail
	}
	next := *l[i]
	described := userconfig.OfEndpoint(next.EndpointType)
	if err := described.Check("user_config", config); err != nil {
		return nil, badRequest("%v", err)
	}
	var err error
	if next.UserConfig, err = described.Apply(next.UserConfig, config); err != nil {
		return nil, badRequest("%v", err)
	}
	if sameJSON(next.UserConfig, l[i].UserConfig) {
		return nil, badRequest("User config not changed")
	}
	l[i] = &next
	return &next, nil
}

// Remove removes one that no integration uses. The caller holds the lock of the integrations, too.
func (l *Endpoints) Remove(id string, all *Integrations) *Error {
	i, fail := l.index(id)
	if fail != nil {
		return fail
	}
	if user := all.using(id); user != nil {
		return conflict("Integration endpoint is in use by service integration %s (%s)", user.ServiceIntegrationID, user.IntegrationType)
	}
	*l = slices.Delete(*l, i, i+1)
	return nil
}

// Paths identify the endpoints of a project: project/type/name#id.
func (l Endpoints) Paths(project string) []string {
	var out []string
	for _, e := range l {
		out = append(out, project+"/"+e.EndpointType+"/"+e.EndpointName+"#"+e.EndpointID)
	}
	return out
}
