package localaiven

import (
	"regexp"

	client "github.com/aiven/go-client-codegen/handler/service"
)

var tagKey = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`)

// checkTags returns a copy of its own.
func checkTags(in map[string]string) (map[string]string, *apiError) {
	out := make(map[string]string, len(in))
	for key, value := range in {
		if !tagKey.MatchString(key) || len(value) > 64 {
			return nil, badRequest("Invalid tag '%s': keys start with a letter, consist of letters, digits, "+
				"dashes and underscores, and are, as values, at most 64 characters long", key)
		}
		out[key] = value
	}
	return out, nil
}

func (s *Server) tagsList(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	return map[string]any{"tags": svc.tags}, nil
}

func (s *Server) tagsReplace(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	var in client.ProjectServiceTagsReplaceIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	tags, fail := checkTags(in.Tags)
	if fail != nil {
		return nil, fail
	}
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.tags = tags
	svc.changed(s.clock.Now())
	return nil, nil
}
