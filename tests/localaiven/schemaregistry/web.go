package schemaregistry

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// registryType is what clients of registries speak: JSON.
const registryType = "application/vnd.schemaregistry.v1+json"

// maxBody is the largest request body, in bytes.
const maxBody = 1 << 20

// The resources that ACLs are about: everything that isn't about one subject, and, in front of its name, a subject.
const (
	Config  = "Config:"
	Subject = "Subject:"
)

// webCall is a request that is allowed.
type webCall struct {
	*http.Request
	*Registry
	// reads reports whether the caller may read a subject.
	reads func(subject string) bool
}

type webHandler func(*webCall) (any, *Error)

// webRoute is a request that clients make. Its resource is what ACLs are asked for: Config:, or Subject: for the subject
// in its path. Where it is empty, the handler decides.
type webRoute struct {
	pattern  string
	resource string
	write    bool
	handle   webHandler
}

// Access is what a user may do in the registry.
type Access interface {
	// Allows reports whether the user may read, or write, a resource: Config, or Subject with the name of one.
	Allows(resource string, write bool) bool
}

// Handler is the registry's own endpoint, which serializers use. enter lets a user in, or returns why not.
func (r *Registry) Handler(enter func(username, password string) (Access, *Error)) http.Handler {
	mux := http.NewServeMux()
	for _, route := range webRoutes() {
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, request *http.Request) { r.answer(w, request, route, enter) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		writeWeb(w, nil, &Error{http.StatusNotFound, http.StatusNotFound, "HTTP 404 Not Found"})
	})
	return mux
}

func (r *Registry) answer(w http.ResponseWriter, request *http.Request, route webRoute, enter func(username, password string) (Access, *Error)) {
	request.Body = http.MaxBytesReader(w, request.Body, maxBody)
	username, password, _ := request.BasicAuth()
	access, fail := enter(username, password)
	if fail != nil {
		w.Header().Set("WWW-Authenticate", `Basic realm="Schema Registry"`)
		writeWeb(w, nil, fail)
		return
	}
	resource := route.resource
	if resource == Subject {
		resource += request.PathValue("subject")
	}
	if resource != "" && !access.Allows(resource, route.write) {
		writeWeb(w, nil, &Error{http.StatusForbidden, http.StatusForbidden, "Forbidden"})
		return
	}
	value, fail := route.handle(&webCall{request, r, func(subject string) bool { return access.Allows(Subject+subject, false) }})
	writeWeb(w, value, fail)
}

// writeWeb answers as registries do: an error has a code of its own.
func writeWeb(w http.ResponseWriter, value any, fail *Error) {
	w.Header().Set("Content-Type", registryType)
	if fail != nil {
		w.WriteHeader(fail.Status)
		value = map[string]any{"error_code": fail.Code, "message": fail.Message}
	}
	_ = json.NewEncoder(w).Encode(value) // a client that went away misses nothing
}

// decode reads the body of a request. Keys that other registries have are left alone, as serializers send them.
func (c *webCall) decode(into any) *Error {
	if err := json.NewDecoder(c.Body).Decode(into); err != nil {
		return &Error{http.StatusUnprocessableEntity, http.StatusUnprocessableEntity, "Invalid request body: " + err.Error()}
	}
	return nil
}

func (c *webCall) flag(name string) bool {
	on, err := strconv.ParseBool(c.URL.Query().Get(name))
	return err == nil && on
}
