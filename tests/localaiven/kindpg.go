package localaiven

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

func postgreSQL() *kind {
	return &kind{
		name: kindPostgreSQL, description: "PostgreSQL - Object-Relational Database Management System",
		families: nodes(1, 2, 3).with(small), versionKey: "pg_version", version: "17", primary: "master",
		database: "defaultdb", locale: defaultLocale, dump: "pg_dump", reserved: []string{"postgres", "template0", "template1"},
		ports: []string{kindPostgreSQL}, replicated: true, linked: true, forked: true, upgradesDown: true,
		access: func(_ map[string]any, primary bool) map[string]any {
			return map[string]any{"pg_allow_replication": primary}
		},
		connect: (*service).connectPostgres,
	}
}

type postgresInfo struct {
	PG        []string            `json:"pg"`
	PGParams  []map[string]string `json:"pg_params"`
	PGStandby []string            `json:"pg_standby"`
	PGSyncing []string            `json:"pg_syncing"`
}

func (svc *service) connectPostgres(b *serviceBody, secrets bool) {
	at := svc.endpoints[kindPostgreSQL]
	password := svc.admin().shown(secrets)
	uri := connectionURI(svc.admin().name, password, at, svc.kind.database)
	params := map[string]string{
		"host": at.Host, "port": strconv.Itoa(at.Port), "user": svc.admin().name, "password": password,
		"dbname": svc.kind.database, "sslmode": "require",
	}
	b.ServiceURI, b.ServiceURIParams = &uri, params
	b.ConnectionInfo = postgresInfo{[]string{uri}, []map[string]string{params}, []string{}, []string{}}
	b.Components = append(b.Components, newComponent(kindPostgreSQL, at))
	if len(svc.pools) > 0 {
		b.Components = append(b.Components, newComponent("pgbouncer", svc.pools[0].endpoint))
	}
}

func (svc *service) poolBody(p *pool, secrets bool) poolBody {
	b := poolBody{Database: p.Database, PoolMode: p.Mode, PoolName: p.Name, PoolSize: p.Size}
	owner := svc.admin()
	if p.Username != "" {
		b.Username = &p.Username
		owner = svc.user(p.Username)
	}
	if owner == nil {
		owner = &user{name: p.Username} // deleted; the pool stays as it was set
	}
	b.ConnectionURI = connectionURI(owner.name, owner.shown(secrets), p.endpoint, p.Name)
	return b
}

func connectionURI(name, password string, at engine.Endpoint, dbname string) string {
	return fmt.Sprintf("postgres://%s@%s:%d/%s?sslmode=require", login(name, password), at.Host, at.Port, url.PathEscape(dbname))
}
