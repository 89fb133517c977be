package schemaregistry

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
		{"POST " + subject, Subject, false, webLookup},
		{"DELETE " + subject, Subject, true, webDeleteSubject},
		{"GET " + subject + "/versions", Subject, false, webVersions},
		{"POST " + subject + "/versions", Subject, true, webPost},
		{"GET " + version, Subject, false, webVersion},
		{"GET " + version + "/schema", Subject, false, webText},
		{"DELETE " + version, Subject, true, webDeleteVersion},
		{"POST /compatibility" + version, Subject, false, webCompare},

		{"GET /schemas/types", "", false, webTypes},
		{"GET /schemas/ids/{id}", "", false, webSchema},
		{"GET /schemas/ids/{id}/versions", "", false, webSchemaVersions},

		{"GET /config", Config, false, webLevel},
		{"PUT /config", Config, true, webSetLevel},
		{"GET /config/{subject}", Subject, false, webLevel},
		{"PUT /config/{subject}", Subject, true, webSetLevel},
		{"DELETE /config/{subject}", Subject, true, webResetLevel},
		{"GET /mode", Config, false, webMode},
	}
}

// webSubjects lists those that the caller may read.
func webSubjects(c *webCall) (any, *Error) {
	return slices.DeleteFunc(c.Names(), func(name string) bool { return !c.reads(name) }), nil
}

func webLookup(c *webCall) (any, *Error) {
	var in Request
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	v, fail := c.lookup(c.PathValue("subject"), in)
	if fail != nil {
		return nil, fail
	}
	return v.Body(c.PathValue("subject")), nil
}

func webDeleteSubject(c *webCall) (any, *Error) {
	return c.Drop(c.PathValue("subject"), c.flag("permanent"))
}

func webVersions(c *webCall) (any, *Error) { return c.Numbers(c.PathValue("subject")) }

func webPost(c *webCall) (any, *Error) {
	var in Request
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	v, fail := c.Post(c.PathValue("subject"), in)
	if fail != nil {
		return nil, fail
	}
	return map[string]int{"id": v.id}, nil
}

func webVersion(c *webCall) (any, *Error) {
	v, fail := c.Get(c.PathValue("subject"), c.PathValue("version"))
	if fail != nil {
		return nil, fail
	}
	return v.Body(c.PathValue("subject")), nil
}

func webText(c *webCall) (any, *Error) {
	v, fail := c.Get(c.PathValue("subject"), c.PathValue("version"))
	if fail != nil {
		return nil, fail
	}
	if v.language == string(client.SchemaTypeProtobuf) {
		return v.text(), nil
	}
	return json.RawMessage(v.text()), nil
}

func webDeleteVersion(c *webCall) (any, *Error) {
	return c.DropVersion(c.PathValue("subject"), c.PathValue("version"), c.flag("permanent"))
}

func webCompare(c *webCall) (any, *Error) {
	var in Request
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	return c.Compare(c.PathValue("subject"), c.PathValue("version"), in)
}

func webTypes(*webCall) (any, *Error) { return client.SchemaTypeChoices(), nil }

// schemaOfID is the schema that the path names, and the versions that have it, if the caller may read one of their subjects.
func (c *webCall) schemaOfID() (*registered, []subjectVersion, *Error) {
	id, err := strconv.Atoi(c.PathValue("id"))
	if err != nil {
		return nil, nil, schemaNotFound()
	}
	g, in, fail := c.byID(id)
	if fail != nil {
		return nil, nil, fail
	}
	if in = slices.DeleteFunc(in, func(v subjectVersion) bool { return !c.reads(v.Subject) }); len(in) == 0 {
		return nil, nil, &Error{http.StatusForbidden, http.StatusForbidden, "Forbidden"}
	}
	return g, in, nil
}

type schemaText struct {
	Schema     string      `json:"schema"`
	SchemaType string      `json:"schemaType,omitempty"`
	References []reference `json:"references,omitempty"`
}

func webSchema(c *webCall) (any, *Error) {
	g, _, fail := c.schemaOfID()
	if fail != nil {
		return nil, fail
	}
	return schemaText{g.text(), g.shownType(), g.references}, nil
}

func webSchemaVersions(c *webCall) (any, *Error) {
	_, in, fail := c.schemaOfID()
	return in, fail
}

func webLevel(c *webCall) (any, *Error) {
	level, fail := c.Configured(c.PathValue("subject"), c.flag("defaultToGlobal"))
	return map[string]string{"compatibilityLevel": level}, fail
}

func webSetLevel(c *webCall) (any, *Error) {
	var in struct {
		Compatibility string `json:"compatibility"`
	}
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	return map[string]string{"compatibility": in.Compatibility}, c.Configure(c.PathValue("subject"), in.Compatibility)
}

func webResetLevel(c *webCall) (any, *Error) {
	level, fail := c.unconfigure(c.PathValue("subject"))
	return map[string]string{"compatibilityLevel": level}, fail
}

func webMode(*webCall) (any, *Error) { return map[string]string{"mode": "READWRITE"}, nil }
