package localaiven

import (
	"fmt"
	"net/url"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// localhost is where everything without an engine pretends to listen.
const localhost = "127.0.0.1"

// pretend gives endpoints to what no engine runs. No other goroutine sees svc, or holds its mu.
func (s *Server) pretend(svc *service, names ...string) {
	for _, name := range names {
		port := s.ports.take(svc.project.name + "/" + svc.name + "/" + name)
		svc.endpoints[name] = engine.Endpoint{Host: localhost, Port: port}
	}
}

// connect fills in how to connect. A service whose engine isn't up yet has no endpoint: its URI is null, as Aiven's
// may be.
func (svc *service) connect(b *serviceBody, secrets bool) {
	b.ConnectionInfo = map[string]any{}
	if svc.backing.up() && svc.kind.connect != nil {
		svc.kind.connect(svc, b, secrets)
	}
}

// enables reports whether user_config switches a component on.
func (svc *service) enables(name string) bool {
	on, _ := svc.userConfig[name].(bool)
	return on
}

func newComponent(name string, at engine.Endpoint) component {
	return component{Component: name, Host: at.Host, Port: at.Port, Route: "dynamic", Usage: "primary"}
}

func webURI(name, password string, at engine.Endpoint) string {
	return fmt.Sprintf("https://%s@%s:%d", login(name, password), at.Host, at.Port)
}

func login(name, password string) *url.Userinfo {
	if password == "" {
		return url.User(name)
	}
	return url.UserPassword(name, password)
}
