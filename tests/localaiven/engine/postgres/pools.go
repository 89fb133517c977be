package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// pools are the PgBouncers of a cluster: one for each pool, as each has its own port.
type pools struct {
	cluster *cluster

	mutex   sync.Mutex
	running map[string]*bouncer
	stopped bool
	closed  bool
}

// bouncer is one PgBouncer.
type bouncer struct {
	*process.Program
	port   int
	folder string
	pool   engine.Pool
}

// Set makes the pool or changes it in place, keeping its port and its clients.
// Clients name the pool as their database. They log in as themselves, or only
// as pool.Username if it's set; pool.Password is not needed, since PgBouncer asks
// the cluster. Mode and Size have Aiven's defaults. Without a PgBouncer on the
// machine, it returns the endpoint of the cluster, where clients must name the real database.
func (p *pools) Set(ctx context.Context, pool engine.Pool) (engine.Endpoint, error) {
	pool = withDefaults(pool)
	if err := check(pool); err != nil {
		return engine.Endpoint{}, err
	}
	path, err := findPgBouncer()
	if err != nil {
		p.cluster.engine.poolless.Do(func() {
			slog.WarnContext(ctx, "Connection pools lead to PostgreSQL itself", "reason", err.Error())
		})
		return p.cluster.Endpoint(), nil
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch {
	case p.closed:
		return engine.Endpoint{}, errClosed
	case p.stopped:
		return engine.Endpoint{}, errStopped
	}
	b, err := p.set(ctx, path, pool)
	if err != nil {
		return engine.Endpoint{}, fmt.Errorf("setting pool %s: %w", pool.Name, err)
	}
	return engine.Endpoint{Host: host, Port: b.port}, nil
}

func (p *pools) set(ctx context.Context, path string, pool engine.Pool) (*bouncer, error) {
	b := p.running[pool.Name]
	switch {
	case b == nil:
	case b.Ended():
		if err := p.remove(ctx, pool.Name); err != nil {
			return nil, err
		}
	case b.pool == pool:
		return b, nil
	default:
		return b, p.reload(ctx, b, pool)
	}
	b = &bouncer{folder: filepath.Join(p.cluster.files.pools, hex.EncodeToString([]byte(pool.Name))), pool: pool}
	if err := p.start(ctx, path, b); err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.folder))
	}
	p.running[pool.Name] = b
	return b, nil
}

func (p *pools) start(ctx context.Context, path string, b *bouncer) error {
	if err := p.cluster.account.Mkdir(b.folder); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	start := func(ports []int) (*process.Program, error) {
		b.port = ports[0]
		err := p.configure(b)
		if err != nil {
			return nil, err
		}
		cmd := p.cluster.account.Command(b.folder, path, b.config())
		b.Program, err = process.Launch("PgBouncer", filepath.Join(b.folder, "pgbouncer.log"), cmd, syscall.SIGKILL)
		return b.Program, err
	}
	// It says so after it has begun to listen. To knock at the port could be
	// answered by another process that has taken it.
	ready := func(context.Context, []int) error { return said(b.Program, "process up", 0) }
	_, _, err := process.OnFreePorts(ctx, 1, start, ready)
	return err
}

// reload makes a running PgBouncer read its configuration again.
func (p *pools) reload(ctx context.Context, b *bouncer, pool engine.Pool) error {
	info, err := os.Stat(b.Log)
	if err != nil {
		return fmt.Errorf("reading the log: %w", err)
	}
	b.pool = pool
	if err := p.configure(b); err != nil {
		return err
	}
	b.Signal(syscall.SIGHUP)
	return b.Await(ctx, func(context.Context) error { return said(b.Program, "re-reading config", int(info.Size())) })
}

// configure writes the files of the PgBouncer.
func (p *pools) configure(b *bouncer) error {
	err := errors.Join(
		p.cluster.account.Write(b.rules(), clientRules(b.pool)),
		p.cluster.account.Write(b.config(), poolConfig(p.cluster, b)),
	)
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	return nil
}

// Remove disconnects the clients and frees the port.
func (p *pools) Remove(ctx context.Context, name string) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if err := p.remove(ctx, name); err != nil {
		return fmt.Errorf("removing pool %s: %w", name, err)
	}
	return nil
}

func (p *pools) remove(ctx context.Context, name string) error {
	b := p.running[name]
	if b == nil {
		return nil
	}
	// It has nothing to save, and newer versions wait for clients on gentler signals.
	b.Stop(ctx)
	delete(p.running, name)
	return os.RemoveAll(b.folder)
}

// stop stops all pools, maybe for good.
func (p *pools) stop(ctx context.Context, forGood bool) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.stopped = true
	p.closed = p.closed || forGood
	var errs []error
	for name := range p.running {
		errs = append(errs, p.remove(ctx, name))
	}
	return errors.Join(errs...)
}

// resume lets pools be set again.
func (p *pools) resume() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.stopped = false
}
