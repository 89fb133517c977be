package localaiven

import (
	"fmt"
	"strconv"
)

func grafana() *kind {
	return &kind{
		name: kindGrafana, description: "Grafana - Metrics Dashboard",
		families: families{"dashboard": {nodes: 1}, "startup": {nodes: 1}, "business": {nodes: 2}}, fixedDisk: true, versionKey: "grafana_version", version: "12",
		ports: []string{kindGrafana}, connect: (*service).connectGrafana,
	}
}

type grafanaInfo struct {
	Grafana []string `json:"grafana"`
}

// connectGrafana shows the address of the web interface, which asks for the name and the password.
func (svc *service) connectGrafana(b *serviceBody, secrets bool) {
	at := svc.endpoints[kindGrafana]
	uri := fmt.Sprintf("https://%s:%d", at.Host, at.Port)
	svc.connectWeb(b, uri, secrets)
	b.ConnectionInfo = grafanaInfo{[]string{uri}}
}

// connectWeb fills in how to connect to a service that speaks HTTPS on its first port.
func (svc *service) connectWeb(b *serviceBody, uri string, secrets bool) {
	at, admin := svc.endpoints[svc.kind.name], svc.admin()
	b.ServiceURI, b.ServiceURIParams = &uri, map[string]string{
		"host": at.Host, "port": strconv.Itoa(at.Port), "user": admin.name, "password": admin.shown(secrets),
	}
	b.Components = append(b.Components, newComponent(svc.kind.name, at))
}
