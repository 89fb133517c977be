package localaiven

import (
	"net"
	"strconv"
)

func apacheFlink() *kind {
	return &kind{
		name: kindFlink, description: "Flink - Framework and distributed processing engine for stateful computations over data streams",
		plans: flinkPlans(), versionKey: "flink_version", version: "1.20",
		ports: []string{kindFlink}, connect: (*service).connectFlink,
	}
}

func flinkPlans() map[string]plan {
	return plansOf(map[string]int{"startup": 1, "business": 3, "premium": 5})
}

type flinkInfo struct {
	Flink []string `json:"flink"`
}

func (svc *service) connectFlink(b *serviceBody, secrets bool) {
	at, admin := svc.endpoints[kindFlink], svc.admin()
	svc.connectWeb(b, webURI(admin.name, admin.shown(secrets), at), secrets)
	b.ConnectionInfo = flinkInfo{[]string{net.JoinHostPort(at.Host, strconv.Itoa(at.Port))}}
}
