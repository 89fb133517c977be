package localaiven

import (
	"net/http"
	"regexp"

	client "github.com/aiven/go-client-codegen/handler/clickhouse"

	"github.com/aero-operator/aero/tests/localaiven/clickhousesql"
)

var clickHouseDatabaseName = regexp.MustCompile(`^[_A-Za-z0-9][-_A-Za-z0-9]{0,62}$`)

type clickHouseDatabaseBody struct {
	Engine   string `json:"engine"`
	Name     string `json:"name"`
	Required bool   `json:"required"`
	State    string `json:"state"`
}

func (s *Server) clickHouseDatabaseList(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	catalog := s.readCatalog(c, svc)
	out := []clickHouseDatabaseBody{}
	for _, name := range catalog.Databases() {
		out = append(out, clickHouseDatabaseBody{"Replicated", name, name == clickhousesql.DefaultDatabase, catalog.DatabaseState(name)})
	}
	return map[string]any{"databases": out}, nil
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
	if !clickHouseDatabaseName.MatchString(in.Database) {
		return nil, badRequest("Invalid database '%s': must consist of letters, digits, underscores and dashes, "+
			"not start with a dash, and be at most 63 characters long", in.Database)
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

type clickHouseColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type clickHouseSummary struct {
	ElapsedNs    int `json:"elapsed_ns"`
	ReadBytes    int `json:"read_bytes"`
	ReadRows     int `json:"read_rows"`
	ResultBytes  int `json:"result_bytes"`
	ResultRows   int `json:"result_rows"`
	WrittenBytes int `json:"written_bytes"`
	WrittenRows  int `json:"written_rows"`
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
		return clickHouseAnswer(result), nil
	case err.Code == clickhousesql.CodeNotImplemented:
		return nil, &apiError{http.StatusNotImplemented, err.Error()}
	}
	return nil, badRequest("%v", err)
}

func clickHouseAnswer(result clickhousesql.Result) map[string]any {
	meta := []clickHouseColumn{}
	for _, column := range result.Columns {
		meta = append(meta, clickHouseColumn(column))
	}
	rows := len(result.Rows)
	return map[string]any{
		"data": append([][]any{}, result.Rows...), "meta": meta,
		"summary": clickHouseSummary{ReadRows: rows, ResultRows: rows},
	}
}
