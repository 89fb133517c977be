package localaiven

import (
	"net/http"
	"slices"
	"strconv"

	client "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
)

// schemaRegistry is the component, its endpoint and the key of user_config that enables it.
const schemaRegistry = "schema_registry"

// schemaBody is a version of a subject. AVRO has no schemaType, as it is what nobody names.
type schemaBody struct {
	ID         int         `json:"id"`
	References []reference `json:"references,omitempty"`
	Schema     string      `json:"schema"`
	SchemaType string      `json:"schemaType,omitempty"`
	Subject    string      `json:"subject"`
	Version    int         `json:"version"`
}

func (v schemaVersion) body(subject string) schemaBody {
	return schemaBody{v.id, v.references, v.text(), v.shownType(), subject, v.number}
}

func (g *registered) shownType() string {
	if g.language == string(client.SchemaTypeAvro) {
		return ""
	}
	return g.language
}

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
func (s *Server) registry(c *call) (*registry, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	if !svc.enables(schemaRegistry) {
		return nil, badRequest("Schema Registry is not enabled for service '%s': set user_config.schema_registry", svc.name)
	}
	return svc.kafka.registry, svc.writable(s.clock.Now())
}

// api is the error as the API passes it on.
func (e *registryError) api() *apiError {
	if e == nil {
		return nil
	}
	return &apiError{e.status, e.message}
}

func (s *Server) subjectList(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	return map[string]any{"subjects": r.names()}, nil
}

func permanent(r *http.Request) bool { return r.URL.Query().Get("permanent") == "true" }

func (s *Server) subjectDelete(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	_, err := r.drop(c.param("subject"), permanent(c.Request))
	return nil, err.api()
}

func (s *Server) schemaDelete(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	_, err := r.dropVersion(c.param("subject"), c.param("version"), permanent(c.Request))
	return nil, err.api()
}

func (s *Server) schemaVersions(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	numbers, err := r.numbers(c.param("subject"))
	return map[string]any{"versions": numbers}, err.api()
}

func (s *Server) schemaGet(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	v, err := r.get(c.param("subject"), c.param("version"))
	if err != nil {
		return nil, err.api()
	}
	return map[string]any{"version": v.body(c.param("subject"))}, nil
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
	v, err := r.post(c.param("subject"), request)
	if err != nil {
		return nil, err.api()
	}
	return map[string]int{"id": v.id}, nil
}

func schemaOf(text string, language client.SchemaType) (schemaRequest, *apiError) {
	if language != "" && !slices.Contains(client.SchemaTypeChoices(), string(language)) {
		return schemaRequest{}, badRequest("Invalid schemaType '%s': must be one of %v", language, client.SchemaTypeChoices())
	}
	return schemaRequest{Schema: text, SchemaType: string(language)}, nil
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
	reasons, err := r.compare(c.param("subject"), c.param("version"), request)
	if err != nil {
		return nil, err.api()
	}
	return compatibilityBody{len(reasons) == 0, reasons}, nil
}

type compatibilityBody struct {
	IsCompatible bool     `json:"is_compatible"`
	Messages     []string `json:"messages,omitempty"`
}

// levelGet answers for a subject, or for the registry. Only who asks for it gets the registry's level for a subject without.
func (s *Server) levelGet(c *call) (any, *apiError) {
	r, fail := s.registry(c)
	if fail != nil {
		return nil, fail
	}
	fallback, _ := strconv.ParseBool(c.URL.Query().Get("global_default_fallback"))
	level, err := r.configured(c.param("subject"), fallback)
	if err != nil {
		return nil, err.api()
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
	err := r.configure(c.param("subject"), string(in.Compatibility))
	return map[string]string{"compatibility": string(in.Compatibility)}, err.api()
}
