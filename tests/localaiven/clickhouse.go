package localaiven

import (
	"net/http"

	client "github.com/aiven/go-client-codegen/handler/clickhouse"

	"github.com/aero-operator/aero/tests/localaiven/clickhouseapi"
	"github.com/aero-operator/aero/tests/localaiven/clickhousesql"
)

func (s *Server) clickHouseDatabaseList(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	return map[string]any{"databases": clickhouseapi.Databases(s.readCatalog(c, svc))}, nil
}

// readCatalog is what a service knows, as the call sees it.
func (s *Server) readCatalog(c *call, svc *service) *clickhousesql.Catalog {
	if s.lags(c) {
		return svc.clickhouse.Lagging()
	}
	return svc.clickhouse
}

func (s *Server) clickHouseDatabaseCreate(c *call) (any, *apiError) {
	var in client.ServiceClickHouseDatabaseCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if err := clickhouseapi.CheckDatabase(in.Database); err != nil {
		return nil, badRequest("%v", err)
	}
	return nil, s.edit(c, "creating the database", edit{
		check: func(svc *service) *apiError {
			if svc.clickhouse.HasDatabase(in.Database) {
				return alreadyExists("Database", in.Database)
			}
			return nil
		},
		apply: func(svc *service) { svc.clickhouse.AddDatabase(in.Database) },
	})
}

func (s *Server) clickHouseDatabaseDelete(c *call) (any, *apiError) {
	name := c.param("database")
	return nil, s.edit(c, "deleting the database", edit{
		check: func(svc *service) *apiError {
			switch {
			case !svc.clickhouse.HasDatabase(name):
				return notFound("Database")
			case !svc.clickhouse.OwnDatabase(name):
				return forbidden("Database '" + name + "' is required and cannot be deleted")
			}
			return nil
		},
		apply: func(svc *service) { svc.clickhouse.RemoveDatabase(name) },
	})
}

// patchClickHouse sets states of databases.
func (svc *service) patchClickHouse(changes []consoleDatabase) *apiError {
	for _, change := range changes {
		if svc.clickhouse == nil || !svc.clickhouse.SetDatabaseState(change.Name, change.State) {
			return notFound("Database " + change.Name)
		}
	}
	return nil
}

// clickHouseQuery runs SQL as the service's first user. What ClickHouse refuses is 400 with its message.
func (s *Server) clickHouseQuery(c *call) (any, *apiError) {
	var in client.ServiceClickHouseQueryIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	switch {
	case in.Database == "":
		return nil, badRequest("Invalid input: database is required")
	case in.Query == "":
		return nil, badRequest("Invalid input: query is required")
	}
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	if fail := svc.writable(s.clock.Now()); fail != nil {
		return nil, fail
	}
	catalog := svc.clickhouse
	if s.options.Eventual > 0 && clickhousesql.Reads(in.Query) {
		catalog = catalog.Lagging()
	}
	result, err := catalog.Execute(clickhousesql.Session{User: svc.admin().name, Database: in.Database}, in.Query)
	switch {
	case err == nil:
		return clickhouseapi.Answer(result), nil
	case err.Code == clickhousesql.CodeNotImplemented:
		return nil, &apiError{http.StatusNotImplemented, err.Error()}
	}
	return nil, badRequest("%v", err)
}
