// Package valkey runs Aiven for Valkey services as servers of Valkey, or of Redis, on this machine.
//
// What is as at Aiven: clients connect over TLS only, to a server with a certificate of the project's CA. Users made
// through the API are users of the server, with the commands, keys and channels of their access control, which changes
// under a session that is open, too. No client logs in as default, or without a password. What would change the server
// behind the API's back, such as CONFIG and SHUTDOWN, is for no user.
//
// What is simpler: whatever the version, it is the one installed, Redis 7 at least; rules for commands that it doesn't
// know do nothing. Access to databases isn't checked. Data is written to disk when the service stops, and only then. There
// are no replicas, and 128 MiB are all a service can hold.
package valkey

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/daemon"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

const missing = "neither Valkey nor Redis is installed: install the Debian package redis-server"

// keeper applies what the API says. No other client has its password, and no user of the API can have such a name.
const keeper = "@aero-keeper"

// servers are the programs that will do, the best first.
var servers = []string{"valkey-server", "redis-server"}

// Engine starts servers.
type Engine struct{}

var _ engine.Engine = Engine{}

// New returns an engine that uses what the machine has installed.
func New() Engine { return Engine{} }

// Type is "valkey".
func (Engine) Type() string { return "valkey" }

// Available is nil if Valkey or Redis is installed, and the machine has a user to run it as.
func (Engine) Available() error {
	if _, err := find(); err != nil {
		return err
	}
	_, err := account()
	return err
}

func account() (daemon.Account, error) { return daemon.Unprivileged("valkey", "redis", "nobody") }

func find() (string, error) {
	for _, name := range servers {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New(missing)
}

// Start runs an empty server in the spec's data directory, which it creates if need be. Errors end with the last lines of
// the server's log.
func (Engine) Start(ctx context.Context, spec engine.Spec) (engine.Instance, error) {
	i, err := start(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("starting Valkey for %s/%s: %w", spec.Project, spec.Service, err)
	}
	return i, nil
}

func start(ctx context.Context, spec engine.Spec) (*instance, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	run, err := account()
	if err != nil {
		return nil, err
	}
	s, err := daemon.Prepare(run, spec, "valkey.sock")
	if err != nil {
		return nil, err
	}
	password := rand.Text()
	i := &instance{Server: s, admin: redis.NewClient(&redis.Options{
		Network: "unix", Addr: s.Socket, Username: keeper, Password: password, DisableIdentity: true, PoolSize: 2,
		MaxRetries: -1, DialerRetries: 1,
	})}
	if err := i.launch(ctx, path, password, spec.Admin); err != nil {
		return nil, errors.Join(err, i.Close(context.WithoutCancel(ctx)))
	}
	return i, nil
}

func (i *instance) launch(ctx context.Context, path, password string, admin engine.Credential) error {
	file := i.Path("valkey.conf")
	if err := errors.Join(i.Write(file, config(i.Server)), i.Write(rules(i.Server), firstRules(password))); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	command := func(port int) *exec.Cmd { return i.Command(i.Dir, path, file, "--tls-port", fmt.Sprint(port)) }
	ready := func(ctx context.Context) error {
		if _, err := os.Stat(i.Socket); err != nil { // the client would log each attempt
			return err
		}
		return i.admin.Ping(ctx).Err()
	}
	if err := i.Launch(ctx, "Valkey", command, ready); err != nil {
		return err
	}
	return i.Users().Set(ctx, admin)
}

// rules is the file of the users. The server writes it when it is asked to.
func rules(s *daemon.Server) string { return s.Path("users.acl") }

// firstRules let the keeper in, and no other.
func firstRules(password string) string {
	return "user default reset\nuser " + keeper + " on " + digest(password) + " ~* &* +@all\n"
}

// config is that of a small server that saves its data at its end.
func config(s *daemon.Server) string {
	settings := [][]string{
		append([]string{"bind"}, process.Addresses()...),
		{"port", "0"},
		{"tls-cert-file", quote(s.Cert())},
		{"tls-key-file", quote(s.Key())},
		{"tls-auth-clients", "no"},
		{"tls-protocols", `"TLSv1.2 TLSv1.3"`},
		{"unixsocket", quote(s.Socket)},
		{"unixsocketperm", "700"},
		{"dir", quote(s.Dir)},
		{"save", `""`},
		{"appendonly", "no"},
		{"shutdown-on-sigterm", "save"},
		{"maxmemory", "128mb"},
		{"aclfile", quote(rules(s))},
	}
	var conf strings.Builder
	for _, setting := range settings {
		conf.WriteString(strings.Join(setting, " ") + "\n")
	}
	return conf.String()
}

func quote(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}
