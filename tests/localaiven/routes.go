package localaiven

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// handler applies one call. Its answer is 200 with the value as JSON, or the error.
type handler func(*call) (any, *apiError)

type route struct {
	pattern   string // method and path, as http.ServeMux takes them
	operation string // of the public client
	handle    handler
}

// mount adds everything this Aiven knows. Patterns are relative to a project, or to a service.
func (s *Server) mount(mux *http.ServeMux) {
	const project, service = "/v1/project/{project}", "/v1/project/{project}/service"
	s.add(mux, "/v1", s.accountRoutes())
	s.add(mux, "/v1/organization/{organization}", s.organizationRoutes())
	s.add(mux, project, s.projectRoutes())
	s.add(mux, project, s.integrationRoutes())
	s.add(mux, project, s.typeRoutes())
	s.add(mux, service, s.serviceRoutes())
	s.add(mux, service, s.databaseRoutes(), kindPostgreSQL, kindMySQL)
	s.add(mux, service, s.poolRoutes(), kindPostgreSQL)
	s.add(mux, service, s.kafkaRoutes(), kindKafka)
	s.add(mux, service, s.openSearchRoutes(), kindOpenSearch)
	s.add(mux, service, s.clickHouseRoutes(), kindClickHouse)
	s.add(mux, service, s.kafkaMoreRoutes(), kindKafka)
	s.add(mux, service, s.schemaRoutes(), kindKafka)
	s.add(mux, service, s.connectorRoutes(), kindKafka, kindKafkaConnect)
	s.add(mux, "/v2/project/{project}/service", []route{{"POST /{service}/topic", "ServiceKafkaTopicListV2", s.topicsGet}}, kindKafka)
}

func (s *Server) accountRoutes() []route {
	return []route{
		{"GET /account/{account}", "AccountGet", s.accountGet},
		{"GET /billing-group", "BillingGroupList", s.billingGroupList},
		{"GET /card", "UserCreditCardsList", s.cardList},
		{"GET /me", "UserInfo", s.userInfo},
		{"GET /project", "ProjectList", s.projectList},
		{"POST /project", "ProjectCreate", s.projectCreate},
	}
}

func (s *Server) organizationRoutes() []route {
	return []route{
		{"GET ", "OrganizationGet", s.organizationGet},
		{"GET /projects", "OrganizationProjectsList", s.organizationProjectList},
		{"POST /projects", "OrganizationProjectsCreate", s.organizationProjectCreate},
		{"GET /project/{project}", "OrganizationProjectsGet", s.organizationProjectGet},
		{"PATCH /project/{project}", "OrganizationProjectsUpdate", s.organizationProjectUpdate},
		{"DELETE /project/{project}", "OrganizationProjectsDelete", s.organizationProjectDelete},

		{"GET /upgrade-pipeline/steps", "UpgradePipelineStepList", s.stepList},
		{"POST /upgrade-pipeline/steps", "UpgradePipelineStepCreate", s.stepCreate},
		{"GET /upgrade-pipeline/steps/{step}", "UpgradePipelineStepGet", s.stepGet},
		{"PATCH /upgrade-pipeline/steps/{step}", "UpgradePipelineStepUpdate", s.stepUpdate},
		{"DELETE /upgrade-pipeline/steps/{step}", "UpgradePipelineStepDelete", s.stepDelete},
	}
}

func (s *Server) projectRoutes() []route {
	return []route{
		{"GET ", "ProjectGet", s.projectGet},
		{"PUT ", "ProjectUpdate", s.projectUpdate},
		{"DELETE ", "ProjectDelete", s.projectDelete},
		{"GET /kms/ca", "ProjectKmsGetCA", s.projectCA},

		{"GET /vpcs", "VpcList", s.vpcList},
		{"POST /vpcs", "VpcCreate", s.vpcCreate},
		{"GET /vpcs/{vpc}", "VpcGet", s.vpcGet},
		{"DELETE /vpcs/{vpc}", "VpcDelete", s.vpcDelete},
	}
}

func (s *Server) integrationRoutes() []route {
	return []route{
		{"POST /integration", "ServiceIntegrationCreate", s.integrationCreate},
		{"GET /integration/{integration}", "ServiceIntegrationGet", s.integrationGet},
		{"PUT /integration/{integration}", "ServiceIntegrationUpdate", s.integrationUpdate},
		{"DELETE /integration/{integration}", "ServiceIntegrationDelete", s.integrationDelete},

		{"GET /integration_endpoint", "ServiceIntegrationEndpointList", s.endpointList},
		{"POST /integration_endpoint", "ServiceIntegrationEndpointCreate", s.endpointCreate},
		{"GET /integration_endpoint/{endpoint}", "ServiceIntegrationEndpointGet", s.endpointGet},
		{"PUT /integration_endpoint/{endpoint}", "ServiceIntegrationEndpointUpdate", s.endpointUpdate},
		{"DELETE /integration_endpoint/{endpoint}", "ServiceIntegrationEndpointDelete", s.endpointDelete},
	}
}

func (s *Server) serviceRoutes() []route {
	return []route{
		{"GET ", "ServiceList", s.serviceList},
		{"POST ", "ServiceCreate", s.serviceCreate},
		{"GET /{service}", "ServiceGet", s.serviceGet},
		{"PUT /{service}", "ServiceUpdate", s.serviceUpdate},
		{"DELETE /{service}", "ServiceDelete", s.serviceDelete},
		{"GET /{service}/tags", "ProjectServiceTagsList", s.tagsList},
		{"PUT /{service}/tags", "ProjectServiceTagsReplace", s.tagsReplace},
		{"GET /{service}/backups", "ServiceBackupsGet", s.backupsGet},
		{"GET /{service}/migration", "ServiceGetMigrationStatus", s.migrationGet},
		{"POST /{service}/task", "ServiceTaskCreate", s.taskCreate},
		{"GET /{service}/task/{task}", "ServiceTaskGet", s.taskGet},
		{"POST /{service}/upgrade-validation", "UpgradePipelineStepValidate", s.stepValidate},

		{"POST /{service}/user", "ServiceUserCreate", s.except(kindClickHouse, s.userCreate)},
		{"GET /{service}/user/{user}", "ServiceUserGet", s.userGet},
		{"PUT /{service}/user/{user}", "ServiceUserCredentialsModify", s.userModify},
		{"DELETE /{service}/user/{user}", "ServiceUserDelete", s.userDelete},
	}
}

func (s *Server) databaseRoutes() []route {
	return []route{
		{"GET /{service}/db", "ServiceDatabaseList", s.databaseList},
		{"POST /{service}/db", "ServiceDatabaseCreate", s.databaseCreate},
		{"DELETE /{service}/db/{database}", "ServiceDatabaseDelete", s.databaseDelete},
	}
}

func (s *Server) poolRoutes() []route {
	return []route{
		{"POST /{service}/connection_pool", "ServicePGBouncerCreate", s.poolCreate},
		{"PUT /{service}/connection_pool/{pool}", "ServicePGBouncerUpdate", s.poolUpdate},
		{"DELETE /{service}/connection_pool/{pool}", "ServicePGBouncerDelete", s.poolDelete},
	}
}

func (s *Server) kafkaRoutes() []route {
	return []route{
		{"GET /{service}/topic", "ServiceKafkaTopicList", s.topicList},
		{"POST /{service}/topic", "ServiceKafkaTopicCreate", s.topicCreate},
		{"GET /{service}/topic/{topic}", "ServiceKafkaTopicGet", s.topicGet},
		{"PUT /{service}/topic/{topic}", "ServiceKafkaTopicUpdate", s.topicUpdate},
		{"DELETE /{service}/topic/{topic}", "ServiceKafkaTopicDelete", s.topicDelete},

		{"GET /{service}/acl", "ServiceKafkaAclList", s.aclList},
		{"POST /{service}/acl", "ServiceKafkaAclAdd", s.aclAdd},
		{"DELETE /{service}/acl/{acl}", "ServiceKafkaAclDelete", s.aclDelete},
	}
}

func (s *Server) openSearchRoutes() []route {
	return []route{
		{"GET /{service}/opensearch/acl", "ServiceOpenSearchAclGet", s.searchACLGet},
		{"POST /{service}/opensearch/acl", "ServiceOpenSearchAclSet", s.searchACLSet},
		{"PUT /{service}/opensearch/acl", "ServiceOpenSearchAclUpdate", s.searchACLUpdate},
		{"GET /{service}/opensearch/security", "ServiceOpenSearchSecurityGet", s.searchSecurityGet},
		{"POST /{service}/opensearch/security/admin", "ServiceOpenSearchSecuritySet", s.searchSecuritySet},
		{"PUT /{service}/opensearch/security/admin", "ServiceOpenSearchSecurityReset", s.searchSecurityReset},
	}
}

// Operation is the public client's name of what a request asks for; empty if it is not served.
func (s *Server) Operation(r *http.Request) string {
	_, pattern := s.api.Handler(r)
	return s.operations[pattern]
}

// Operations are all that are served.
func (s *Server) Operations() []string { return slices.Collect(maps.Values(s.operations)) }

func (s *Server) clickHouseRoutes() []route {
	return []route{
		{"GET /{service}/clickhouse/db", "ServiceClickHouseDatabaseList", s.clickHouseDatabaseList},
		{"POST /{service}/clickhouse/db", "ServiceClickHouseDatabaseCreate", s.clickHouseDatabaseCreate},
		{"DELETE /{service}/clickhouse/db/{database}", "ServiceClickHouseDatabaseDelete", s.clickHouseDatabaseDelete},

		{"GET /{service}/clickhouse/user", "ServiceClickHouseUserList", s.clickHouseUserList},
		{"POST /{service}/clickhouse/user", "ServiceClickHouseUserCreate", s.clickHouseUserCreate},
		{"DELETE /{service}/clickhouse/user/{user}", "ServiceClickHouseUserDelete", s.clickHouseUserDelete},
		{"PUT /{service}/clickhouse/user/{user}/password", "ServiceClickHousePasswordReset", s.clickHousePasswordReset},

		{"POST /{service}/clickhouse/query", "ServiceClickHouseQuery", s.clickHouseQuery},
	}
}

func (s *Server) apiRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	s.mount(mux)
	mux.HandleFunc("/", s.unknownRoute)
	return mux
}

// add adds routes below a path. Where types are named, only services of these have them.
func (s *Server) add(mux *http.ServeMux, below string, routes []route, types ...string) {
	for _, route := range routes {
		method, path, _ := strings.Cut(route.pattern, " ")
		handle := route.handle
		if len(types) > 0 {
			handle = s.only(types, handle)
		}
		if method != http.MethodGet {
			handle = s.using(handle)
		}
		pattern := method + " " + below + path
		if strings.Contains(pattern, "{project}") {
			handle = s.member(handle)
		}
		s.operations[pattern] = route.operation
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			s.serve(route.operation, handle, w, r)
		})
	}
}

// only refuses calls to services of other types.
func (s *Server) only(types []string, handle handler) handler {
	return func(c *call) (any, *apiError) {
		svc, fail := s.service(c)
		if fail != nil {
			return nil, fail
		}
		if !slices.Contains(types, svc.kind.name) {
			return nil, badRequest("Service type '%s' does not support this operation", svc.kind.name)
		}
		return handle(c)
	}
}

// except refuses calls to services of one type, which has calls of its own for the purpose.
func (s *Server) except(kind string, handle handler) handler {
	return func(c *call) (any, *apiError) {
		if svc, fail := s.service(c); fail == nil && svc.kind.name == kind {
			return nil, badRequest("Service type '%s' does not support this operation", kind)
		}
		return handle(c)
	}
}

// unknownRoute answers what this Aiven doesn't simulate. Tests fail on the count of them.
func (s *Server) unknownRoute(w http.ResponseWriter, r *http.Request) {
	s.serve("", func(c *call) (any, *apiError) {
		s.log.Warn("unknown route", "method", c.Method, "path", c.URL.Path)
		return nil, &apiError{http.StatusNotImplemented, fmt.Sprintf("The local Aiven does not know %s %s", c.Method, c.URL.Path)}
	}, w, r)
}
