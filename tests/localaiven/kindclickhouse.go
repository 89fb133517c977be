package localaiven

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/clickhousesql"
)

// clickHouseExtras are the components of ClickHouse that are not simulated: they are ports without a listener.
var clickHouseExtras = []string{"clickhouse_https", "clickhouse_mysql"}

func clickHouse() *kind {
	return &kind{
		name: kindClickHouse, description: "ClickHouse - Fast Column-Oriented Database Management System",
		families: nodes(1, 3, 6), versionKey: "clickhouse_version", version: "25.8",
		ports: []string{kindClickHouse}, extras: clickHouseExtras,
		prepare: func(s *Server, svc *service) {
			svc.clickhouse = clickhousesql.NewCatalog(svc.admin().name)
			svc.clickhouse.Follow(clickhousesql.Timing{Now: s.clock.Now, Lag: svc.past.Lag, DatabaseTime: s.options.DatabaseTime})
		},
		connect: (*service).connectClickHouse,
		show: func(svc *service, b *serviceBody, _ time.Time) {
			b.Databases = append(b.Databases, svc.clickhouse.Databases()...)
		},
	}
}

type clickHouseInfo struct {
	ClickHouse []string `json:"clickhouse"`
}

// connectClickHouse leads clients to the native protocol.
func (svc *service) connectClickHouse(b *serviceBody, secrets bool) {
	at, admin := svc.endpoints[kindClickHouse], svc.admin()
	uri := fmt.Sprintf("clickhouse://%s@%s:%d/%s?secure=true",
		login(admin.name, admin.shown(secrets)), at.Host, at.Port, clickhousesql.DefaultDatabase)
	b.ServiceURI, b.ServiceURIParams = &uri, map[string]string{
		"host": at.Host, "port": strconv.Itoa(at.Port), "user": admin.name, "password": admin.shown(secrets),
		"dbname": clickhousesql.DefaultDatabase,
	}
	b.ConnectionInfo = clickHouseInfo{[]string{uri}}
	b.Components = append(b.Components, newComponent(kindClickHouse, at))
	for _, name := range clickHouseExtras {
		b.Components = append(b.Components, newComponent(name, svc.endpoints[name]))
	}
}

// clickHouseResources are the databases, users and roles of the service. The caller holds mu.
func (svc *service) clickHouseResources(id string) []Resource {
	if svc.clickhouse == nil {
		return nil
	}
	var out []Resource
	for _, name := range svc.clickhouse.Databases() {
		out = append(out, Resource{"clickhouse_database", id + "/" + name, name == clickhousesql.DefaultDatabase})
	}
	for _, u := range svc.clickhouse.Users() {
		out = append(out, Resource{"clickhouse_user", id + "/" + u.Name + "#" + u.ID, u.Name == svc.admin().name})
	}
	for _, r := range svc.clickhouse.Roles() {
		out = append(out, Resource{Type: "clickhouse_role", ID: id + "/" + r.Name})
	}
	for _, name := range svc.clickhouse.Grantees() {
		out = append(out, Resource{"clickhouse_grant", id + "/" + name, name == "user/"+svc.admin().name})
	}
	return out
}
