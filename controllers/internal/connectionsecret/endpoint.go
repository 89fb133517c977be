package connectionsecret

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Source is what an object publishes: the login, and the endpoints of its service on all routes. A project has a CA certificate only.
type Source connection.Info

// RouteError means that a service has no endpoint, or several, where the spec wants one. What was published stays.
type RouteError struct {
	// Component and Route are what is wanted.
	Component, Route string
	// Problem completes a sentence that begins with the component.
	Problem string
}

// Error names what there is.
func (e *RouteError) Error() string {
	return fmt.Sprintf("the component %s of the service %s", e.Component, e.Problem)
}

// published is the endpoint that the object publishes itself, of which Flink publishes no port. It has a route and a port only if
// Aiven lists the endpoint.
func (s Source) published() aiven.Component {
	published := s.Address
	for _, c := range s.Endpoints {
		if at := connection.AddressOf(c); at.Host != "" && at.Host == published.Host && (published.Port == "" || at.Port == published.Port) {
			return c
		}
	}
	if s.Pool != "" {
		return aiven.Component{Component: pgBouncer, Host: s.Address.Host}
	}
	return aiven.Component{Component: s.Type, Host: s.Address.Host}
}

// endpoint returns the endpoint that a spec selects, and its address.
//
// Errors: *RouteError, and a fault.InvalidSpec if no service can have such an endpoint.
func (s Source) endpoint(spec *aero.SecretContents) (aiven.Component, connection.Address, error) {
	base := s.published()
	if spec.Endpoint == nil || *spec.Endpoint == (aero.EndpointSelector{}) {
		if base.Port == 0 {
			return base, s.Address, nil
		}
		return base, connection.AddressOf(base), nil
	}
	wanted, err := s.wanted(*spec.Endpoint, base)
	if err != nil {
		return aiven.Component{}, connection.Address{}, err
	}
	candidates := s.candidates(wanted)
	found := onRoute(candidates, string(wanted.Route), wanted.PrivatelinkConnectionID)
	if len(found) == 0 && spec.FallbackRoute != "" {
		found = onRoute(candidates, string(spec.FallbackRoute), "")
	}
	chosen, err := s.only(found, candidates, wanted)
	return chosen, connection.AddressOf(chosen), err
}

// wanted is the selector with what it leaves open, as in the endpoint that the object publishes itself.
func (s Source) wanted(selector aero.EndpointSelector, base aiven.Component) (aero.EndpointSelector, error) {
	selector.Component = cmp.Or(selector.Component, base.Component)
	selector.Route = cmp.Or(selector.Route, aero.Route(base.Route), aero.Route(service.RouteTypeDynamic))
	selector.Usage = cmp.Or(selector.Usage, string(base.Usage), string(service.UsageTypePrimary))
	switch {
	case s.Type == "":
		return selector, fault.InvalidSpec("spec.endpoint", "a project has no endpoints. Name a service or a user in spec.sourceRef")
	case selector.Component == aiven.TypeKafka:
		selector.KafkaAuthentication = cmp.Or(selector.KafkaAuthentication, string(base.KafkaAuthenticationMethod))
	case selector.KafkaAuthentication != "":
		return selector, fault.InvalidSpec("spec.endpoint.kafkaAuthentication", "only the component kafka has it, and not "+selector.Component)
	}
	return selector, nil
}

// candidates are the endpoints that a selector leaves, on all routes. Endpoints of one availability zone are beside those of the
// whole service, and an endpoint without TLS is one only if there is none with it.
func (s Source) candidates(wanted aero.EndpointSelector) []aiven.Component {
	var encrypted, plain []aiven.Component
	for _, c := range s.Endpoints {
		authenticates := wanted.KafkaAuthentication == "" || string(c.KafkaAuthenticationMethod) == wanted.KafkaAuthentication
		switch {
		case c.Component != wanted.Component || string(c.Usage) != wanted.Usage || c.Az != nil || !authenticates:
		case ptr.Deref(c.Ssl, true):
			encrypted = append(encrypted, c)
		default:
			plain = append(plain, c)
		}
	}
	if len(encrypted) > 0 {
		return encrypted
	}
	return plain
}

// onRoute are the endpoints on a route, through any PrivateLink connection if none is named. Of Kafka's, those whose certificate is
// of the project's CA come first: the CA is part of what is published.
func onRoute(endpoints []aiven.Component, route, privatelink string) []aiven.Component {
	var found []aiven.Component
	for _, c := range endpoints {
		if string(c.Route) == route && (privatelink == "" || ptr.Deref(c.PrivatelinkConnectionId, "") == privatelink) {
			found = append(found, c)
		}
	}
	public := func(c aiven.Component) int {
		if c.KafkaSslCa == service.KafkaSslCaTypeLetsencrypt {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(found, func(a, b aiven.Component) int { return public(a) - public(b) })
	return slices.CompactFunc(found, func(a, b aiven.Component) bool { return a.KafkaSslCa != b.KafkaSslCa && routeOf(a) == routeOf(b) })
}

// only is the endpoint that was found, if it is the only one.
func (s Source) only(found, candidates []aiven.Component, wanted aero.EndpointSelector) (aiven.Component, error) {
	failed := &RouteError{Component: wanted.Component, Route: string(wanted.Route)}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		failed.Problem = fmt.Sprintf("has several endpoints on the route %s. Set spec.endpoint.privatelinkConnectionID to one of: %s",
			wanted.Route, listed(found, func(c aiven.Component) string { return ptr.Deref(c.PrivatelinkConnectionId, "") }))
	case len(candidates) > 0:
		failed.Problem = fmt.Sprintf("has no endpoint on the route %s; there are: %s. Enable the route in userConfig of the service, or change spec.endpoint",
			connection.RouteName(string(wanted.Route), wanted.PrivatelinkConnectionID), listed(candidates, routeOf))
	default:
		failed.Problem = "has no such endpoint; there are: " + listed(s.Endpoints, description) + ". Change spec.endpoint"
	}
	return aiven.Component{}, failed
}

func listed(endpoints []aiven.Component, name func(aiven.Component) string) string {
	var names []string
	for _, c := range endpoints {
		if c.Az == nil {
			names = append(names, name(c))
		}
	}
	slices.Sort(names)
	return cmp.Or(strings.Join(slices.Compact(names), ", "), "none")
}

func routeOf(c aiven.Component) string {
	return connection.RouteName(string(c.Route), ptr.Deref(c.PrivatelinkConnectionId, ""))
}

// description is what a spec selects by, but for the route: "kafka (sasl)", "pg (replica)".
func description(c aiven.Component) string {
	var details []string
	if c.Usage != service.UsageTypePrimary {
		details = append(details, string(c.Usage))
	}
	if c.KafkaAuthenticationMethod != "" {
		details = append(details, string(c.KafkaAuthenticationMethod))
	}
	if len(details) == 0 {
		return c.Component
	}
	return c.Component + " (" + strings.Join(details, ", ") + ")"
}
