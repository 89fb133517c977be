package localaiven

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
)

const adminPrefix = "/_local/"

// adminRoutes is the administration API, for tests. Its calls need no token and are not counted.
func (s *Server) adminRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(*http.Request) (any, *apiError){
		"GET /_local/stats":                                         s.adminStats,
		"POST /_local/reset":                                        s.adminReset,
		"GET /_local/journal":                                       s.adminJournal,
		"GET /_local/faults":                                        s.adminFaults,
		"POST /_local/faults":                                       s.adminAddFault,
		"GET /_local/faults/{id}":                                   s.adminFault,
		"POST /_local/faults/{id}/release":                          s.adminRelease,
		"DELETE /_local/faults":                                     s.adminRemoveFaults,
		"DELETE /_local/faults/{id}":                                s.adminRemoveFaults,
		"GET /_local/resources":                                     s.adminResources,
		"PATCH /_local/project/{project}/service/{service}":         s.adminPatch,
		"PATCH /_local/project/{project}/vpcs/{vpc}":                s.adminPatchVPC,
		"PATCH /_local/project/{project}":                           s.adminPatchProject,
		"PATCH /_local/project/{project}/integration/{integration}": s.adminPatchIntegration,
		adminPrefix: func(r *http.Request) (any, *apiError) {
			return nil, notFound("Admin call " + r.Method + " " + r.URL.Path)
		},
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			value, fail := handle(r)
			if fail != nil {
				s.write(w, answer{status: fail.status, value: fail.body()})
				return
			}
			s.write(w, answer{status: http.StatusOK, value: value})
			if _, ends := value.(raw); !ends {
				_, _ = io.WriteString(w, "\n") // for terminals; a client that is gone doesn't need it
			}
		})
	}
	return mux
}

// Stats returns the counts since the start or the last Reset.
func (s *Server) Stats() Stats { return s.stats.read() }

// Reset zeroes the counts and the journal; resources and faults stay.
func (s *Server) Reset() {
	s.stats.reset(s.clock.Now())
	s.journal.reset()
}

// Journal returns the calls with a higher number than seq, oldest first.
func (s *Server) Journal(seq int64) []Entry { return s.journal.after(seq) }

// AddFault adds a fault and returns its id. It panics where the fault makes no sense, such as a path that is no regular
// expression.
func (s *Server) AddFault(f Fault) string {
	ready, err := newFault(f)
	if err != nil {
		panic(fmt.Sprintf("localaiven: %v", err))
	}
	return s.faults.add(ready)
}

// Faults returns all faults, and what became of them.
func (s *Server) Faults() []FaultState { return s.faults.states() }

// Release lets the calls that a fault holds go on, and returns their number.
func (s *Server) Release(id string) int {
	n, _ := s.faults.letGo(id)
	return n
}

// RemoveFaults removes all faults; held calls go on.
func (s *Server) RemoveFaults() { s.faults.remove("") }

func (s *Server) adminStats(*http.Request) (any, *apiError) { return s.Stats(), nil }

func (s *Server) adminReset(*http.Request) (any, *apiError) {
	s.Reset()
	return nil, nil
}

func (s *Server) adminJournal(r *http.Request) (any, *apiError) {
	var seq int64
	if after := r.URL.Query().Get("after"); after != "" {
		n, err := strconv.ParseInt(after, 10, 64)
		if err != nil {
			return nil, badRequest("Invalid after '%s': must be a number", after)
		}
		seq = n
	}
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, entry := range s.Journal(seq) {
		if err := encoder.Encode(entry); err != nil {
			return nil, badRequest("Encoding entry %d: %v", entry.Seq, err)
		}
	}
	return raw(lines.Bytes()), nil
}

func (s *Server) adminFaults(*http.Request) (any, *apiError) {
	return map[string]any{"faults": s.Faults()}, nil
}

func (s *Server) adminAddFault(r *http.Request) (any, *apiError) {
	var f Fault
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return nil, badRequest("Invalid fault: %v", err)
	}
	ready, err := newFault(f)
	if err != nil {
		return nil, badRequest("Invalid fault: %v", err)
	}
	return map[string]string{"id": s.faults.add(ready)}, nil
}

func (s *Server) adminFault(r *http.Request) (any, *apiError) {
	all := s.Faults()
	i := slices.IndexFunc(all, func(f FaultState) bool { return f.ID == r.PathValue("id") })
	if i < 0 {
		return nil, notFound("Fault")
	}
	return all[i], nil
}

func (s *Server) adminRelease(r *http.Request) (any, *apiError) {
	released, ok := s.faults.letGo(r.PathValue("id"))
	if !ok {
		return nil, notFound("Fault")
	}
	return map[string]int{"released": released}, nil
}

func (s *Server) adminRemoveFaults(r *http.Request) (any, *apiError) {
	id := r.PathValue("id")
	if removed := s.faults.remove(id); removed == 0 && id != "" {
		return nil, notFound("Fault")
	}
	return nil, nil
}

func (s *Server) adminResources(*http.Request) (any, *apiError) { return s.Resources(), nil }

func (s *Server) adminPatch(r *http.Request) (any, *apiError) {
	body, fail := bodyOf(r)
	if fail != nil {
		return nil, fail
	}
	return nil, s.patch(r.PathValue("project"), r.PathValue("service"), body)
}

func bodyOf(r *http.Request) ([]byte, *apiError) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, badRequest("Reading the body: %v", err)
	}
	return body, nil
}

func (s *Server) adminPatchVPC(r *http.Request) (any, *apiError) {
	in := struct{ State *string }{}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return nil, badRequest("Invalid change of a VPC: %v", err)
	}
	if in.State == nil {
		return nil, badRequest("Invalid change of a VPC: state is required")
	}
	return nil, s.patchVPC(r.PathValue("project"), r.PathValue("vpc"), *in.State)
}
