package localaiven

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

var (
	databaseName = regexp.MustCompile(`^[_A-Za-z0-9][-_A-Za-z0-9]{0,39}$`)
	locale       = regexp.MustCompile(`^(C|POSIX|[a-z]{2,3}_[A-Z]{2}|C\.UTF-?8|[a-z]{2,3}_[A-Z]{2}[.@][-@.A-Za-z0-9]+)$`)
)

// maxPage is the most databases in one answer. A list that goes on has a cursor in next.
const maxPage = 250

type databaseBody struct {
	DatabaseName string `json:"database_name"`
	LcCollate    string `json:"lc_collate,omitempty"`
	LcCtype      string `json:"lc_ctype,omitempty"`
}

// databaseList lists by name from the one in after. It follows maxItems, but not limit, which the public client adds to
// every request and Aiven ignores here.
func (s *Server) databaseList(c *call) (any, *apiError) {
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	size := maxPage
	if asked := c.URL.Query().Get("maxItems"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 || n > maxPage {
			return nil, badRequest("Invalid maxItems: must be 1 to %d", maxPage)
		}
		size = n
	}
	svc.mu.RLock()
	all := slices.Clone(svc.databases)
	svc.mu.RUnlock()
	slices.SortFunc(all, func(a, b database) int { return cmp.Compare(a.name, b.name) })
	after := c.URL.Query().Get("after")
	all = slices.DeleteFunc(all, func(d database) bool { return d.name <= after })
	out := struct {
		Databases []databaseBody `json:"databases"`
		Next      *string        `json:"next,omitempty"`
	}{Databases: []databaseBody{}}
	for i, d := range all {
		if i == size {
			out.Next = &all[i-1].name
			break
		}
		out.Databases = append(out.Databases, databaseBody{d.name, d.collate, d.ctype})
	}
	return out, nil
}

func (s *Server) databaseCreate(c *call) (any, *apiError) {
	var in client.ServiceDatabaseCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if !databaseName.MatchString(in.Database) {
		return nil, badRequest("Invalid database '%s': must consist of letters, digits, underscores and dashes, "+
			"not start with a dash, and be at most 40 characters long", in.Database)
	}
	svc, fail := s.service(c)
	if fail != nil {
		return nil, fail
	}
	if fail := svc.kind.refuses("database", in.Database); fail != nil {
		return nil, fail
	}
	d, given, fail := newDatabase(svc.kind, in)
	if fail != nil {
		return nil, fail
	}
	fail = s.edit(c, "creating the database", edit{
		check: func(svc *service) *apiError {
			if svc.database(d.name) {
				return alreadyExists("Database", d.name)
			}
			return nil
		},
		do: func(_ *service, i engine.Instance) error {
			ctx, cancel := engineContext()
			defer cancel()
			return i.Databases().Set(ctx, d.name, given.collate, given.ctype)
		},
		apply: func(svc *service) {
			d.since = s.clock.Now()
			if !svc.database(d.name) { // else a migration has made it meanwhile
				svc.databases = append(svc.databases, d)
			}
		},
	})
	return map[string]string{"message": "created"}, fail
}

// newDatabase is a database as a request wants it, and as an engine is asked for it: without a locale, its own. Where
// databases have none, one is checked and forgotten.
func newDatabase(k *kind, in client.ServiceDatabaseCreateIn) (made, given database, fail *apiError) {
	made = database{name: in.Database, collate: k.locale, ctype: k.locale}
	for _, l := range []struct {
		name         string
		value        *string
		shown, asked *string
	}{{"lc_collate", in.LcCollate, &made.collate, &given.collate}, {"lc_ctype", in.LcCtype, &made.ctype, &given.ctype}} {
		if l.value == nil {
			continue
		}
		if !locale.MatchString(*l.value) {
			return made, given, badRequest("Invalid %s '%s'", l.name, *l.value)
		}
		if k.locale != "" {
			*l.shown, *l.asked = *l.value, *l.value
		}
	}
	return made, given, nil
}

func (s *Server) databaseDelete(c *call) (any, *apiError) {
	name := c.param("database")
	return nil, s.edit(c, "deleting the database", edit{
		check: databaseExists(name),
		do: func(_ *service, i engine.Instance) error {
			ctx, cancel := engineContext()
			defer cancel()
			return i.Databases().Remove(ctx, name)
		},
		apply: func(svc *service) {
			svc.databases = slices.DeleteFunc(svc.databases, func(d database) bool { return d.name == name })
		},
	})
}

func databaseExists(name string) func(*service) *apiError {
	return func(svc *service) *apiError {
		if !svc.database(name) {
			return notFound("Database")
		}
		return nil
	}
}
