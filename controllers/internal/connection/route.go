package connection

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// aURI is the component of a URI whose address isn't one host: it isn't named, as what is wrong may be a part of a password.
const aURI = "a URI"

// RouteError means that Aiven has no address on the route that the user wants. What is published stays.
type RouteError struct {
	// Route is the wanted one, and Component what has none: "pg", "schema_registry"; a host, if Aiven doesn't list that; or "a URI".
	Route, Component string
	// Routes are those that the component has.
	Routes []string
}

// Error lists the routes that there are, and says what to do.
func (e *RouteError) Error() string {
	there := "nor on another one"
	if len(e.Routes) > 0 {
		there = "only on " + strings.Join(e.Routes, ", ")
	}
	return fmt.Sprintf("Aiven has no address of %s on the route %s, %s. Enable the route for it in userConfig of the service, or change the "+
		"annotation %s of the object or its Namespace", e.Component, e.Route, there, annotation.Route)
}

// Via is the same login on another route: hosts and ports differ, also those in URIs, and nothing else. A route is one of those
// of Aiven, such as "public"; one through one of several PrivateLink connections has its id after a slash: "privatelink/plc1".
// Of Nodes, those stay that have an address there. It is unchanged without a route, and so is a URI at which nothing listens as its
// component is off.
//
// What isn't published may be missing. Error: *RouteError if a key that has a value would have none, so that never a part of what
// is published is on another route. Of several, the first is named, in this order: the address, URIs, components by name, nodes.
func (i Info) Via(route string) (Info, error) {
	if route == "" {
		return i, nil
	}
	name, connection, _ := strings.Cut(route, "/")
	r := &router{endpoints: i.Endpoints, route: name, connection: connection}
	there := i
	there.Components = maps.Clone(i.Components)
	moves := []func(){func() { there.Address = r.address(i.Address) }}
	for _, part := range []struct {
		uri *string
		of  string // the component, where Aiven returns the URI also while it is off
	}{{&there.URI, ""}, {&there.ReplicaURI, ""}, {&there.RESTURI, KafkaREST}, {&there.RegistryURI, SchemaRegistry}} {
		if part.of == "" || r.runs(part.of) {
			moves = append(moves, func() { *part.uri = r.uri(*part.uri) })
		}
	}
	for _, name := range slices.Sorted(maps.Keys(i.Components)) {
		moves = append(moves, func() { there.Components[name] = r.address(i.Components[name]) })
	}
	moves = append(moves, func() { there.Nodes = r.nodes(i.Nodes) })
	for _, move := range moves {
		r.missing = nil
		if move(); r.missing != nil && i.hasMore(there) {
			return Info{}, r.missing
		}
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
	route, connection string      // connection is the id of a PrivateLink connection, or empty
	missing           *RouteError // the first of a move, or nil
}

func (r *router) lacks(component string, routes ...string) Address {
	if r.missing == nil {
		slices.Sort(routes)
		r.missing = &RouteError{Route: RouteName(r.route, r.connection), Component: component, Routes: slices.Compact(routes)}
	}
	return Address{}
}

// runs reports whether anything listens for a component, on any route.
func (r *router) runs(component string) bool {
	return slices.ContainsFunc(r.endpoints, func(c aiven.Component) bool { return c.Component == component })
}

// RouteName is how users name a route, maybe through a PrivateLink connection.
func RouteName(route, connection string) string { return strings.TrimSuffix(route+"/"+connection, "/") }

// address is where what listens at an address is on the route; empty if it is nowhere.
func (r *router) address(from Address) Address {
	if from.Host == "" {
		return from
	}
	listener, listed := r.listener(from)
	if !listed {
		return r.lacks(from.Host)
	}
	var found []Address
	var routes []string
	for _, c := range r.endpoints {
		if !sameListener(c, listener) {
			continue
		}
		id := ptr.Deref(c.PrivatelinkConnectionId, "")
		routes = append(routes, RouteName(string(c.Route), id))
		if to := AddressOf(c); string(c.Route) == r.route && (r.connection == "" || r.connection == id) && !slices.Contains(found, to) {
			found = append(found, to)
		}
	}
	if len(found) != 1 { // several are those of several PrivateLink connections, of which each leads from another network
		return r.lacks(listener.Component, routes...)
	}
	return found[0]
}

// listener is what listens at an address. Without a port, it must be the only one of the host: Aiven doesn't say which it is.
func (r *router) listener(from Address) (aiven.Component, bool) {
	var found []aiven.Component
	for _, c := range r.endpoints {
		if c.Host == from.Host && (from.Port == "" || AddressOf(c).Port == from.Port) {
			found = append(found, c)
		}
	}
	others := func(c aiven.Component) bool { return !sameListener(c, found[0]) }
	if len(found) == 0 || slices.ContainsFunc(found[1:], others) {
		return aiven.Component{}, false
	}
	return found[0], true
}

// uri is a URI, or a host with a port, with another address in it; empty if that is nowhere. One without a port gets one only if it
// is another than where that leads now. Aiven has no address in the query of a URI, so that stays as it is.
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
		if strings.Contains(host, ":") { // several hosts, say
			r.lacks(aURI)
			return ""
		}
	}
	to := r.address(Address{host, port})
	if to.Host == "" {
		return ""
	}
	if from, _ := r.listener(Address{host, port}); port == "" && AddressOf(from).Port == to.Port {
		return uri[:start] + to.Host + uri[end:]
	}
	return uri[:start] + net.JoinHostPort(to.Host, to.Port) + uri[end:]
}

// nodes are those that have an address on the route, once each.
func (r *router) nodes(nodes []string) []string {
	var there []string
	for _, node := range nodes {
		if to := r.uri(node); to != "" && !slices.Contains(there, to) {
			there = append(there, to)
		}
	}
	return there
}

// sameListener reports whether two endpoints lead to the same listener, maybe on several routes. Those of one availability zone are
// beside those of the service, and lead to a part of it.
func sameListener(a, b aiven.Component) bool {
	return a.Component == b.Component && a.Usage == b.Usage && a.KafkaAuthenticationMethod == b.KafkaAuthenticationMethod &&
		certifier(a) == certifier(b) && ptr.Deref(a.Ssl, true) == ptr.Deref(b.Ssl, true) && a.Az == nil && b.Az == nil
}

// certifier is who signs the certificate of an endpoint of Kafka.
func certifier(c aiven.Component) avnservice.KafkaSslCaType {
	return cmp.Or(c.KafkaSslCa, avnservice.KafkaSslCaTypeProjectCa)
}
