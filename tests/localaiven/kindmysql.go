package localaiven

import (
	"fmt"
	"net/url"
	"strconv"
)

func mySQL() *kind {
	return &kind{
		name: kindMySQL, description: "MySQL - Relational Database Management System",
		families: nodes(1, 2, 3).with(small), versionKey: "mysql_version", version: "8.4", primary: "master",
		database: "defaultdb", dump: "mysqldump", linked: true,
		reserved: []string{
			"information_schema", "mariadb.sys", "mysql", "mysql.infoschema", "mysql.session", "mysql.sys",
			"performance_schema", "public", "root", "sys",
		},
		logins:  []string{"caching_sha2_password", "mysql_native_password"},
		ports:   []string{kindMySQL},
		connect: (*service).connectMySQL,
	}
}

type mysqlInfo struct {
	MySQL      []string            `json:"mysql"`
	Params     []map[string]string `json:"mysql_params"`
	ReplicaURI string              `json:"mysql_replica_uri"`
	Standby    []string            `json:"mysql_standby"`
}

// connectMySQL shows the service as its own replica, since clients read the replica's URI whatever the plan.
func (svc *service) connectMySQL(b *serviceBody, secrets bool) {
	at, admin := svc.endpoints[kindMySQL], svc.admin()
	password := admin.shown(secrets)
	uri := fmt.Sprintf("mysql://%s@%s:%d/%s?ssl-mode=REQUIRED", login(admin.name, password), at.Host, at.Port, url.PathEscape(svc.kind.database))
	params := map[string]string{
		"host": at.Host, "port": strconv.Itoa(at.Port), "user": admin.name, "password": password,
		"dbname": svc.kind.database, "ssl-mode": "REQUIRED",
	}
	b.ServiceURI, b.ServiceURIParams = &uri, params
	b.ConnectionInfo = mysqlInfo{[]string{uri}, []map[string]string{params}, uri, []string{}}
	b.Components = append(b.Components, newComponent(kindMySQL, at))
}
