package localaiven

import (
	"fmt"
	"net/http"
	"strings"
)

// handler applies one call. Its answer is 200 with the value as JSON, or the error.
type handler func(*call) (any, *apiError)

type route struct {
	pattern   string // method and path, as http.ServeMux takes them
	operation string // of the public client
	handle    handler
}

// routes is everything this Aiven knows. Patterns are relative to a project.
func (s *Server) routes() []route {
	return []route{
		{"GET ", "ProjectGet", s.projectGet},
		{"GET /kms/ca", "ProjectKmsGetCA", s.projectCA},

		{"GET /service", "ServiceList", s.serviceList},
		{"POST /service", "ServiceCreate", s.serviceCreate},
		{"GET /service/{service}", "ServiceGet", s.serviceGet},
		{"PUT /service/{service}", "ServiceUpdate", s.serviceUpdate},
		{"DELETE /service/{service}", "ServiceDelete", s.serviceDelete},
		{"GET /service/{service}/tags", "ProjectServiceTagsList", s.tagsList},
		{"PUT /service/{service}/tags", "ProjectServiceTagsReplace", s.tagsReplace},
		{"GET /service/{service}/backups", "ServiceBackupsGet", s.backupsGet},
		{"GET /service/{service}/migration", "ServiceGetMigrationStatus", s.migrationGet},
		{"POST /service/{service}/task", "ServiceTaskCreate", s.taskCreate},
		{"GET /service/{service}/task/{task}", "ServiceTaskGet", s.taskGet},

		{"POST /service/{service}/user", "ServiceUserCreate", s.userCreate},
		{"GET /service/{service}/user/{user}", "ServiceUserGet", s.userGet},
		{"PUT /service/{service}/user/{user}", "ServiceUserCredentialsModify", s.userModify},
		{"DELETE /service/{service}/user/{user}", "ServiceUserDelete", s.userDelete},

		{"GET /service/{service}/db", "ServiceDatabaseList", s.databaseList},
		{"POST /service/{service}/db", "ServiceDatabaseCreate", s.databaseCreate},
		{"DELETE /service/{service}/db/{database}", "ServiceDatabaseDelete", s.databaseDelete},

		{"POST /service/{service}/connection_pool", "ServicePGBouncerCreate", s.poolCreate},
		{"PUT /service/{service}/connection_pool/{pool}", "ServicePGBouncerUpdate", s.poolUpdate},
		{"DELETE /service/{service}/connection_pool/{pool}", "ServicePGBouncerDelete", s.poolDelete},
	}
}

func (s *Server) apiRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, route := range s.routes() {
		method, path, _ := strings.Cut(route.pattern, " ")
		mux.HandleFunc(method+" /v1/project/{project}"+path, func(w http.ResponseWriter, r *http.Request) {
			s.serve(route.operation, route.handle, w, r)
		})
	}
	mux.HandleFunc("/", s.unknownRoute)
	return mux
}

// unknownRoute answers what this Aiven doesn't simulate. Tests fail on the count of them.
func (s *Server) unknownRoute(w http.ResponseWriter, r *http.Request) {
	s.serve("", func(c *call) (any, *apiError) {
		s.log.Warn("unknown route", "method", c.Method, "path", c.URL.Path)
		return nil, &apiError{http.StatusNotImplemented, fmt.Sprintf("The local Aiven does not know %s %s", c.Method, c.URL.Path)}
	}, w, r)
}
