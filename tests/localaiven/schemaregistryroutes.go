package localaiven

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	client "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
)

// webRoutes are the requests of the Schema Registry's own endpoint.
func webRoutes() []webRoute {
	const subject, version = "/subjects/{subject}", "/subjects/{subject}/versions/{version}"
	return []webRoute{
		{"GET /subjects", "", false, webSubjects},
		{"POST " + subject, subjectResource, false, webLookup},
		{"DELETE " + subject, subjectResource, true, webDeleteSubject},
		{"GET " + subject + "/versions", subjectResource, false, webVersions},
		{"POST " + subject + "/versions", subjectResource, true, webPost},
		{"GET " + version, subjectResource, false, webVersion},
		{"GET " + version + "/schema", subjectResource, false, webText},
		{"DELETE " + version, subjectResource, true, webDeleteVersion},
		{"POST /compatibility" + version, subjectResource, false, webCompare},

		{"GET /schemas/types", "", false, webTypes},
		{"GET /schemas/ids/{id}", "", false, webSchema},
		{"GET /schemas/ids/{id}/versions", "", false, webSchemaVersions},

		{"GET /config", registryConfig, false, webLevel},
		{"PUT /config", registryConfig, true, webSetLevel},
		{"GET /config/{subject}", subjectResource, false, webLevel},
		{"PUT /config/{subject}", subjectResource, true, webSetLevel},
		{"DELETE /config/{subject}", subjectResource, true, webResetLevel},
		{"GET /mode", registryConfig, false, webMode},
	}
}

// webSubjects lists those that the caller may read.
func webSubjects(c *webCall) (any, *registryError) {
	return slices.DeleteFunc(c.names(), func(name string) bool { return !c.reads(name) }), nil
}

func webLookup(c *webCall) (any, *registryError) {
	var in schemaRequest
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	v, fail := c.lookup(c.PathValue("subject"), in)
	if fail != nil {
		return nil, fail
	}
	return v.body(c.PathValue("subject")), nil
}

func webDeleteSubject(c *webCall) (any, *registryError) {
	return c.drop(c.PathValue("subject"), c.flag("permanent"))
}

func webVersions(c *webCall) (any, *registryError) { return c.numbers(c.PathValue("subject")) }

func webPost(c *webCall) (any, *registryError) {
	var in schemaRequest
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	v, fail := c.post(c.PathValue("subject"), in)
	if fail != nil {
		return nil, fail
	}
	return map[string]int{"id": v.id}, nil
}

func webVersion(c *webCall) (any, *registryError) {
	v, fail := c.get(c.PathValue("subject"), c.PathValue("version"))
	if fail != nil {
		return nil, fail
	}
	return v.body(c.PathValue("subject")), nil
}

func webText(c *webCall) (any, *registryError) {
	v, fail := c.get(c.PathValue("subject"), c.PathValue("version"))
	if fail != nil {
		return nil, fail
	}
	if v.language == string(client.SchemaTypeProtobuf) {
		return v.text(), nil
	}
	return json.RawMessage(v.text()), nil
}

func webDeleteVersion(c *webCall) (any, *registryError) {
	return c.dropVersion(c.PathValue("subject"), c.PathValue("version"), c.flag("permanent"))
}

func webCompare(c *webCall) (any, *registryError) {
	var in schemaRequest
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	reasons, fail := c.compare(c.PathValue("subject"), c.PathValue("version"), in)
	if fail != nil {
		return nil, fail
	}
	return compatibilityBody{len(reasons) == 0, reasons}, nil
}

func webTypes(*webCall) (any, *registryError) { return client.SchemaTypeChoices(), nil }

// schemaOfID is the schema that the path names, and the versions that have it, if the caller may read one of their subjects.
func (c *webCall) schemaOfID() (*registered, []subjectVersion, *registryError) {
	id, err := strconv.Atoi(c.PathValue("id"))
	if err != nil {
		return nil, nil, schemaNotFound()
	}
	g, in, fail := c.byID(id)
	if fail != nil {
		return nil, nil, fail
	}
	if in = slices.DeleteFunc(in, func(v subjectVersion) bool { return !c.reads(v.Subject) }); len(in) == 0 {
		return nil, nil, &registryError{http.StatusForbidden, http.StatusForbidden, "Forbidden"}
	}
	return g, in, nil
}

type schemaText struct {
	Schema     string      `json:"schema"`
	SchemaType string      `json:"schemaType,omitempty"`
	References []reference `json:"references,omitempty"`
}

func webSchema(c *webCall) (any, *registryError) {
	g, _, fail := c.schemaOfID()
	if fail != nil {
		return nil, fail
	}
	return schemaText{g.text(), g.shownType(), g.references}, nil
}

func webSchemaVersions(c *webCall) (any, *registryError) {
	_, in, fail := c.schemaOfID()
	return in, fail
}

func webLevel(c *webCall) (any, *registryError) {
	level, fail := c.configured(c.PathValue("subject"), c.flag("defaultToGlobal"))
	return map[string]string{"compatibilityLevel": level}, fail
}

func webSetLevel(c *webCall) (any, *registryError) {
	var in struct {
		Compatibility string `json:"compatibility"`
	}
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	return map[string]string{"compatibility": in.Compatibility}, c.configure(c.PathValue("subject"), in.Compatibility)
}

func webResetLevel(c *webCall) (any, *registryError) {
	level, fail := c.unconfigure(c.PathValue("subject"))
	return map[string]string{"compatibilityLevel": level}, fail
}

func webMode(*webCall) (any, *registryError) { return map[string]string{"mode": "READWRITE"}, nil }
