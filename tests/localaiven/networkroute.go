package localaiven

import "github.com/aero-operator/aero/tests/localaiven/process"

// linkID is the id of the only PrivateLink connection of each service.
const linkID = "plc1"

// networkRoutes are the ways to a component besides the dynamic one, each with the host there. A component is on one if user_config
// enables it: public_access.pg puts pg on the route public.
var networkRoutes = []struct{ name, host, link string }{
	{"private", localhost, ""}, {"privatelink", process.PrivateLink, linkID}, {"public", "localhost", ""},
}

// onAllRoutes are components with what they are on other routes. The ports are the same: it is one listener on several
// addresses, other than at Aiven. What doesn't listen on the address of PrivateLink, as the engine can't or as the machine
// doesn't have the address, has no such route.
func (svc *service) onAllRoutes(components []component) []component {
	all := components
	for _, route := range networkRoutes {
		enabled, _ := svc.userConfig[route.name+"_access"].(map[string]any)
		if route.link != "" && svc.backing != nil && (!svc.kind.linked || !process.HasPrivateLink()) {
			continue
		}
		for _, c := range components {
			if on, _ := enabled[c.Component].(bool); on {
				c.Host, c.Route, c.PrivateLink = route.host, route.name, route.link
				all = append(all, c)
			}
		}
	}
	return all
}
