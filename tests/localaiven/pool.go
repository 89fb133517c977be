package localaiven

import (
	"context"
	"regexp"
	"slices"

	client "github.com/aiven/go-client-codegen/handler/postgresql"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

const (
	defaultPoolSize = 10
	maxPoolSize     = 10_000
)

var poolName = regexp.MustCompile(`^[_A-Za-z0-9][-._A-Za-z0-9]{0,62}$`)

func (s *Server) poolCreate(c *call) (any, *apiError) {
	var in client.ServicePGBouncerCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if !poolName.MatchString(in.PoolName) {
		return nil, badRequest("Invalid pool_name '%s': must consist of letters, digits, dots, underscores and dashes, "+
			"not start with a dot or dash, and be at most 63 characters long", in.PoolName)
	}
	p := &pool{Pool: engine.Pool{Name: in.PoolName, Mode: string(client.PoolModeTypeTransaction), Size: defaultPoolSize}}
	change := client.ServicePGBouncerUpdateIn{
		Database: &in.Database, PoolMode: in.PoolMode, PoolSize: in.PoolSize, Username: in.Username,
	}
	return nil, s.edit(c, "creating the connection pool", edit{
		check: func(svc *service) *apiError {
			if svc.pool(p.Name) != nil {
				return alreadyExists("Connection pool", p.Name)
			}
			return svc.configurePool(&p.Pool, change)
		},
		do: p.run,
		apply: func(svc *service) {
			if svc.backing == nil {
				port := s.ports.take(svc.project.name + "/" + svc.name + "/" + p.Name)
				p.endpoint = engine.Endpoint{Host: localhost, Port: port}
			}
			svc.pools = append(svc.pools, p)
		},
	})
}

func (s *Server) poolUpdate(c *call) (any, *apiError) {
	var in client.ServicePGBouncerUpdateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	next := &pool{}
	return nil, s.edit(c, "updating the connection pool", edit{
		check: func(svc *service) *apiError {
			old := svc.pool(c.param("pool"))
			if old == nil {
				return notFound("Connection pool")
			}
			*next = *old
			if c.names("username") && in.Username == nil {
				next.Username = "" // null: back to the connecting user's own
			}
			return svc.configurePool(&next.Pool, in)
		},
		do:    next.run,
		apply: func(svc *service) { *svc.pool(next.Name) = *next },
	})
}

func (s *Server) poolDelete(c *call) (any, *apiError) {
	name := c.param("pool")
	return nil, s.edit(c, "deleting the connection pool", edit{
		check: func(svc *service) *apiError {
			if svc.pool(name) == nil {
				return notFound("Connection pool")
			}
			return nil
		},
		do: func(_ *service, i engine.Instance) error {
			ctx, cancel := engineContext()
			defer cancel()
			return i.Pools().Remove(ctx, name)
		},
		apply: func(svc *service) {
			s.ports.free(svc.pool(name).endpoint.Port)
			svc.pools = slices.DeleteFunc(svc.pools, func(p *pool) bool { return p.Name == name })
		},
	})
}

// configurePool applies a request to p, whose database and user must exist.
func (svc *service) configurePool(p *engine.Pool, in client.ServicePGBouncerUpdateIn) *apiError {
	if in.PoolMode != "" {
		if !slices.Contains(client.PoolModeTypeChoices(), string(in.PoolMode)) {
			return badRequest("Invalid pool_mode '%s'", in.PoolMode)
		}
		p.Mode = string(in.PoolMode)
	}
	if in.PoolSize != nil {
		if *in.PoolSize < 1 || *in.PoolSize > maxPoolSize {
			return badRequest("Invalid pool_size %d: must be 1 to %d", *in.PoolSize, maxPoolSize)
		}
		p.Size = *in.PoolSize
	}
	if in.Database != nil {
		p.Database = *in.Database
	}
	if fail := databaseExists(p.Database)(svc); fail != nil {
		return fail
	}
	if in.Username != nil {
		p.Username = *in.Username
	}
	p.Password = ""
	if p.Username == "" {
		return nil
	}
	owner := svc.user(p.Username)
	if owner == nil {
		return notFound("Service user")
	}
	p.Password = owner.credential().Password
	return nil
}

// run makes the pool real.
func (p *pool) run(_ *service, i engine.Instance) error {
	ctx, cancel := engineContext()
	defer cancel()
	endpoint, err := i.Pools().Set(ctx, p.Pool)
	p.endpoint = endpoint
	return err
}

// resumePools runs the pools that the service has, and returns where. They don't change before its engine is up.
func (svc *service) resumePools(ctx context.Context, instance engine.Instance) (map[string]engine.Endpoint, error) {
	svc.mu.RLock()
	var wanted []engine.Pool
	for _, p := range svc.pools {
		pool := p.Pool
		if owner := svc.user(pool.Username); owner != nil {
			pool.Password = owner.credential().Password
		}
		wanted = append(wanted, pool)
	}
	svc.mu.RUnlock()
	at := map[string]engine.Endpoint{}
	for _, pool := range wanted {
		endpoint, err := instance.Pools().Set(ctx, pool)
		if err != nil {
			return nil, err
		}
		at[pool.Name] = endpoint
	}
	return at, nil
}
