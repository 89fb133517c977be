package connection

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// RouteError means that Aiven has no address on the route that the user wants. What is published stays.
type RouteError struct {
	// Route is the wanted one, and Component what has none: "pg", "schema_registry".
	Route, Component string
	// Routes are those that the component has.
	Routes []string
}

// Error lists the routes that there are, and says what to do.
func (e *RouteError) Error() string {
	there := "it lists none"
	if len(e.Routes) > 0 {
		there = "there are: " + strings.Join(e.Routes, ", ")
	}
	return fmt.Sprintf("Aiven has no address of %s on the route %s; %s. Change the annotation %s, or enable the route for %s in the service's userConfig",
		e.Component, e.Route, there, annotation.Route, e.Component)
}

// Via is the same login on another route: hosts and ports differ, also those in URIs, and nothing else. A route is one of those
// of Aiven, such as "public"; one through one of several PrivateLink connections has its id after a slash: "privatelink/plc1".
// Of Nodes, those stay that have an address there. It is unchanged without a route.
//
// Error: *RouteError if a key that has a value would have none, so no part of what is published is on another route.
func (i Info) Via(route string) (Info, error) {
	if route == "" {
		return i, nil
	}
	name, connection, _ := strings.Cut(route, "/")
	r := &router{endpoints: i.Endpoints, route: name, connection: connection}
	there := i
	there.Address = r.address(i.Address)
	there.Components, there.Nodes = map[string]Address{}, nil
	for name, address := range i.Components {
		there.Components[name] = r.address(address)
	}
	for _, uri := range []*string{&there.URI, &there.ReplicaURI, &there.RESTURI, &there.RegistryURI} {
		*uri = r.uri(*uri)
	}
	for _, node := range i.Nodes {
		if moved := r.uri(node); moved != "" {
			there.Nodes = append(there.Nodes, moved)
		}
	}
	if missing := r.missing; len(missing) > 0 && i.hasMore(there) {
		return Info{}, slices.MinFunc(missing, func(a, b *RouteError) int { return strings.Compare(a.Component, b.Component) })
	}
	return there, nil
}

// hasMore reports whether a key that is published has a value, and none in another Info.
func (i Info) hasMore(other Info) bool {
	values := []map[string]string{i.Prefixed(), i.Legacy()}
	for n, others := range []map[string]string{other.Prefixed(), other.Legacy()} {
		for key, value := range values[n] {
			if value != "" && others[key] == "" {
				return true
			}
		}
	}
	return false
}

// router finds addresses on a route.
type router struct {
	endpoints         []aiven.Component
	route, connection string // connection is the id of a PrivateLink connection, or empty
	missing           []*RouteError
}

// address is where what listens at an address is on the route; empty if it is nowhere.
func (r *router) address(from Address) Address {
	if from.Host == "" {
		return from
	}
	at := slices.IndexFunc(r.endpoints, func(c aiven.Component) bool {
		return c.Host == from.Host && (from.Port == "" || AddressOf(c).Port == from.Port)
	})
	if at < 0 {
		r.missing = append(r.missing, &RouteError{Route: r.wanted(), Component: from.Host})
		return Address{}
	}
	var found []Address
	var routes []string
	for _, c := range r.endpoints {
		if !sameListener(c, r.endpoints[at]) {
			continue
		}
		routes = append(routes, routeName(string(c.Route), ptr.Deref(c.PrivatelinkConnectionId, "")))
		through := r.connection == "" || r.connection == ptr.Deref(c.PrivatelinkConnectionId, "")
		if to := AddressOf(c); string(c.Route) == r.route && through && !slices.Contains(found, to) {
			found = append(found, to)
		}
	}
	if len(found) != 1 { // several are those of several PrivateLink connections, of which each leads from another network
		slices.Sort(routes)
		missing := &RouteError{Route: r.wanted(), Component: r.endpoints[at].Component, Routes: slices.Compact(routes)}
		r.missing = append(r.missing, missing)
		return Address{}
	}
	return found[0]
}

func (r *router) wanted() string { return routeName(r.route, r.connection) }

// routeName is how users name a route, maybe through a PrivateLink connection.
func routeName(route, connection string) string { return strings.TrimSuffix(route+"/"+connection, "/") }

// uri is a URI, or a host with a port, with another address in it; empty if that is nowhere.
func (r *router) uri(uri string) string {
	start, end := 0, len(uri)
	if scheme := strings.Index(uri, "://"); scheme >= 0 {
		start = scheme + len("://")
	}
	if path := strings.IndexAny(uri[start:], "/?#"); path >= 0 {
		end = start + path
	}
	start += strings.LastIndex(uri[start:end], "@") + 1
	host, port, err := net.SplitHostPort(uri[start:end])
	if err != nil {
		host, port = uri[start:end], ""
	}
	to := r.address(Address{host, port})
	if to.Host == "" {
		return ""
	}
	return uri[:start] + net.JoinHostPort(to.Host, to.Port) + uri[end:]
}

// sameListener reports whether two endpoints lead to the same listener, maybe on several routes.
func sameListener(a, b aiven.Component) bool {
	return a.Component == b.Component && a.Usage == b.Usage && a.KafkaAuthenticationMethod == b.KafkaAuthenticationMethod &&
		a.KafkaSslCa == b.KafkaSslCa && a.Az == nil && b.Az == nil
}
