package localaiven

import (
	"net"
	"strconv"
)

func apacheFlink() *kind {
	return &kind{
		name: kindFlink, description: "Flink - Framework and distributed processing engine for stateful computations over data streams",
		families: nodes(1, 3, 5), fixedDisk: true, versionKey: "flink_version", version: "1.20",
		ports: []string{kindFlink}, connect: (*service).connectFlink,
	}
}

type flinkInfo struct {
	Flink []string `json:"flink"`
}

func (svc *service) connectFlink(b *serviceBody, secrets bool) {
	at, admin := svc.endpoints[kindFlink], svc.admin()
	svc.connectWeb(b, webURI(admin.name, admin.shown(secrets), at), secrets)
	b.ConnectionInfo = flinkInfo{[]string{net.JoinHostPort(at.Host, strconv.Itoa(at.Port))}}
}
