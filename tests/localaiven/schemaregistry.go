package localaiven

import (
	"net/http"
	"slices"
	"strconv"

	client "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"

	"github.com/aero-operator/aero/tests/localaiven/schemaregistry"
)

// schemaRegistry is the component, its endpoint and the key of user_config that enables it.
const schemaRegistry = "schema_registry"

func (s *Server) schemaRoutes() []route {
	const subject, config = "/{service}/kafka/schema/subjects/{subject}", "/{service}/kafka/schema/config"
	return []route{
		{"GET /{service}/kafka/schema/subjects", "ServiceSchemaRegistrySubjects", s.subjectList},
		{"DELETE " + subject, "ServiceSchemaRegistrySubjectDelete", s.subjectDelete},
		{"GET " + subject + "/versions", "ServiceSchemaRegistrySubjectVersionsGet", s.schemaVersions},
		{"POST " + subject + "/versions", "ServiceSchemaRegistrySubjectVersionPost", s.schemaPost},
		{"GET " + subject + "/versions/{version}", "ServiceSchemaRegistrySubjectVersionGet", s.schemaGet},
		{"DELETE " + subject + "/versions/{version}", "ServiceSchemaRegistrySubjectVersionDelete", s.schemaDelete},
		{"GET " + config, "ServiceSchemaRegistryGlobalConfigGet", s.levelGet},
		{"PUT " + config, "ServiceSchemaRegistryGlobalConfigPut", s.levelPut},
		{"GET " + config + "/{subject}", "ServiceSchemaRegistrySubjectConfigGet", s.levelGet},
		{"PUT " + config + "/{subject}", "ServiceSchemaRegistrySubjectConfigPut", s.levelPut},
		{
			"POST /{service}/kafka/schema/compatibility/subjects/{subject}/versions/{version}",
			"ServiceSchemaRegistryCompatibility", s.schemaCompare,
		},
	}
}

// registry is the Schema Registry of the service of a call, which must be enabled and running.
func (s *Server) registry(c *call) (*schemaregistry.Registry, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	if !svc.enables(schemaRegistry) {
		return nil, badRequest("Schema Registry is not enabled for service '%s': set user_config.schema_registry", svc.name)
	}
	r := svc.kafka.registry
	if s.lags(c) {
		r = r.Lagging()
	}
	return r, svc.writable(s.clock.Now())
}

// registryRefusal is an error of the registry as the API passes it on.
func registryRefusal(e *schemaregistry.Error) *apiError {
	if e == nil {
		return nil
	}
	return &apiError{e.Status, e.Message}
}

func (s *Server) subjectList(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	return map[string]any{"subjects": r.Names()}, nil
}

func permanent(r *http.Request) bool { return r.URL.Query().Get("permanent") == "true" }

func (s *Server) subjectDelete(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	_, err := r.Drop(c.param("subject"), permanent(c.Request))
	return nil, registryRefusal(err)
}

func (s *Server) schemaDelete(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	_, err := r.DropVersion(c.param("subject"), c.param("version"), permanent(c.Request))
	return nil, registryRefusal(err)
}

func (s *Server) schemaVersions(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	numbers, err := r.Numbers(c.param("subject"))
	return map[string]any{"versions": numbers}, registryRefusal(err)
}

func (s *Server) schemaGet(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	v, err := r.Get(c.param("subject"), c.param("version"))
	if err != nil {
		return nil, registryRefusal(err)
	}
	return map[string]any{"version": v.Body(c.param("subject"))}, nil
}

func (s *Server) schemaPost(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	var in client.ServiceSchemaRegistrySubjectVersionPostIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	request, fail := schemaOf(in.Schema, in.SchemaType)
	if fail != nil {
		return nil, fail
	}
	if in.References != nil {
		request.References = *in.References
	}
	v, err := r.Post(c.param("subject"), request)
	if err != nil {
		return nil, registryRefusal(err)
	}
	return map[string]int{"id": v.ID()}, nil
}

func schemaOf(text string, language client.SchemaType) (schemaregistry.Request, *apiError) {
	if language != "" && !slices.Contains(client.SchemaTypeChoices(), string(language)) {
		return schemaregistry.Request{}, badRequest("Invalid schemaType '%s': must be one of %v", language, client.SchemaTypeChoices())
	}
	return schemaregistry.Request{Schema: text, SchemaType: string(language)}, nil
}

func (s *Server) schemaCompare(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	var in client.ServiceSchemaRegistryCompatibilityIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	request, fail := schemaOf(in.Schema, in.SchemaType)
	if fail != nil {
		return nil, fail
	}
	result, err := r.Compare(c.param("subject"), c.param("version"), request)
	if err != nil {
		return nil, registryRefusal(err)
	}
	return result, nil
}

// levelGet answers for a subject, or for the registry. Only who asks for it gets the registry's level for a subject without.
func (s *Server) levelGet(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	fallback, _ := strconv.ParseBool(c.URL.Query().Get("global_default_fallback"))
	level, err := r.Configured(c.param("subject"), fallback)
	if err != nil {
		return nil, registryRefusal(err)
	}
	return map[string]string{"compatibilityLevel": level}, nil
}

func (s *Server) levelPut(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	var in client.ServiceSchemaRegistrySubjectConfigPutIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if !slices.Contains(client.CompatibilityTypeChoices(), string(in.Compatibility)) {
		return nil, badRequest("Invalid compatibility '%s': must be one of %v", in.Compatibility, client.CompatibilityTypeChoices())
	}
	err := r.Configure(c.param("subject"), string(in.Compatibility))
	return map[string]string{"compatibility": string(in.Compatibility)}, registryRefusal(err)
}
