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

// mount adds everything this Aiven knows. Patterns are relative to a project, or to a service.
func (s *Server) mount(mux *http.ServeMux) {
	const project, service = "/v1/project/{project}", "/v1/project/{project}/service"
	s.add(mux, "/v1", "", s.accountRoutes())
	s.add(mux, "/v1/organization/{organization}", "", s.organizationRoutes())
	s.add(mux, project, "", s.projectRoutes())
	s.add(mux, service, "", s.serviceRoutes())
	s.add(mux, service, kindPostgreSQL, s.postgresRoutes())
	s.add(mux, service, kindKafka, s.kafkaRoutes())
	s.add(mux, "/v2/project/{project}/service", kindKafka, []route{{"POST /{service}/topic", "ServiceKafkaTopicListV2", s.topicsGet}})
}

func (s *Server) accountRoutes() []route {
	return []route{
		{"GET /account/{account}", "AccountGet", s.accountGet},
		{"GET /billing-group", "BillingGroupList", s.billingGroupList},
		{"GET /card", "UserCreditCardsList", s.cardList},
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

		{"POST /{service}/user", "ServiceUserCreate", s.userCreate},
		{"GET /{service}/user/{user}", "ServiceUserGet", s.userGet},
		{"PUT /{service}/user/{user}", "ServiceUserCredentialsModify", s.userModify},
		{"DELETE /{service}/user/{user}", "ServiceUserDelete", s.userDelete},
	}
}

func (s *Server) postgresRoutes() []route {
	return []route{
		{"GET /{service}/db", "ServiceDatabaseList", s.databaseList},
		{"POST /{service}/db", "ServiceDatabaseCreate", s.databaseCreate},
		{"DELETE /{service}/db/{database}", "ServiceDatabaseDelete", s.databaseDelete},

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

func (s *Server) apiRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	s.mount(mux)
	mux.HandleFunc("/", s.unknownRoute)
	return mux
}

// add adds routes below a path. Where kind isn't empty, only services of that type have them.
func (s *Server) add(mux *http.ServeMux, below, kind string, routes []route) {
	for _, route := range routes {
		method, path, _ := strings.Cut(route.pattern, " ")
		handle := route.handle
		if kind != "" {
			handle = s.only(kind, handle)
		}
		if method != http.MethodGet {
			handle = s.using(handle)
		}
		mux.HandleFunc(method+" "+below+path, func(w http.ResponseWriter, r *http.Request) {
			s.serve(route.operation, handle, w, r)
		})
	}
}

// only refuses calls to services of another type.
func (s *Server) only(kind string, handle handler) handler {
	return func(c *call) (any, *apiError) {
		svc, fail := s.service(c)
		if fail != nil {
			return nil, fail
		}
		if svc.kind.name != kind {
			return nil, badRequest("Service type '%s' does not support this operation", svc.kind.name)
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
